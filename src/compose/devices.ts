import { createMessageTargetsRepository } from '../config-jobs/device-targets.repository.ts';
import type { Sql } from '../db/database.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../devices/configurations.repository.ts';
import { createExchangeBatch, type ExchangeBatchDeps } from '../devices/device-exchange.service.ts';
import type { DeviceExchanges } from '../devices/device-exchange.ts';
import { createDevicesRepository } from '../devices/devices.repository.ts';
import { devicesRoutes } from '../devices/devices.routes.ts';
import { createUnregisteredDevicesRepository } from '../devices/unregistered-devices.repository.ts';
import { unregisteredDevicesRoutes } from '../devices/unregistered-devices.routes.ts';
import { inTurns } from '../process/keyed-semaphore.ts';
import type { Resources } from './resources.ts';

export type DeviceRepositories = ReturnType<typeof composeDeviceRepositories>;

/** Repositories of devices that other slices use, too. Both read configurations through one cache. */
export function composeDeviceRepositories({ onConnectionLost }: Resources) {
  const cache = createConfigurationCache();
  // Rows that refer to configurations missing in a restored database must fail now, not in the next process.
  onConnectionLost(() => cache.clear());
  return {
    configurationsIn: (sql: Sql) => createConfigurationsRepository(sql, cache),
    devicesIn: (sql: Sql) => createDevicesRepository(sql, cache),
  };
}

export const composeExchanges = ({ now }: Resources, needs: Omit<ExchangeBatchDeps, 'targetsIn' | 'now'>) =>
  createExchangeBatch({ ...needs, targetsIn: createMessageTargetsRepository, now });

interface DevicesNeeds extends Pick<DeviceRepositories, 'devicesIn'> {
  exchanges: DeviceExchanges;
}

export function composeDevices({ sql, listTurns }: Resources, { devicesIn, exchanges }: DevicesNeeds) {
  const unregistered = createUnregisteredDevicesRepository(sql);
  return {
    routes: [
      ...devicesRoutes({ devices: devicesIn(sql), exchanges }),
      ...unregisteredDevicesRoutes(inTurns(unregistered, listTurns, 'listOf')),
    ],
    unregistered,
  };
}
