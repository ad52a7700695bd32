/** A device as the configuration loop sees it: an asset's sync state and what decides how changes compile for it. */

import type { AssetRef } from './asset-ref.ts';
import { withFrameTypes } from './channel-layout.ts';
import type { DeviceConfiguration } from './configuration.ts';
import { type DeviceCapabilities, RULE_SLOTS_DEFAULT, type RuleSlots } from './device-capabilities.ts';
import { type DeviceSync, replaceHardware, type SyncStatus, syncStatus } from './device-sync.ts';

export interface Device {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  capabilities: DeviceCapabilities;
  /** The channels are those of its own report, which counts for more than what its frames look like. */
  areChannelsReported: boolean;
  sync: DeviceSync;
}

/** Another logger in its place: it has to take what the old one ran, and has yet to show what it is. */
export const newHardware = (device: Device): Device => ({
  ...device,
  capabilities: { ...device.capabilities, channelTypes: null, ruleSlots: RULE_SLOTS_DEFAULT },
  areChannelsReported: false,
  sync: replaceHardware(device.sync),
});

export interface ContactUpdate {
  assetId: string;
  at: Date;
  /** By when it should be heard again, as far as its interval is known. */
  expectedBy: Date | null;
  /** What it said has changed its interval: the time that it had may be too short. */
  hasOtherInterval: boolean;
}

/** One that had been missed, with the alerts that were open meanwhile; its row is held. */
export interface DeviceBackOnline extends AssetRef {
  openAlerts: unknown;
}

/** What a device shows of itself, which decides how changes compile for it. */
export interface ObservedCapabilities {
  channelTypes: number[] | null;
  ruleSlots: RuleSlots | null;
  /** By the device's own report. */
  isReported: boolean;
}

/** What is known of the device with what was shown; the same object when that tells nothing new. */
export function withObserved(device: Device, observed: ObservedCapabilities): Device {
  const { capabilities } = device;
  const channelTypes = layoutWith(device, observed);
  const ruleSlots = observed.ruleSlots ?? capabilities.ruleSlots;
  const areChannelsReported =
    device.areChannelsReported || (observed.isReported && observed.channelTypes !== null);
  const isSame =
    ruleSlots === capabilities.ruleSlots &&
    areChannelsReported === device.areChannelsReported &&
    channelTypes?.join() === capabilities.channelTypes?.join();
  return isSame
    ? device
    : { ...device, areChannelsReported, capabilities: { ...capabilities, channelTypes, ruleSlots } };
}

function layoutWith(
  { capabilities, areChannelsReported }: Device,
  { channelTypes, isReported }: ObservedCapabilities,
): number[] | null {
  if (channelTypes === null) return capabilities.channelTypes;
  if (isReported) return channelTypes;
  return areChannelsReported
    ? capabilities.channelTypes
    : withFrameTypes(capabilities.channelTypes, channelTypes);
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
