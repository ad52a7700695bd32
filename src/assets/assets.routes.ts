import type { Sql } from '../db/database.ts';
import type { Shown } from '../http/audit.ts';
import { created, nextLink, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { invalid, notFound } from '../process/errors.ts';
import { assetDetailView, listedAssetView, NO_SUCH_ASSET } from './asset.ts';
import type { AssetsRepository } from './assets.repository.ts';
import {
  archivedSchema,
  assetDetailSchema,
  assetListSchema,
  type ListAssets,
  listAssetsQuery,
  registerAssetBody,
  registeredSchema,
  replacedSchema,
  replaceHardwareBody,
} from './assets.schemas.ts';
import type { AssetsService } from './assets.service.ts';

const tag = 'Assets';
const auth = 'customer' as const;
const params = idParams('assetId');

/** RFC 9745: the date since which the name is deprecated, and where to read about it. */
const MODEL_NAME_DEPRECATION = {
  Deprecation: '@1767225600',
  Link: '</docs#/Assets/listAssets>; rel="deprecation"',
};

export interface AssetsRoutesDeps {
  assets: AssetsRepository;
  assetsIn(sql: Sql): AssetsRepository;
  service: AssetsService;
}

export function assetsRoutes({ assets, assetsIn, service }: AssetsRoutesDeps): Route[] {
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
      description: 'Every device that is not archived, in the order of registration.',
      tag,
      auth,
      query: listAssetsQuery,
      responses: { 200: assetListSchema },
      async handle({ caller, query, url }) {
        const { limit, cursor: after = null } = query;
        const found = await assets.list(caller.organizationId, {
          model: parseModel(query),
          after,
          limit: limit + 1,
        });
        const page = pageOf(found.assets, limit, ({ id }) => id);
        const body = {
          items: page.items.map(listedAssetView),
          totalItems: found.total,
          nextCursor: page.nextCursor,
        };
        return ok(body, toHeaders(query, nextLink(url, page.nextCursor)));
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
      auth,
      body: registerAssetBody,
      responses: { 201: registeredSchema },
      errors: [409],
      audit: { subject: ({ id }) => id, shown },
      async handle({ caller, body, transact }) {
        return created({ id: await service.register(transact, caller.organizationId, body) });
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
      auth,
      params,
      responses: { 200: assetDetailSchema },
      errors: [404],
      async handle({ caller, params: { assetId } }) {
        const detail = await findDetail(assets, caller.organizationId, assetId);
        if (!detail) throw notFound(NO_SUCH_ASSET);
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
      auth,
      params,
      responses: { 200: archivedSchema },
      errors: [404],
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
        'The new logger is given the configuration that the old one ran, and all that waited for it.',
      tag,
      auth,
      params,
      body: replaceHardwareBody,
      responses: { 200: replacedSchema },
      errors: [404, 409],
      audit: { subject: 'assetId', shown },
      async handle({ caller, params: { assetId }, body: { newSerialNumber }, transact }) {
        await service.replaceHardware(transact, caller.organizationId, assetId, newSerialNumber);
        return ok({ success: true, serialNumber: newSerialNumber });
      },
    }),
  ];
}

async function findDetail(assets: AssetsRepository, organizationId: string, id: string) {
  const asset = await assets.find(organizationId, id);
  return asset && assetDetailView(asset, await assets.listReplacements(organizationId, id));
}

function parseModel(query: ListAssets): string | null {
  const { model, 'model-name': modelName } = query;
  if (model !== undefined && modelName !== undefined && model !== modelName) {
    throw invalid('model and model-name are one filter: send model alone');
  }
  return model ?? modelName ?? null;
}

function toHeaders(query: ListAssets, next: Record<string, string>): Record<string, string> {
  if (query['model-name'] === undefined) return next;
  const links = [next.Link, MODEL_NAME_DEPRECATION.Link].filter((link) => link !== undefined);
  return { ...MODEL_NAME_DEPRECATION, Link: links.join(', ') };
}
