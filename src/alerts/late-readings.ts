/** The readings of a device's frames that have to be evaluated by the settings in force at their time. */
import type { AssetRef } from '../devices/asset-ref.ts';
import { TEMPERATURE } from '../devices/channel-layout.ts';
import type { ReceivedFrame } from '../measurements/received-frame.ts';
import type { FreshReadings } from './late-ranges.ts';
import type { UnendedExcursion } from './open-alert.ts';

export interface LateDevice extends AssetRef {
  serialNumber: string;
  channels: LateChannel[];
  /** No stored reading is newer; null: unknown. */
  latestAt: number | null;
}

export interface LateChannel extends FreshReadings {
  /** Time of the newest sample, in Unix milliseconds. */
  newestAt: number | null;
}

/** Null for most devices: no temperature is late or continues an excursion in late data. */
export function toLateDevice(
  { device, state, fresh: all }: ReceivedFrame,
  unended: readonly UnendedExcursion[],
): LateDevice | null {
  const unendedAt = new Map(unended.map((each) => [each.channel, each.unendedAt]));
  const fresh = all.filter(
    ({ type, late, channel }) => type === TEMPERATURE && (late || unendedAt.has(channel)),
  );
  if (fresh.length === 0) return null;
  const channels = [...new Set(fresh.map(({ channel }) => channel))].map(
    (channel): LateChannel => ({
      channel,
      fresh: fresh.filter((reading) => reading.channel === channel),
      unendedAt: unendedAt.get(channel) ?? null,
      newestAt: state.newestReadingAt[channel] ?? null,
    }),
  );
  const { organizationId, assetId, serialNumber } = device;
  return {
    organizationId,
    assetId,
    serialNumber,
    channels,
    latestAt: state.latestMeasuredAt?.getTime() ?? null,
  };
}
