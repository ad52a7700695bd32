/** One message of a device with its readings, over any transport. */
import type { FrameSignal, ReportedBatteryStatus } from '../devices/device-status.ts';
import type { SentReading } from '../devices/reading.ts';

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
