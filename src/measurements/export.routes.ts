import { NO_SUCH_ASSET, NO_SUCH_GROUP } from '../assets/asset.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { streamOf } from '../http/pieces.ts';
import { ok, type Route, route } from '../http/route.ts';
import { notFound } from '../process/errors.ts';
import { type ExportMeasurements, exportMeasurementsQuery } from './export.schemas.ts';
import { CSV, type ExportDeps, exportLines, listAllScopes, NDJSON } from './export.ts';
import type { ExportScope, ExportScopesRepository } from './export-scopes.repository.ts';
import { CSV_TYPE, prefers } from './history.ts';
import { exportCsvExample, exportNdjsonExample } from './measurements.schemas.ts';

interface ExportRoutesDeps extends ExportDeps {
  scopes: ExportScopesRepository;
  limit: ConcurrencyLimit;
}

const NDJSON_TYPE = 'application/x-ndjson';

export const exportRoutes = ({ scopes, limit, ...deps }: ExportRoutesDeps): Route[] => [
  route({
    method: 'GET',
    path: '/measurements',
    operationId: 'exportMeasurements',
    summary: 'Export what many devices have measured',
    description:
      'A line for each reading, device by device, each newest first: JSON, or with Accept: text/csv a table. A connection that ends without its end means that it is not whole.',
    tag: 'Assets',
    query: exportMeasurementsQuery,
    responses: { 200: { contentType: NDJSON_TYPE, example: exportNdjsonExample } },
    alternative: { contentType: 'text/csv', example: exportCsvExample },
    errors: [404],
    async handle({ caller, query, header }) {
      const isCsv = prefers('text/csv', NDJSON_TYPE, header('Accept'));
      const format = isCsv ? CSV : NDJSON;
      const lines = await limit.stream(caller, async () => {
        const { organizationId } = caller;
        const chosen = await chooseScopes(scopes, organizationId, query);
        const { from, to } = query;
        return streamOf(exportLines(deps, chosen, { organizationId, from, to, format }));
      });
      return ok(lines, { 'Content-Type': isCsv ? CSV_TYPE : NDJSON_TYPE, Vary: 'Accept' });
    },
  }),
];

async function chooseScopes(
  scopes: ExportScopesRepository,
  organizationId: string,
  { assetIds, ...chosen }: ExportMeasurements,
): Promise<AsyncIterable<ExportScope>> {
  const groupId = chosen.groupId ?? null;
  if (groupId !== null && !(await scopes.hasGroup(organizationId, groupId))) throw notFound(NO_SUCH_GROUP);
  if (!assetIds) {
    return listAllScopes((after, limit) => scopes.listActive(organizationId, groupId, { after, limit }));
  }
  const found = await scopes.listByIds(organizationId, assetIds);
  if (found.length < assetIds.length) throw notFound(NO_SUCH_ASSET);
  return inTurn(found);
}

async function* inTurn<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}
