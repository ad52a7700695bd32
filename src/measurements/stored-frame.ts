/** A frame with the device that sent it: what was new, and the state of the device afterwards. Events derive from it. */
import type { AssetRef } from '../devices/asset-ref.ts';
import type { Layout } from '../devices/channel-layout.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import type { BatteryStatus, KnownSignal } from '../devices/device-status.ts';
import type { SyncState } from '../devices/device-sync.ts';
import type { LatestReading } from '../devices/latest-readings.ts';
import type { Presence } from '../presence/presence.ts';
import type { Frame } from './frame.ts';
import type { ClassifiedReading, NewestByChannel } from './reading.ts';

/** What frames change of a device. */
export interface DeviceState extends KnownSignal {
  presence: Presence;
  batteryStatus: BatteryStatus;
  lastReadingAt: Date | null;
  /** No stored reading is newer, sensor errors included; null while that is not known. */
  latestMeasuredAt: Date | null;
  /** As its frames showed them. */
  channelTypes: number[] | null;
  newestReadingAt: NewestByChannel;
  /** By channel; late ones do not replace others. */
  latest: readonly LatestReading[];
}

/** What is known of the configuration of a device when a frame arrives. */
export interface ConfigState {
  /** By the ids of its configurations. */
  sync: SyncState<string>;
  reportedHash: number | null;
  /** As earlier frames showed it; null when none has since the last report. */
  observedHash: number | null;
  /** Of measurement, as it is in force; null: unknown. */
  periodSeconds: number | null;
  /** Those that configurations are compiled for. */
  channelTypes: number[] | null;
  /** The device itself has reported them: frames add nothing. */
  areChannelsReported: boolean;
}

/** An active device whose state is locked, as it was before the batch. */
export interface LockedDevice extends AssetRef {
  serialNumber: string;
  assetName: string;
  layout: Layout;
  /** Types of events that anybody in its organization receives. */
  subscribed: ReadonlySet<string>;
  /** Belongs to the alerts, which also update it. */
  openAlerts: unknown[];
  state: DeviceState;
  config: ConfigState;
}

export interface StoredFrame {
  frame: Frame;
  device: LockedDevice;
  /** Its configurations by value. */
  sync: SyncState<DeviceConfiguration>;
  /** The channels of the device as the frame shows them; null when it does not. */
  channelTypes: number[] | null;
  /** Readings that were not known before, in the order sent. */
  fresh: ClassifiedReading[];
  /** Readings that were stored before, or are repeated in the frame or an earlier one of the batch. */
  duplicates: number;
  /** The same with another value or type: the first one stays. */
  conflicts: number;
  /** Readings without a plausible time, or older than the retention. */
  dropped: number;
  /** After this frame. */
  state: DeviceState;
  cameOnline: boolean;
}
