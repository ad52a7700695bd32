/** A frame, the device that sent it, and the state of the device after it. */
import type { Device } from '../devices/device.ts';
import type {
  BatteryStatus,
  FrameSignal,
  KnownSignal,
  ReportedBatteryStatus,
} from '../devices/device-status.ts';
import type { ClassifiedReading, LatestReading, NewestByChannel, SentReading } from '../devices/reading.ts';
import type { Presence } from '../presence/presence.ts';

/** One message of a device with its readings, over any transport. */
export interface Frame {
  organizationId: string;
  serialNumber: string;
  readings: SentReading[];
  /** Null if the frame leaves it out; so are the fields below. */
  batteryStatus: ReportedBatteryStatus | null;
  signal: FrameSignal | null;
  configHash: number | null;
  nextTransmissionAt: Date | null;
  /** Seconds between two readings of a channel. */
  measurementPeriodSeconds: number | null;
  /** The type of each channel; a frame over HTTP does not contain them all. */
  channelTypes: number[] | null;
  receivedAt: Date;
  /** Whether the answer reaches the device, so that it can carry a change of its configuration. */
  canDeliverConfig: boolean;
}

/** What messages change of a device beside its configuration. */
export interface DeviceState extends KnownSignal {
  presence: Presence;
  batteryStatus: BatteryStatus;
  lastReadingAt: Date | null;
  /** No stored reading is newer, including sensor errors; null: unknown. */
  latestMeasuredAt: Date | null;
  /** Channel types from its frames. */
  channelTypes: number[] | null;
  newestReadingAt: NewestByChannel;
  /** By channel; late samples do not replace others. */
  latest: readonly LatestReading[];
}

/** The stored state of an active device before its message, locked. */
export interface LockedState {
  /** Types of events with a subscriber in its organization. */
  subscribed: ReadonlySet<string>;
  /** Belongs to the alerts, which also update it. */
  openAlerts: unknown[];
  state: DeviceState;
}

/** Its configuration is locked only where the message concerns it. */
export type LockedDevice = Device & LockedState;

/** A frame with its new readings; events derive from it. */
export interface ReceivedFrame {
  frame: Frame;
  device: LockedDevice;
  /** The channels of the device in the frame; null when it contains none. */
  channelTypes: number[] | null;
  /** Readings that were not known before, in the order sent. */
  fresh: ClassifiedReading[];
  /** Readings that were stored before, or are repeated in the frame. */
  duplicates: number;
  /** Readings with another value or type than a known one of their channel and time: the first one stays. */
  conflicts: number;
  /** Readings without a plausible time, or older than the retention. */
  dropped: number;
  /** State after this frame. */
  state: DeviceState;
}

/**
 * Readings that may be stored already: those that are not newer than the state of their device knows, or all.
 */
export type DuplicateCheck = 'no newer' | 'all';

/** The state of a device knows less than is stored, so a reading that looks new may be a duplicate. */
export class OutdatedDeviceState extends Error {}

export function mayBeStored(measuredAt: Date, { state }: LockedDevice, check: DuplicateCheck): boolean {
  const { latestMeasuredAt } = state;
  return check === 'all' || latestMeasuredAt === null || measuredAt <= latestMeasuredAt;
}
