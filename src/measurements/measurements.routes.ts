import { NO_SUCH_ASSET } from '../assets/asset.ts';
import { NO_SUCH_DEVICE } from '../devices/serial-number.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { streamOf } from '../http/pieces.ts';
import { nextLink, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { notFound } from '../process/errors.ts';
import type { Pace } from '../process/pacer.ts';
import { toFrame } from './frame-body.ts';
import type { HistoryFilter, HistoryRepository, HistoryScope } from './history.repository.ts';
import { CSV_HEADER, csvLine, parseCursor, prefersCsv, readingView, toCursor } from './history.ts';
import type { Intake } from './intake.service.ts';
import {
  type ListMeasurements,
  listMeasurementsQuery,
  measurementListSchema,
  measurementsBody,
  measurementsResultSchema,
  measuringParams,
} from './measurements.schemas.ts';

export interface MeasurementsRoutesDeps {
  intake: Intake;
  history: HistoryRepository;
  exports: ExportDeps;
  now(): Date;
}

export interface ExportDeps {
  /** On connections of its own. */
  history: Pick<HistoryRepository, 'lister'>;
  limit: ConcurrencyLimit;
  pace: Pace;
  /** For the connections, by organization. */
  turns: { run<T>(organizationId: string, work: () => Promise<T>): Promise<T> };
}

const CSV = 'text/csv; charset=utf-8; header=present';
/** Few enough that other requests do not wait for a chunk. */
const CSV_CHUNK = 250;

export function measurementsRoutes({ intake, history, exports, now }: MeasurementsRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/devices/{serial}/measurements',
      operationId: 'sendMeasurements',
      summary: 'Send readings of a device',
      description:
        'They are stored when the answer comes. Sending them again does no harm: readings are unique by channel and time.',
      tag: 'For devices',
      auth: 'device',
      params: measuringParams,
      body: measurementsBody,
      responses: { 202: measurementsResultSchema },
      errors: [404],
      async handle({ caller: { organizationId }, params: { serial }, body }) {
        const frame = toFrame(body, { organizationId, serialNumber: serial, receivedAt: now() });
        const result = await intake.receive(frame);
        if (!result) throw notFound(NO_SUCH_DEVICE);
        return { status: 202, body: result };
      },
    }),
    route({
      method: 'GET',
      path: '/assets/{assetId}/measurements',
      operationId: 'listMeasurements',
      summary: 'Read what a device has measured',
      description:
        'Newest first. With Accept: text/csv the whole range from-to as one table, whatever the limit; a connection that ends without its end means that it is not whole.',
      tag: 'Assets',
      auth: 'customer',
      params: idParams('assetId'),
      query: listMeasurementsQuery,
      responses: { 200: measurementListSchema },
      alternative: { contentType: 'text/csv' },
      errors: [404],
      async handle({ caller, params: { assetId }, query, url, header }) {
        const scope = await history.findScope(caller.organizationId, assetId);
        const filter = filterOf(query);
        if (!scope) throw notFound(NO_SUCH_ASSET);
        if (prefersCsv(header('Accept'))) {
          const table = await exports.limit.stream(caller, () => streamOf(csvOf(exports, scope, filter)));
          return ok(table, { 'Content-Type': CSV, Vary: 'Accept' });
        }
        const rows = await history.list(scope, { ...filter, limit: query.limit + 1 });
        const page = pageOf(rows, query.limit, toCursor);
        const items = page.items.map((reading) => readingView(reading, scope.layout));
        return ok(
          { items, nextCursor: page.nextCursor },
          { Vary: 'Accept', ...nextLink(url, page.nextCursor) },
        );
      },
    }),
  ];
}

const filterOf = ({ from, to, channel, cursor, limit }: ListMeasurements): HistoryFilter => ({
  from: from ?? null,
  to: to ?? null,
  channel: channel ?? null,
  before: cursor === undefined ? null : parseCursor(cursor),
  limit,
});

/** Read chunk by chunk as the client takes it; between two chunks it holds no connection. */
async function* csvOf(
  { history, pace, turns }: ExportDeps,
  scope: HistoryScope,
  filter: HistoryFilter,
): AsyncGenerator<string> {
  const list = history.lister(scope);
  async function readChunk(before: HistoryFilter['before']) {
    const readings = await turns.run(scope.organizationId, () =>
      list({ ...filter, before, limit: CSV_CHUNK }),
    );
    const lines = readings.map((reading) => csvLine(reading, scope.layout)).join('');
    return { lines, last: readings.length < CSV_CHUNK ? null : (readings.at(-1) ?? null) };
  }
  let chunk = await pace(() => readChunk(filter.before));
  yield CSV_HEADER + chunk.lines;
  while (chunk.last) {
    const { last } = chunk;
    chunk = await pace(() => readChunk(last));
    yield chunk.lines;
  }
}
