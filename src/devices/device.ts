/**
 * A device and its configuration: the sync state of an asset, and the capabilities that changes are compiled
 * for.
 */
import type { AssetRef } from './asset-ref.ts';
import { withoutTerms } from './configuration.ts';
import {
  type DeviceCapabilities,
  RULE_SLOTS_DEFAULT,
  type RuleSlots,
  withFrameTypes,
} from './device-capabilities.ts';
import { type DeviceSync, replaceHardware, syncStatus, unconfirmedKeys, withdrawAll } from './device-sync.ts';
import { afterEnd, afterReplacement, afterSync, type DeviceSettings, type Observation } from './settings.ts';

export interface Device extends AssetRef {
  serialNumber: string;
  assetName: string;
  capabilities: DeviceCapabilities;
  /** The channel types come from its own report, which counts for more than its frames. */
  areChannelsReported: boolean;
  sync: DeviceSync;
  registeredAt: Date;
  settings: DeviceSettings;
}

export const DEVICE_IS_LOCKED = 'The device is being changed by another operation at present: try again soon';

/**
 * Another logger in its place: it is offered the configuration of the old one, and has yet to report its
 * capabilities.
 */
export const newHardware = (device: Device, at: Date): Device => {
  const sync = replaceHardware(device.sync);
  return {
    ...device,
    capabilities: { ...device.capabilities, channelTypes: null, ruleSlots: RULE_SLOTS_DEFAULT },
    areChannelsReported: false,
    sync,
    settings: afterReplacement(device.settings, sync, observedAt(device, at)),
  };
};

/** Clears its pending change and its settings in force. */
export const archived = (device: Device, at: Date): Device => ({
  ...device,
  sync: withdrawAll(device.sync),
  settings: afterEnd(device.settings, observedAt(device, at)),
});

/** Updates the settings after a change of the sync state that does not come from a message of the device. */
export function withSettings(before: DeviceSync, device: Device, at: Date): Device {
  if (before === device.sync) return device;
  const observation: Observation = { ...observedAt(device, at), source: 'applied' };
  return { ...device, settings: afterSync(device.settings, before, device.sync, observation) };
}

/** An observation by the service itself. */
const observedAt = ({ registeredAt }: Device, at: Date): Omit<Observation, 'source'> => ({
  at,
  receivedAt: at,
  registeredAt,
});

/** Capabilities in a message of the device. */
export interface ObservedCapabilities {
  channelTypes: number[] | null;
  ruleSlots: RuleSlots | null;
  /** Whether they come from the device's own report. */
  isReported: boolean;
}

/** The device with the observed capabilities; the same object when they change nothing. */
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

export type DeviceConfigView = ReturnType<typeof deviceConfigView>;

export function deviceConfigView(device: Device) {
  const { sync } = device;
  const unconfirmed = unconfirmedKeys(sync);
  return {
    serialNumber: device.serialNumber,
    assetId: device.assetId,
    assetName: device.assetName,
    pendingConfig: sync.pending && withoutTerms(sync.pending.config),
    deviceConfig: sync.reported?.config ?? null,
    deviceConfigReceivedAt: sync.reported?.at.toISOString() ?? null,
    syncStatus: syncStatus(sync),
    ...(unconfirmed.length > 0 && { unconfirmedKeys: unconfirmed }),
  };
}

/** The report of a logger about itself: firmware, radio, battery. Only the latest one is stored. */
export interface DeviceInfo {
  serialNumber: string;
  /** "07.02" */
  softwareVersion: string | null;
  modem: { rssiDbm: number | null } | null;
}

export interface DeviceInfoReport {
  organizationId: string;
  receivedAt: Date;
  info: DeviceInfo;
}
