/**
 * The newest sample of each channel, stored in the state of the device so that lists need not read its
 * history.
 */
import { type Layout, positionOf } from './channel-layout.ts';
import { isAheadOfTime } from './device-clock.ts';
import { measurementTypeOf } from './measurement-type.ts';
import type { ClassifiedReading } from './reading.ts';

/** Channel, measurement type, unix milliseconds, and value or sensor error. Short, since each frame rewrites it. */
export type LatestReading = readonly [
  channel: number,
  type: number,
  atMs: number,
  value: number | null,
  error?: number,
];

/**
 * The latest readings after a frame, by channel. A late sample replaces none, and counts only if none was
 * known. A sample with a time from a fast clock is replaced by any other.
 */
export function mergeLatest(
  known: readonly LatestReading[],
  samples: readonly ClassifiedReading[],
  receivedAt: Date,
): readonly LatestReading[] {
  const byChannel = new Map(known.map((reading) => [reading[0], reading]));
  for (const sample of newestByChannel(samples, byChannel)) {
    const [, , knownAtMs = Number.NEGATIVE_INFINITY] = byChannel.get(sample.channel) ?? [];
    const isReplaced =
      knownAtMs < sample.measuredAt.getTime() || isAheadOfTime(new Date(knownAtMs), receivedAt);
    if (isReplaced) byChannel.set(sample.channel, toLatest(sample));
  }
  return [...byChannel.values()].sort(([a], [b]) => a - b);
}

function newestByChannel(
  samples: readonly ClassifiedReading[],
  known: ReadonlyMap<number, unknown>,
): Iterable<ClassifiedReading> {
  const newest = new Map<number, ClassifiedReading>();
  for (const sample of samples) {
    const { channel, measuredAt, late } = sample;
    if (late && known.has(channel)) continue;
    const other = newest.get(channel);
    if (!other || measuredAt > other.measuredAt) newest.set(channel, sample);
  }
  return newest.values();
}

const toLatest = ({ channel, type, measuredAt, value, error }: ClassifiedReading): LatestReading =>
  error === null
    ? [channel, type, measuredAt.getTime(), value]
    : [channel, type, measuredAt.getTime(), value, error];

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
    ...(error !== undefined && { error }),
  };
}
