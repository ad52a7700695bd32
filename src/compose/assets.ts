import { createAssetsRepository } from '../assets/assets.repository.ts';
import { assetsRoutes } from '../assets/assets.routes.ts';
import { type AssetsServiceDeps, createAssetsService } from '../assets/assets.service.ts';
import { type DeviceTokensRoutesDeps, deviceTokensRoutes } from '../assets/device-tokens.routes.ts';
import { createDeviceTargetsRepository } from '../config-jobs/device-targets.repository.ts';
import type { Resources } from './resources.ts';

export type AssetsNeeds = Pick<AssetsServiceDeps, 'devicesIn' | 'jobsProgressed' | 'resolveAlerts'> & {
  deviceTokens: DeviceTokensRoutesDeps['tokens'];
};

export function composeAssets(
  { sql }: Resources,
  { devicesIn, jobsProgressed, resolveAlerts, deviceTokens }: AssetsNeeds,
) {
  const assets = createAssetsRepository(sql);
  const service = createAssetsService({
    assetsIn: createAssetsRepository,
    devicesIn,
    targetsIn: createDeviceTargetsRepository,
    jobsProgressed,
    resolveAlerts,
  });
  return {
    routes: [
      ...assetsRoutes({ assets, assetsIn: createAssetsRepository, service }),
      ...deviceTokensRoutes({ assetsIn: createAssetsRepository, tokens: deviceTokens }),
    ],
    findAsset: assets.find,
    findOwners: assets.findOwners,
  };
}
