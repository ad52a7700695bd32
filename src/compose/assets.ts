import { createAssetsRepository } from '../assets/assets.repository.ts';
import { assetsRoutes } from '../assets/assets.routes.ts';
import { type AssetsServiceDeps, createAssetsService } from '../assets/assets.service.ts';
import { createDeviceTargetsRepository } from '../config-jobs/device-targets.repository.ts';
import type { Resources } from './resources.ts';

export type AssetsNeeds = Pick<AssetsServiceDeps, 'devicesIn' | 'jobsProgressed' | 'resolveAlerts'>;

export function composeAssets({ sql }: Resources, { devicesIn, jobsProgressed, resolveAlerts }: AssetsNeeds) {
  const assets = createAssetsRepository(sql);
  const service = createAssetsService({
    assetsIn: createAssetsRepository,
    devicesIn,
    targetsIn: createDeviceTargetsRepository,
    jobsProgressed,
    resolveAlerts,
  });
  return {
    routes: assetsRoutes({ assets, assetsIn: createAssetsRepository, service }),
    findAsset: assets.find,
    findOwners: assets.findOwners,
  };
}
