/** A frame with the device that sent it, its new readings, and the state of the device after it. Events derive from it. */
import type { Device } from '../devices/device.ts';
import type { BatteryStatus, KnownSignal } from '../devices/device-status.ts';
import type { LatestReading } from '../devices/latest-readings.ts';
import type { Presence } from '../presence/presence.ts';
import type { Frame } from './frame.ts';
import type { ClassifiedReading, NewestByChannel } from './reading.ts';

/** What messages change of a device beside its configuration. */
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

/** The stored state of an active device before its message, locked. */
export interface LockedState {
  /** Types of events that anybody in its organization receives. */
  subscribed: ReadonlySet<string>;
  /** Belongs to the alerts, which also update it. */
  openAlerts: unknown[];
  state: DeviceState;
}

/** Its configuration is locked only where the message concerns it. */
export type LockedDevice = Device & LockedState;

export interface StoredFrame {
  frame: Frame;
  device: LockedDevice;
  /** The channels of the device as the frame shows them; null when it does not. */
  channelTypes: number[] | null;
  /** Readings that were not known before, in the order sent. */
  fresh: ClassifiedReading[];
  /** Readings that were stored before, or are repeated in the frame. */
  duplicates: number;
  /** The same with another value or type: the first one stays. */
  conflicts: number;
  /** Readings without a plausible time, or older than the retention. */
  dropped: number;
  /** After this frame. */
  state: DeviceState;
}
