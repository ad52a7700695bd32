/**
 * The newest sample of each channel, stored in the state of the device so that lists need not read its
 * history.
 */
import { type Layout, positionOf } from './device-capabilities.ts';
import { isAheadOfTime } from './device-clock.ts';
import { measurementTypeOf } from './measurement-type.ts';
import type { ClassifiedReading } from './reading.ts';

/**
 * Channel, measurement type, unix milliseconds, value or sensor error, and whether the sample was late. Short, since each
 * frame rewrites it.
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

function newestByChannel(samples: readonly ClassifiedReading[]): Iterable<ClassifiedReading> {
  const newest = new Map<number, ClassifiedReading>();
  for (const sample of samples) {
    const { channel, measuredAt } = sample;
    const other = newest.get(channel);
    if (!other || measuredAt > other.measuredAt) newest.set(channel, sample);
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
  const known = measurementTypeOf(type);
  return {
    channel,
    position: positionOf(channel, type, layout),
    type: known?.name ?? `type_${type}`,
    value,
    unit: known?.unit ?? '',
    measuredAt: new Date(atMs).toISOString(),
    ...(error != null && { error }),
  };
}
