/** A device as the configuration loop sees it: an asset's sync state and what decides how changes compile for it. */
import { type DeviceVariant, withFrameTypes } from './device-capabilities.ts';
import type { DeviceConfiguration } from './configuration.ts';
import { type DeviceSync, replaceHardware, type SyncStatus, syncStatus } from './device-sync.ts';

const RULE_SLOTS_UNKNOWN = 12;

export interface Device {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  variant: DeviceVariant;
  /** The channels are those of its own report, which counts for more than what its frames look like. */
  isLayoutReported: boolean;
  sync: DeviceSync;
}

/** Another logger in its place: it has to take what the old one ran, and has yet to show what it is. */
export const newHardware = (device: Device): Device => ({
  ...device,
  variant: { ...device.variant, channelTypes: null, ruleSlots: RULE_SLOTS_UNKNOWN },
  isLayoutReported: false,
  sync: replaceHardware(device.sync),
});

export interface HeardDevice {
  assetId: string;
  at: Date;
  /** By when it should be heard again, as far as its interval is known. */
  expectedBy: Date | null;
  /** What it said has changed its interval: the time that it had may be too short. */
  hasOtherInterval: boolean;
}

/** One that had been missed, with the alerts that were open meanwhile; its row is held. */
export interface ReturnedDevice {
  assetId: string;
  openAlerts: unknown;
}

/** What a device shows of itself, which decides how changes compile for it. */
export interface ShownVariant {
  channelTypes: number[] | null;
  ruleSlots: 12 | 16 | null;
  /** By the device's own report. */
  isReported: boolean;
}

/** What is known of the device with what was shown; the same object when that tells nothing new. */
export function withShown(device: Device, shown: ShownVariant): Device {
  const { variant } = device;
  const channelTypes = layoutWith(device, shown);
  const ruleSlots = shown.ruleSlots ?? variant.ruleSlots;
  const isLayoutReported = device.isLayoutReported || (shown.isReported && shown.channelTypes !== null);
  const isSame =
    ruleSlots === variant.ruleSlots &&
    isLayoutReported === device.isLayoutReported &&
    channelTypes?.join() === variant.channelTypes?.join();
  return isSame ? device : { ...device, isLayoutReported, variant: { ...variant, channelTypes, ruleSlots } };
}

function layoutWith(
  { variant, isLayoutReported }: Device,
  { channelTypes, isReported }: ShownVariant,
): number[] | null {
  if (channelTypes === null) return variant.channelTypes;
  if (isReported) return channelTypes;
  return isLayoutReported ? variant.channelTypes : withFrameTypes(variant.channelTypes, channelTypes);
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
