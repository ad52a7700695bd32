import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkRegistrable, newAsset, type Registration } from '../assets/asset.ts';
import { type AssetOfRow, createAssetImport } from '../assets/asset-import.service.ts';
import { createAssetOrderRepository } from '../assets/asset-order.repository.ts';
import { createAssetSearchRepository } from '../assets/asset-search.repository.ts';
import { createAssetsRepository } from '../assets/assets.repository.ts';
import { assetsRoutes } from '../assets/assets.routes.ts';
import { importRow } from '../assets/assets.schemas.ts';
import { type AssetsServiceDeps, createAssetsService } from '../assets/assets.service.ts';
import { type DeviceTokensRoutesDeps, deviceTokensRoutes } from '../assets/device-tokens.routes.ts';
import { createDeviceTargetsRepository } from '../config-jobs/device-targets.repository.ts';
import { createLimitOfTwo } from '../http/concurrency-limit.ts';
import { requireStorable } from '../http/read-body.ts';
import { bodyValidator } from '../http/validate.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import type { DeviceRepositories } from './devices.ts';
import type { Resources } from './resources.ts';

interface AssetsNeeds
  extends Pick<DeviceRepositories, 'devicesIn'>,
    Omit<AssetsServiceDeps, 'assetsIn' | 'devicesIn' | 'targetsIn' | 'removeTokens' | 'now'> {
  deviceTokens: DeviceTokensRoutesDeps['tokens'];
}

export function composeAssets(
  { sql, listTurns, now }: Resources,
  { devicesIn, groups, deviceTokens, ...needs }: AssetsNeeds,
) {
  const assets = createAssetsRepository(sql);
  const service = createAssetsService({
    assetsIn: createAssetsRepository,
    devicesIn,
    targetsIn: createDeviceTargetsRepository,
    groups,
    removeTokens: deviceTokens.remove,
    now,
    ...needs,
  });
  const imports = createAssetImport({
    assetsIn: createAssetsRepository,
    devicesIn,
    groups,
    parse: parseRow,
    nextTurn,
  });
  return {
    routes: [
      ...assetsRoutes({
        assets,
        assetsIn: createAssetsRepository,
        search: inTurns(createAssetSearchRepository(sql), listTurns, 'search'),
        service,
        imports: { service: imports, limit: createLimitOfTwo('imports') },
      }),
      ...deviceTokensRoutes({ assetsIn: createAssetsRepository, tokens: deviceTokens }),
    ],
    listOrdered: inTurns(createAssetOrderRepository(sql), listTurns, 'list').list,
    findAsset: assets.find,
    findOwners: assets.findOwners,
  };
}

const validateRow = bodyValidator(importRow);

function parseRow(value: unknown): AssetOfRow {
  requireStorable(value, 'the row');
  const { group = null, ...registration } = validateRow(value) as Registration & { group?: string };
  checkRegistrable('serialNumber', registration.serialNumber);
  return { ...newAsset(registration), group };
}
