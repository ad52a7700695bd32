/** Readings of devices, and the latest one of each channel. */

import { DAY_MS } from '../process/durations.ts';
import { invalid } from '../process/errors.ts';
import { channelAt, type Layout, type ProbePosition, positionOf } from './device-capabilities.ts';
import { isAheadOfTime } from './device-clock.ts';
import { measurementTypeOf, typeView } from './measurement-type.ts';

/** One value of one channel at one time. */
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

/**
 * A reading as a device may send it: a temperature by its position, which stands for a channel of its layout.
 */
export interface SentReading extends Omit<Reading, 'channel'> {
  channel: number | ProbePosition;
}

export interface ClassifiedReading extends Reading {
  /** Whether it arrived too late to open or close an alert. */
  late: boolean;
}

/** A reading as in the history. */
export interface StoredReading extends ClassifiedReading {
  receivedAt: Date;
  /** Time until the next reading, as given in the frame; null: not given. */
  periodSeconds: number | null;
}

export const resolveChannels = (readings: SentReading[], layout: Layout): Reading[] =>
  readings.map((reading) =>
    typeof reading.channel === 'number'
      ? (reading as Reading)
      : { ...reading, channel: channelAt(reading.channel, layout) },
  );

/** Identifies a reading of a device, even if it is sent repeatedly. */
export const keyOfReading = ({ channel, measuredAt }: Pick<Reading, 'channel' | 'measuredAt'>): number =>
  measuredAt.getTime() * 10 + channel;

/** Whether two readings with the same key have measured the same. */
export const isSameSample = (a: Reading, b: Reading): boolean =>
  a.type === b.type && a.value === b.value && a.error === b.error;

/** @throws invalid when readings of one request give a channel two types, because it measures one. */
export function checkTypes(readings: readonly Reading[]): void {
  const firstOf = new Map<number, number>();
  for (const [index, { channel, type }] of readings.entries()) {
    const first = firstOf.get(channel) ?? index;
    firstOf.set(channel, first);
    const expected = readings[first]?.type as number;
    if (type === expected) continue;
    throw invalid(
      `readings[${index}].type must be ${measurementTypeOf(expected)?.name}, as in readings[${first}]: both are of channel ${channel}, which measures one type`,
    );
  }
}

/** The newest time of each channel in Unix milliseconds; sensor errors do not count. */
export type NewestByChannel = Readonly<Record<string, number>>;

/**
 * A reading is late when it arrives more than a day late, or is not newer than the newest one of its channel
 * before the frame; the order of the readings within the frame makes none of them late.
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

/**
 * The newest sample of a channel, stored in the state of the device so that lists need not read its history: channel,
 * measurement type, unix milliseconds, value or sensor error, and whether the sample was late. Short, since each frame
 * rewrites it.
 */
export type LatestReading = readonly [
  channel: number,
  type: number,
  atMs: number,
  value: number | null,
  error?: number | null,
  late?: true,
];

/**
 * The latest readings after a frame, by channel. A late sample replaces none that was in time. A sample with a time from
 * a fast clock is replaced by any other.
 */
export function mergeLatest(
  known: readonly LatestReading[],
  samples: readonly ClassifiedReading[],
  receivedAt: Date,
): readonly LatestReading[] {
  const byChannel = new Map(known.map((reading) => [reading[0], reading]));
  const isFirm = (reading: LatestReading | undefined): boolean =>
    reading !== undefined && !isLate(reading) && !isAhead(reading, receivedAt);
  const counted = samples.filter(({ channel, late }) => !late || !isFirm(byChannel.get(channel)));
  for (const sample of newestByChannel(counted)) {
    const shown = byChannel.get(sample.channel);
    if (!shown || shown[2] < sample.measuredAt.getTime() || isAhead(shown, receivedAt))
      byChannel.set(sample.channel, toLatest(sample));
  }
  return [...byChannel.values()].sort(([a], [b]) => a - b);
}

const isLate = ([, , , , , late]: LatestReading): boolean => late === true;

const isAhead = ([, , atMs]: LatestReading, receivedAt: Date): boolean =>
  isAheadOfTime(new Date(atMs), receivedAt);

export function newestByChannel<Sample extends Reading>(samples: readonly Sample[]): Iterable<Sample> {
  const newest = new Map<number, Sample>();
  for (const sample of samples) {
    const other = newest.get(sample.channel);
    if (!other || sample.measuredAt > other.measuredAt) newest.set(sample.channel, sample);
  }
  return newest.values();
}

function toLatest({ channel, type, measuredAt, value, error, late }: ClassifiedReading): LatestReading {
  const reading = [channel, type, measuredAt.getTime(), value] as const;
  if (late) return [...reading, error, true];
  return error === null ? reading : [...reading, error];
}

export type LatestView = ReturnType<typeof latestView>;

export function latestView([channel, type, atMs, value, error]: LatestReading, layout: Layout) {
  const { type: name, unit } = typeView(type);
  return {
    channel,
    position: positionOf(channel, type, layout),
    type: name,
    value,
    unit,
    measuredAt: new Date(atMs).toISOString(),
    ...(error != null && { error }),
  };
}
