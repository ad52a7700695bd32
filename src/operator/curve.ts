/** The spans that a curve can show, and its points: single readings or buckets, oldest first, per channel. */
import type { bucketView } from '../measurements/buckets.ts';
import type { readingView } from '../measurements/history.ts';

export type ReadingView = ReturnType<typeof readingView>;
export type BucketView = ReturnType<typeof bucketView>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface CurveSpan {
  label: string;
  spanMs: number;
  resolution: '5m' | '1h' | '1d';
  bucketMs: number;
}

export const CURVE_SPANS: Record<string, CurveSpan> = {
  day: { label: 'Day', spanMs: DAY_MS, resolution: '5m', bucketMs: 300_000 },
  week: { label: 'Week', spanMs: 7 * DAY_MS, resolution: '1h', bucketMs: HOUR_MS },
  month: { label: 'Month', spanMs: 30 * DAY_MS, resolution: '1h', bucketMs: HOUR_MS },
  year: { label: 'Year', spanMs: 365 * DAY_MS, resolution: '1d', bucketMs: DAY_MS },
};

/** What people look at first: the temperature of the probe, then other temperatures, then the rest. */
export const byImportance = <Channel extends { channel: number; position: string | null; type: string }>(
  a: Channel,
  b: Channel,
): number => rankOf(a) - rankOf(b) || a.channel - b.channel;

function rankOf({ position, type }: { position: string | null; type: string }): number {
  if (position === 'probe') return 0;
  return type === 'temperature' ? 1 : 2;
}

export interface ChannelCurve {
  channel: number;
  position: string | null;
  type: string;
  unit: string;
  /** Unix seconds, as the chart wants them. */
  times: number[];
  min: number[];
  avg: number[];
  max: number[];
}

/** From buckets in whatever order. */
export function toCurves(buckets: readonly BucketView[]): ChannelCurve[] {
  const curves = new Map<string, ChannelCurve>();
  const oldestFirst = [...buckets].sort((a, b) => (a.from < b.from ? -1 : 1));
  for (const { channel, position, type, unit, from, min, avg, max } of oldestFirst) {
    const key = `${channel}:${type}`;
    const curve = curves.get(key) ?? { channel, position, type, unit, times: [], min: [], avg: [], max: [] };
    curves.set(key, curve);
    curve.times.push(Date.parse(from) / 1000);
    curve.min.push(min);
    curve.avg.push(avg);
    curve.max.push(max);
  }
  return [...curves.values()].sort(byImportance);
}

export const isBucket = (item: ReadingView | BucketView): item is BucketView => 'avg' in item;

export interface Gap {
  /** Unix seconds. */
  from: number;
  to: number;
}

/** Times without a point for longer than this, also between the last point and the present. */
export function gapsOf(
  times: readonly number[],
  { longestS, endS }: { longestS: number; endS: number },
): Gap[] {
  return times.flatMap((from, index) => {
    const to = times[index + 1] ?? endS;
    return to - from > longestS ? [{ from, to }] : [];
  });
}

/** A point without a value within each gap, so that no line is drawn across it. */
export function withGaps(curve: ChannelCurve, gaps: readonly Gap[]): Drawn {
  const drawn: Drawn = {
    times: [...curve.times],
    min: [...curve.min],
    avg: [...curve.avg],
    max: [...curve.max],
  };
  for (const { from } of [...gaps].reverse()) {
    const at = drawn.times.indexOf(from) + 1;
    drawn.times.splice(at, 0, from + 1);
    for (const values of [drawn.min, drawn.avg, drawn.max]) values.splice(at, 0, null);
  }
  return drawn;
}

export interface Drawn {
  times: number[];
  min: Array<number | null>;
  avg: Array<number | null>;
  max: Array<number | null>;
}
