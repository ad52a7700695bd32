/** What a device says in one message, whatever the transport. */
import type { ReportedBatteryStatus } from '../devices/device-status.ts';
import type { SentReading } from './reading.ts';

export interface Frame {
  organizationId: string;
  serialNumber: string;
  readings: SentReading[];
  /** Null where the frame does not say. */
  batteryStatus: ReportedBatteryStatus | null;
  /** As on the wire: see `signalStrengthOf`. */
  signal: number | null;
  configHash: number | null;
  nextTransmissionAt: Date | null;
  /** The type of each channel, when the frame shows them all; a frame over HTTP does not. */
  channelTypes: number[] | null;
  receivedAt: Date;
  /** The answer reaches the device, so it can carry what waits for it. */
  canDeliverConfig: boolean;
}
