/** The points of a curve, single readings or buckets per channel, oldest first, and the marks beside them. */
import type { AlertType } from '../alerts/alert.ts';
import { INTERVALS_HELD } from '../devices/configuration.ts';
import { measurementTypeNamed } from '../devices/measurement-type.ts';
import type { bucketView } from '../measurements/buckets.ts';
import type { readingView } from '../measurements/history.ts';
import type { SettingsView } from '../statistics/settings-view.ts';

export type ReadingView = ReturnType<typeof readingView>;
export type BucketView = ReturnType<typeof bucketView>;

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

type Point = Pick<BucketView, 'channel' | 'position' | 'type' | 'unit' | 'from' | 'min' | 'avg' | 'max'>;

/** From readings or buckets in any order. */
export function toCurves(items: ReadonlyArray<ReadingView | BucketView>): ChannelCurve[] {
  const curves = new Map<string, ChannelCurve>();
  const oldestFirst = items.flatMap(toPoint).sort((a, b) => (a.from < b.from ? -1 : 1));
  for (const { channel, position, type, unit, from, min, avg, max } of oldestFirst) {
    const key = `${channel}:${type}`;
    const curve = curves.get(key) ?? { channel, position, type, unit, times: [], min: [], avg: [], max: [] };
    curves.set(key, curve);
    curve.times.push(seconds(from));
    curve.min.push(min);
    curve.avg.push(avg);
    curve.max.push(max);
  }
  return [...curves.values()].sort(byImportance);
}

/** A sensor error has no value to draw. */
function toPoint(item: ReadingView | BucketView): Point[] {
  if ('avg' in item) return [item];
  const { value, measuredAt } = item;
  return value === null ? [] : [{ ...item, from: measuredAt, min: value, avg: value, max: value }];
}

const seconds = (iso: string): number => Date.parse(iso) / 1000;

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
    from: seconds(from),
    to: to === null ? null : seconds(to),
    periodS: measurementPeriodSeconds,
    alerts,
  }));

export interface GapOptions {
  settings: readonly CurveSettings[];
  /** A bucket may be empty because the device measures less often; 0 for single readings. */
  bucketS: number;
  endS: number;
}

/**
 * Times without a value for longer than two periods of measurement at either end, also between the last point
 * and the present. A gap begins at the last reading, or where its bucket ends: before that, nothing says which times are
 * empty. A state holds until it changes, so it has none.
 */
export function gapsOf(
  { times, type }: Pick<ChannelCurve, 'times' | 'type'>,
  { settings, bucketS, endS }: GapOptions,
): Gap[] {
  if (isState(type)) return [];
  const usualS = medianOf(times.slice(1).map((at, index) => at - (times[index] as number)));
  /** An unknown period is not longer than the usual distance of points, which buckets round up. */
  const heldAt = (at: number) => {
    const periodS = settings.find(({ from, to }) => from <= at && (to === null || at < to))?.periodS;
    return periodS ? INTERVALS_HELD * periodS : INTERVALS_HELD * Math.max(bucketS, usualS) - bucketS;
  };
  return times.flatMap((at, index) => {
    const [from, to] = [at + bucketS, times[index + 1] ?? endS];
    return to - from > Math.max(heldAt(at), heldAt(to)) ? [{ from, to }] : [];
  });
}

const isState = (type: string): boolean => measurementTypeNamed(type)?.kind === 'binary';

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
function withGaps(curve: ChannelCurve, gaps: readonly Gap[]): Drawn {
  const drawn: Drawn = {
    times: [...curve.times],
    min: [...curve.min],
    avg: [...curve.avg],
    max: [...curve.max],
  };
  for (const { from } of [...gaps].reverse()) {
    const at = drawn.times.findLastIndex((time) => time <= from) + 1;
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

/** Unix seconds in all marks. */
export interface AlertMark {
  id: string;
  type: AlertType;
  /** The type in words. */
  name: string;
  /** Null: the alert is not about a channel. */
  channel: number | null;
  from: number;
  /** Null: still open. */
  to: number | null;
}

/** The answer of a device to the script of the curve, in Unix seconds. */
export interface CurveView {
  from: number;
  to: number;
  curves: Array<
    Omit<ChannelCurve, keyof Drawn> &
      Drawn & { isState: boolean; gaps: Gap[]; bounds: Bounds[]; alerts: AlertMark[] }
  >;
  alerts: AlertMark[];
  changes: Array<{ at: number; profile: string }>;
  /** End of open alerts and of the last gap: the present, where the span ends later. */
  knownUntil: number;
  mutes: Array<Gap & { reason: string }>;
  notes: Array<{ at: number; by: string | null; text: string; alertId: string }>;
}

export interface CurveParts extends Omit<CurveView, 'curves'> {
  curves: readonly ChannelCurve[];
  settings: readonly CurveSettings[];
  bucketS: number;
}

export function curveView({ curves, settings, bucketS, ...marks }: CurveParts): CurveView {
  return {
    ...marks,
    curves: curves.map((curve) => {
      const gaps = gapsOf(curve, { settings, bucketS, endS: marks.knownUntil });
      return {
        ...curve,
        ...withGaps(curve, gaps),
        isState: isState(curve.type),
        gaps,
        bounds: boundsOf(settings, curve, marks.to),
        alerts: marks.alerts.filter((alert) => isBreachOf(alert, curve)),
      };
    }),
  };
}

const isBreachOf = (alert: AlertMark, { channel, type }: ChannelCurve): boolean =>
  type === 'temperature' &&
  (alert.type === 'high_temp' || alert.type === 'low_temp') &&
  alert.channel === channel;
