/** The spans of a curve, and its points: single readings or buckets, oldest first, per channel. */

import { INTERVALS_HELD } from '../devices/measurement-interval.ts';
import type { bucketView } from '../measurements/buckets.ts';
import type { readingView } from '../measurements/history.ts';
import type { SettingsView } from '../statistics/settings-view.ts';

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

/** Most important first: the temperature of the probe, then other temperatures, then the rest. */
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
  /** Unix seconds, the unit of the chart. */
  times: number[];
  min: number[];
  avg: number[];
  max: number[];
}

/** From buckets in any order. */
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

/** Settings in force from a time on. Unix seconds; `to` null: they still are. */
export interface CurveSettings {
  from: number;
  to: number | null;
  periodS: number | null;
  alerts: Array<{ channel: number; lowC: number | null; highC: number | null }>;
}

/** From the views of the API, newest first. */
export const toCurveSettings = (settings: readonly SettingsView[]): CurveSettings[] =>
  settings.map(({ from, to, measurementPeriodSeconds, alerts }) => ({
    from: Date.parse(from) / 1000,
    to: to === null ? null : Date.parse(to) / 1000,
    periodS: measurementPeriodSeconds,
    alerts,
  }));

export interface GapOptions {
  settings: readonly CurveSettings[];
  /** A bucket may be empty because the device measures less often. */
  bucketS: number;
  endS: number;
}

/**
 * Times without a point for longer than two periods of measurement at either end, also between the last point
 * and the present.
 */
export function gapsOf(times: readonly number[], { settings, bucketS, endS }: GapOptions): Gap[] {
  const usualS = medianOf(times.slice(1).map((at, index) => at - (times[index] as number)));
  const periodAt = (at: number) =>
    settings.find(({ from, to }) => from <= at && (to === null || at < to))?.periodS ?? usualS;
  return times.flatMap((from, index) => {
    const to = times[index + 1] ?? endS;
    return to - from > INTERVALS_HELD * Math.max(bucketS, periodAt(from), periodAt(to)) ? [{ from, to }] : [];
  });
}

const medianOf = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

export interface Bounds {
  /** Unix seconds. */
  from: number;
  to: number;
  lowC: number | null;
  highC: number | null;
}

/** The bounds of a channel, each for the time in which it was in force. */
export const boundsOf = (
  settings: readonly CurveSettings[],
  { channel, type }: Pick<ChannelCurve, 'channel' | 'type'>,
  endS: number,
): Bounds[] =>
  type === 'temperature'
    ? settings.flatMap(({ from, to, alerts }) =>
        alerts
          .filter((alert) => alert.channel === channel)
          .map(({ lowC, highC }) => ({ from, to: to ?? endS, lowC, highC })),
      )
    : [];

/** Adds a point without a value within each gap, so that no line crosses it. */
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
