/** A device as the configuration loop sees it: an asset's sync state and what decides how changes compile for it. */
import type { DeviceVariant } from '../profiles/device-variant.ts';
import type { DeviceConfiguration } from './configuration.ts';
import { type DeviceSync, type SyncStatus, syncStatus } from './device-sync.ts';

export interface Device {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  variant: DeviceVariant;
  sync: DeviceSync;
}

export interface HeardDevice {
  assetId: string;
  /** By when it should be heard again, where what it said has put that off. */
  expectedBy: Date | null;
}

/** What a device shows of itself, which decides how changes compile for it. */
export interface ShownVariant {
  channelTypes: number[] | null;
  ruleSlots: 12 | 16 | null;
  /** Told by the device's own report, which counts for more than what its frames look like. */
  isReported: boolean;
}

/** What is known of the variant with what was shown; the same object when that tells nothing new. */
export function withShown(variant: DeviceVariant, shown: ShownVariant): DeviceVariant {
  const isWelcome = shown.channelTypes !== null && (shown.isReported || variant.channelTypes === null);
  const channelTypes = isWelcome ? shown.channelTypes : variant.channelTypes;
  const ruleSlots = shown.ruleSlots ?? variant.ruleSlots;
  const isSame = ruleSlots === variant.ruleSlots && channelTypes?.join() === variant.channelTypes?.join();
  return isSame ? variant : { ...variant, channelTypes, ruleSlots };
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
