import type { Database } from '../db/database.ts';
import type { Shown } from '../http/audit.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { nextLink } from '../http/list-cursors.ts';
import { decodeUtf8, mediaType } from '../http/read-body.ts';
import { created, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { invalid, orNotFound } from '../process/errors.ts';
import { assetDetailView, listedAssetView, NO_SUCH_ASSET, registrationWarnings } from './asset.ts';
import type { AssetFilter } from './asset-filter.ts';
import type { AssetImport } from './asset-import.service.ts';
import {
  IMPORT_BYTES_MAX,
  IMPORT_COLUMNS,
  type ImportRow,
  readCsvRows,
  readJsonRows,
} from './asset-import.ts';
import type { AssetSearchRepository } from './asset-search.repository.ts';
import type { AssetsRepository } from './assets.repository.ts';
import {
  archivedSchema,
  assetDetailSchema,
  assetListSchema,
  changeAssetBody,
  IMPORT_EXAMPLE,
  importBody,
  importedSchema,
  importQuery,
  type ListAssets,
  listAssetsQuery,
  registerAssetBody,
  registeredSchema,
  replacedSchema,
  replaceHardwareBody,
} from './assets.schemas.ts';
import type { AssetsService } from './assets.service.ts';

const tag = 'Assets';
const params = idParams('assetId');

/** RFC 9745: the date of the deprecation, and a link to its documentation. */
const MODEL_NAME_DEPRECATION = {
  Deprecation: '@1767225600',
  Link: '</docs/api#/Assets/listAssets>; rel="deprecation"',
};

interface AssetsRoutesDeps {
  assets: AssetsRepository;
  assetsIn(sql: Database): AssetsRepository;
  search: AssetSearchRepository;
  service: AssetsService;
  imports: { service: AssetImport; limit: ConcurrencyLimit };
}

export function assetsRoutes({ assets, assetsIn, search, service, imports }: AssetsRoutesDeps): Route[] {
  const shown: Shown = {
    schema: assetDetailSchema,
    find: (sql, organizationId, id) => findDetail(assetsIn(sql), organizationId, id),
  };

  return [
    route({
      method: 'GET',
      path: '/assets',
      operationId: 'listAssets',
      summary: 'List active devices',
      description:
        'Every device that is not archived, in the order of registration. Filters are combined: a device must match all.',
      tag,
      query: listAssetsQuery,
      responses: { 200: assetListSchema },
      async handle({ caller, query, url }) {
        const { limit, cursor: after = null } = query;
        const page = { after, limit: limit + 1 };
        const found = await search.search(caller.organizationId, toFilter(query), page);
        const listed = pageOf(found.assets, limit, ({ id }) => id, listedAssetView);
        const body = { ...listed, totalItems: found.total };
        return ok(body, toHeaders(query, nextLink(url, listed.nextCursor)));
      },
    }),
    route({
      method: 'POST',
      path: '/assets',
      operationId: 'registerAsset',
      summary: 'Register a device',
      description:
        'The device is new until its first contact. 409 when another active device has the serial number, compared without case.',
      tag,
      body: registerAssetBody,
      responses: { 201: registeredSchema },
      errors: [404, 409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        const id = await service.register(transact, caller.organizationId, body);
        return created({ id, ...registrationWarnings(body.serialNumber) });
      },
    }),
    route({
      method: 'POST',
      path: '/assets/import',
      operationId: 'importAssets',
      summary: 'Register many devices',
      description:
        'As CSV, whose first line names the columns, or as a JSON array of bodies as for one device: 1 to 10,000 rows. Each row has its own result, and none fails its neighbours. Beside the fields of one device a row may have group, the name of a group, in place of groupId. Cells are separated by commas, or by semicolons or tabs as the first line shows; blanks around them and empty rows do not count. A serial number that is registered already leaves its device unchanged, so the same rows may be sent again. With dryRun each row has the result that it would have.',
      tag,
      query: importQuery,
      rawBody: {
        contentType: 'text/csv',
        otherTypes: ['application/json'],
        maxBytes: IMPORT_BYTES_MAX,
        buffered: imports.limit,
        example: IMPORT_EXAMPLE,
        json: importBody,
      },
      responses: { 200: importedSchema },
      errors: [409, 413, 415],
      audit: {
        subject: () => 'import',
        after: ({ created, unchanged, failed }) => ({ created, unchanged, failed }),
        isChange: ({ dryRun }) => dryRun === false,
      },
      parse: (bytes, contentType) => imports.service.read(readRows(bytes, contentType)),
      async handle({ caller, query, body, transact }) {
        const options = { isDryRun: query.dryRun };
        return ok(await imports.service.run(transact, caller.organizationId, body, options));
      },
    }),
    route({
      method: 'PATCH',
      path: '/assets/{assetId}',
      operationId: 'changeAsset',
      summary: 'Change a device',
      description: 'What is left out stays; null clears.',
      tag,
      params,
      body: changeAssetBody,
      responses: { 200: assetDetailSchema },
      errors: [404],
      audit: { subject: 'assetId', shown },
      async handle({ caller, params: { assetId }, body, transact }) {
        const { organizationId } = caller;
        const asset = await service.change(transact, organizationId, assetId, body);
        // By the transaction's own connection: a change that waits for a second one may wait for itself.
        const replacements = await transact(({ sql }) =>
          assetsIn(sql).listReplacements(organizationId, assetId),
        );
        return ok(assetDetailView(asset, replacements));
      },
    }),
    route({
      method: 'GET',
      path: '/assets/{assetId}',
      operationId: 'getAsset',
      summary: 'Get a device',
      description:
        'The device with its present state and its earlier serial numbers. An archived device is answered 404.',
      tag,
      params,
      responses: { 200: assetDetailSchema },
      errors: [404],
      async handle({ caller, params: { assetId } }) {
        const detail = orNotFound(await findDetail(assets, caller.organizationId, assetId), NO_SUCH_ASSET);
        return ok(detail);
      },
    }),
    route({
      method: 'DELETE',
      path: '/assets/{assetId}',
      operationId: 'archiveAsset',
      summary: 'Take a device out of service',
      description:
        'Its pending change is withdrawn and its serial number is free again; its history is kept.',
      tag,
      params,
      responses: { 200: archivedSchema },
      errors: [404],
      idempotent: true,
      audit: { subject: 'assetId', shown },
      async handle({ caller, params: { assetId }, transact }) {
        await service.archive(transact, caller.organizationId, assetId);
        return ok({ deleted: true });
      },
    }),
    route({
      method: 'POST',
      path: '/assets/{assetId}/replace-hardware',
      operationId: 'replaceHardware',
      summary: 'Put another logger in the place of this one',
      description:
        'The new logger is given the configuration that the old one ran, and all that waited for it. 409 when another active device has the serial number, and after 1,000 replacements of this one.',
      tag,
      params,
      body: replaceHardwareBody,
      responses: { 200: replacedSchema },
      errors: [404, 409],
      audit: { subject: 'assetId', shown },
      async handle({ caller, params: { assetId }, body: { newSerialNumber }, transact }) {
        await service.replaceHardware(transact, caller.organizationId, assetId, newSerialNumber);
        return ok({
          success: true,
          serialNumber: newSerialNumber,
          ...registrationWarnings(newSerialNumber),
        });
      },
    }),
  ];
}

async function findDetail(assets: AssetsRepository, organizationId: string, id: string) {
  const asset = await assets.find(organizationId, id);
  return asset && assetDetailView(asset, await assets.listReplacements(organizationId, id));
}

function readRows(bytes: Buffer, contentType: string | undefined): Iterable<ImportRow[]> {
  return mediaType(contentType) === 'text/csv'
    ? readCsvRows(bytes, IMPORT_COLUMNS, decodeUtf8)
    : readJsonRows(bytes, decodeUtf8);
}

function toFilter({ 'model-name': modelName, model = modelName, ...filter }: ListAssets): AssetFilter {
  if (modelName !== undefined && model !== modelName) {
    throw invalid('model and model-name are one filter: send model alone');
  }
  return { ...filter, model };
}

function toHeaders(query: ListAssets, next: Record<string, string>): Record<string, string> {
  if (query['model-name'] === undefined) return next;
  const links = [next.Link, MODEL_NAME_DEPRECATION.Link].filter((link) => link !== undefined);
  return { ...MODEL_NAME_DEPRECATION, Link: links.join(', ') };
}
