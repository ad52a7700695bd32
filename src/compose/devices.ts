import { createDeviceTargetsRepository } from '../config-jobs/device-targets.repository.ts';
import type { Sql } from '../db/database.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../devices/configurations.repository.ts';
import {
  createDeviceExchanges,
  type DeviceExchanges,
  type DeviceExchangesDeps,
} from '../devices/device-exchange.service.ts';
import { createDeviceInfoRepository } from '../devices/device-info.repository.ts';
import { createDeviceInfoService } from '../devices/device-info.service.ts';
import { createDevicesRepository } from '../devices/devices.repository.ts';
import { devicesRoutes } from '../devices/devices.routes.ts';
import { createUnregisteredDevicesRepository } from '../devices/unregistered-devices.repository.ts';
import { unregisteredDevicesRoutes } from '../devices/unregistered-devices.routes.ts';
import { observeLockingCommit } from '../http/metrics.ts';
import type { IntakeHealth } from '../presence/intake-health.ts';
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

export interface DevicesNeeds
  extends Pick<
    DeviceExchangesDeps,
    'recompile' | 'onAlertRulesChanged' | 'onCameOnline' | 'recordOutcomes' | 'publish'
  > {
  devicesIn: DeviceRepositories['devicesIn'];
  observeContact: IntakeHealth['observeContact'];
}

export function composeDevices(
  { sql, transactReports, slots, metrics, tracing, now }: Resources,
  needs: DevicesNeeds,
) {
  const { devicesIn, recompile, recordOutcomes, onAlertRulesChanged, onCameOnline, observeContact, publish } =
    needs;
  const { handle } = createDeviceExchanges({
    transact: transactReports,
    slots,
    observers: observeLockingCommit(metrics, 'reports'),
    tracing,
    devicesIn,
    targetsIn: createDeviceTargetsRepository,
    unregisteredIn: createUnregisteredDevicesRepository,
    recompile,
    onAlertRulesChanged,
    onCameOnline,
    recordOutcomes,
    onRefused: (reason) => metrics.refusedTurns.inc({ work: 'report', reason }),
    publish,
    now,
  });
  const exchanges: DeviceExchanges = { handle: (exchange) => observeContact(handle(exchange)) };
  return {
    routes: [
      ...devicesRoutes({ devices: devicesIn(sql), exchanges, now }),
      ...unregisteredDevicesRoutes(createUnregisteredDevicesRepository(sql)),
    ],
    exchanges,
    deviceInfo: createDeviceInfoService({
      transact: transactReports,
      deviceInfoIn: createDeviceInfoRepository,
      exchanges,
    }),
    unregistered: createUnregisteredDevicesRepository(sql),
  };
}
