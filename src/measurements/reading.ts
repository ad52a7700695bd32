/** One value of one channel at one time: what is stored, judged and told. */
import { channelAt, type Layout, type ProbePosition } from '../devices/channel-layout.ts';

export interface Reading {
  /** 1..6. */
  channel: number;
  /** The number of its measurement type. */
  type: number;
  /** In the unit of its type; null with an error. */
  value: number | null;
  /** The sensor's error code; null with a value. */
  error: number | null;
  measuredAt: Date;
}

/** As a device may send it: a temperature by its position, which its layout turns into a channel. */
export interface SentReading extends Omit<Reading, 'channel'> {
  channel: number | ProbePosition;
}

/** A reading that came too late to open or close an alert. */
export interface ClassifiedReading extends Reading {
  late: boolean;
}

const DAY_MS = 86_400_000;

export const resolveChannels = (readings: SentReading[], layout: Layout): Reading[] =>
  readings.map((reading) =>
    typeof reading.channel === 'number'
      ? (reading as Reading)
      : { ...reading, channel: channelAt(reading.channel, layout) },
  );

/** What makes a reading one and the same, however often it is sent. */
export const keyOfReading = ({ channel, measuredAt }: Pick<Reading, 'channel' | 'measuredAt'>): number =>
  measuredAt.getTime() * 10 + channel;

/** The newest time of each channel in unix milliseconds; sensor errors do not count. */
export type NewestByChannel = Readonly<Record<string, number>>;

/**
 * Marks what is older than a day on arrival, or not newer than what is known of its channel. Readings of one frame are
 * not late by one another, in whatever order they stand.
 */
export function classifyLateness(
  readings: Reading[],
  known: NewestByChannel,
  receivedAt: Date,
): ClassifiedReading[] {
  const stale = receivedAt.getTime() - DAY_MS;
  return readings.map((reading) => {
    const { channel, type, value, error, measuredAt } = reading;
    const at = measuredAt.getTime();
    const late = at < stale || at <= (known[channel] ?? Number.NEGATIVE_INFINITY);
    return { channel, type, value, error, measuredAt, late };
  });
}

export function mergeNewest(known: NewestByChannel, readings: Reading[]): NewestByChannel {
  let next: Record<string, number> | null = null;
  for (const { channel, value, measuredAt } of readings) {
    if (value === null) continue;
    const at = measuredAt.getTime();
    if (at <= ((next ?? known)[channel] ?? Number.NEGATIVE_INFINITY)) continue;
    next ??= { ...known };
    next[channel] = at;
  }
  return next ?? known;
}
