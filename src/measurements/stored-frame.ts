/** What has become of a frame in its transaction: what those who judge and tell begin with. */

import type { Layout } from '../devices/channel-layout.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import type { BatteryStatus, DeviceStatus, SignalStrength } from '../devices/device-status.ts';
import type { Frame } from './frame.ts';
import type { ClassifiedReading } from './reading.ts';

/** A device as its frames find it and leave it. */
export interface DeviceState {
  status: DeviceStatus;
  signalStrength: SignalStrength;
  batteryStatus: BatteryStatus;
  lastReadingAt: Date | null;
  /** Nothing measured later is stored, sensor errors included; null while that is not known. */
  latestMeasuredAt: Date | null;
  lastContactAt: Date | null;
  expectedBy: Date | null;
  channelTypes: number[] | null;
  /** The newest reading of each channel, in unix milliseconds. */
  newestReadingAt: Readonly<Record<string, number>>;
}

export interface MeasuringAsset {
  assetId: string;
  organizationId: string;
  serialNumber: string;
  assetName: string;
  layout: Layout;
  /** What somebody of its organization is told of; what is not in here needs no event. */
  subscribed: ReadonlySet<string>;
  /** As the alerts left it. */
  openAlerts: unknown[];
}

export interface StoredFrame {
  asset: MeasuringAsset;
  frame: Frame;
  /** Readings that were not known before, in the order sent. */
  fresh: ClassifiedReading[];
  /** After this frame. */
  state: DeviceState;
  /** It counted as missing before. */
  cameOnline: boolean;
  /** The configuration whose alerts are watched; null when there is none. */
  rules: DeviceConfiguration | null;
  /** Its id. */
  rulesId: string | null;
}
