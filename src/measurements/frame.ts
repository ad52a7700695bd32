/** One message of a device with its readings, whatever the transport. */
import type { FrameSignal, ReportedBatteryStatus } from '../devices/device-status.ts';
import type { SentReading } from './reading.ts';

export interface Frame {
  organizationId: string;
  serialNumber: string;
  readings: SentReading[];
  /** Null where the frame does not tell; so are the fields below. */
  batteryStatus: ReportedBatteryStatus | null;
  signal: FrameSignal | null;
  configHash: number | null;
  nextTransmissionAt: Date | null;
  /** Seconds between two readings of a channel. */
  measurementPeriodSeconds: number | null;
  /** The type of each channel; a frame over HTTP does not show them all. */
  channelTypes: number[] | null;
  receivedAt: Date;
  /** The answer reaches the device, so it can carry a change of its configuration. */
  canDeliverConfig: boolean;
}
