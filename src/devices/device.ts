/** A device as the configuration loop sees it: an asset's sync state and what decides how changes compile for it. */
import type { DeviceConfiguration } from './configuration.ts';
import { type DeviceSync, type SyncStatus, syncStatus } from './device-sync.ts';

export interface Device {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  sync: DeviceSync;
}

export interface DeviceConfigView {
  serialNumber: string;
  assetId: string;
  assetName: string;
  pendingConfig: DeviceConfiguration | null;
  deviceConfig: DeviceConfiguration | null;
  deviceConfigReceivedAt: string | null;
  syncStatus: SyncStatus;
}

export function deviceConfigView(device: Device & { assetName: string }): DeviceConfigView {
  const { sync } = device;
  return {
    serialNumber: device.serialNumber,
    assetId: device.assetId,
    assetName: device.assetName,
    pendingConfig: sync.pending?.config ?? null,
    deviceConfig: sync.reported?.config ?? null,
    deviceConfigReceivedAt: sync.reported?.at.toISOString() ?? null,
    syncStatus: syncStatus(sync),
  };
}

/** What an answer to a device carries: the change that waits for it. */
export interface OfferedChange {
  revision: number;
  config: DeviceConfiguration;
}
