/**
 * Statistics of a span of readings, for one channel after the other, folded from the newest reading to the
 * oldest in constant memory. Each moment is evaluated by the settings that were in force then.
 *
 * Minimum, maximum, average and mean kinetic temperature are over the samples, each with the same weight. For
 * durations, a sample holds until the next one of its channel, for two periods of measurement at most: the
 * larger of the periods at both ends counts. A longer time without any reading is a gap, which begins after
 * these two periods; nothing before the first reading is a gap. A sample from before the span holds into it,
 * and is not counted. A sensor error is a reading and no sample.
 */

import { breachOf } from '../alerts/alert-state-machine.ts';
import { INTERVALS_HELD } from '../devices/configuration.ts';
import { TEMPERATURE } from '../devices/device-capabilities.ts';
import { measurementTypeOf } from '../devices/measurement-type.ts';
import type { StoredReading } from '../devices/reading.ts';
import type { SettingsPeriod, Span } from '../devices/settings.ts';
import { type BoundsInForce, boundsInForce, withoutBounds } from './bounds-in-force.ts';
import { createKineticMean } from './mean-kinetic-temperature.ts';
import { createExpected, createPeriods } from './measurement-periods.ts';
import { createMedian } from './median.ts';

/** Further ones are counted, and not listed. */
export const GAPS_MAX = 1_000;

export interface StatisticsOptions extends Span {
  /** No gap begins earlier; in Unix milliseconds. */
  registeredAt: number;
  /** Settings in force within the span and before it, oldest first. */
  settings: readonly SettingsPeriod[];
  /**
   * Milliseconds between the readings of a channel, if neither frames nor settings contain them; null:
   * unknown.
   */
  medianOf(channel: number, type: number): number | null;
}

export interface ChannelStatistics {
  channel: number;
  type: number;
  count: number;
  /** Null without a sample; so are the next three. */
  min: number | null;
  max: number | null;
  avg: number | null;
  /** °C; null for quantities other than temperature. */
  meanKineticTemperature: number | null;
  /** Number of samples and sensor errors. */
  readings: number;
  /** By the periods of measurement since `expectedFrom`; null: unknown. */
  expectedReadings: number | null;
  /** The first reading within the span, or its beginning where the channel measured before. */
  expectedFrom: number;
  /** A sample holds without limit, so there are neither gaps nor expected readings. */
  isState: boolean;
  alerts: Array<BoundsInForce & { secondsOutside: number }>;
  /** For temperatures, since the first reading. */
  withoutBounds: Span[];
  /** The newest ones, oldest first. */
  gaps: Span[];
  gapCount: number;
}

export type StatisticsFold = ReturnType<typeof createStatisticsFold>;

export function createStatisticsFold(options: StatisticsOptions) {
  const channels = new Map<string, ChannelFold>();
  const keyOf = (channel: number, type: number) => `${channel} ${type}`;
  return {
    /** Adds readings newest first, including those before the span, back to the last sample of the channel. */
    add(reading: Pick<StoredReading, 'channel' | 'type' | 'value' | 'measuredAt' | 'periodSeconds'>): void {
      if (reading.measuredAt.getTime() >= options.to) return;
      const key = keyOf(reading.channel, reading.type);
      const fold = channels.get(key) ?? createChannelFold(reading.channel, reading.type, options);
      channels.set(key, fold);
      fold.add(reading);
    },
    /** Ordered by channel and type. */
    result(): ChannelStatistics[] {
      const all = [...channels.values()].map((fold) => fold.result());
      const measured = all.filter(({ readings }) => readings > 0);
      // A channel without readings in the span is missing, unless another type has replaced the earlier one.
      const missing = all.filter(({ channel }) => !measured.some((each) => each.channel === channel));
      return [...measured, ...missing].sort((a, b) => a.channel - b.channel || a.type - b.type);
    },
    /** The median distance of the readings of a channel, in milliseconds; null with fewer than three. */
    medianOf: (channel: number, type: number) => channels.get(keyOf(channel, type))?.median() ?? null,
    /** Whether a period was needed that neither frames, settings nor `medianOf` gave. */
    lacksPeriod: () => [...channels.values()].some((fold) => fold.lacksPeriod()),
  };
}

type ChannelFold = ReturnType<typeof createChannelFold>;

/** The end of an interval: a reading, or the edge of the span. */
interface End {
  at: number;
  /** Milliseconds; null: unknown. */
  periodMs: number | null;
}

function createChannelFold(channel: number, type: number, options: StatisticsOptions) {
  const { from, to, settings } = options;
  // These readings are sent when a state changes, so a sample holds without limit.
  const isState = measurementTypeOf(type)?.kind === 'binary';
  const periods = createPeriods(settings, options.medianOf(channel, type));
  const bounds = type === TEMPERATURE ? boundsInForce(settings, channel, options) : [];
  const alerts = bounds.map((each) => ({ ...each, outsideMs: 0 }));
  // Samples come newest first, and each is compared with the bounds of its time alone.
  const earlier = alerts.toSorted((a, b) => a.to - b.to);
  let current: typeof alerts = [];
  const values = createValues(type);
  const gaps = createGaps();
  const distances = createMedian();
  const expected = createExpected(periods, from);
  const edge: End = { at: to, periodMs: periods.at(to - 1) };
  let nextReading = edge;
  let nextSample = edge;
  let readings = 0;
  let firstAt = to;
  let isUnknown = !isState && edge.periodMs === null;

  /** The time until which a reading holds. */
  function heldUntil(at: End, next: End): number {
    if (isState) return next.at;
    const longest = Math.max(at.periodMs ?? 0, next.periodMs ?? 0);
    if (longest > 0) return Math.min(next.at, at.at + INTERVALS_HELD * longest);
    return next === edge ? at.at : next.at;
  }

  function addReading(reading: End): void {
    if (nextReading.at < from) return;
    const until = heldUntil(reading, nextReading);
    const isKnown = isState || reading.periodMs !== null || nextReading.periodMs !== null;
    if (isKnown) gaps.add(Math.max(until, from, options.registeredAt), nextReading.at);
    if (!isState) expected.add(reading.at, nextReading.at, reading.periodMs);
    if (reading.at >= from) {
      if (nextReading !== edge) distances.add(nextReading.at - reading.at);
      readings++;
    }
    firstAt = Math.max(reading.at, from);
    nextReading = reading;
  }

  function addSample(sample: End, value: number): void {
    if (nextSample.at < from) return;
    const until = heldUntil(sample, nextSample);
    current = current.filter((alert) => alert.from < nextSample.at);
    while ((earlier.at(-1)?.to ?? sample.at) > sample.at)
      current.push(earlier.pop() as (typeof alerts)[number]);
    for (const alert of current)
      if (breachOf(alert, value) !== null) alert.outsideMs += overlap({ from: sample.at, to: until }, alert);
    if (sample.at >= from) values.add(value);
    nextSample = sample;
  }

  return {
    add({
      value,
      measuredAt,
      periodSeconds,
    }: Pick<StoredReading, 'value' | 'measuredAt' | 'periodSeconds'>): void {
      const at = measuredAt.getTime();
      const end = { at, periodMs: periods.at(at, periodSeconds) };
      if (!isState && end.periodMs === null) isUnknown = true;
      addReading(end);
      if (value !== null) addSample(end, value);
    },
    median: () => distances.result(),
    lacksPeriod: () => isUnknown,
    result: (): ChannelStatistics => ({
      channel,
      type,
      ...values.result(),
      readings,
      expectedReadings: isState ? null : expected.result(),
      expectedFrom: firstAt,
      isState,
      alerts: alerts.map(({ outsideMs, ...each }) => ({ ...each, secondsOutside: outsideMs / 1000 })),
      withoutBounds: type === TEMPERATURE ? withoutBounds(bounds, { from: firstAt, to }) : [],
      gaps: gaps.list(),
      gapCount: gaps.count(),
    }),
  };
}

const overlap = (one: Span, other: Span): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));

function createValues(type: number) {
  const kinetic = type === TEMPERATURE ? createKineticMean() : null;
  let count = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  return {
    add(value: number): void {
      count++;
      sum += value;
      min = Math.min(min, value);
      max = Math.max(max, value);
      kinetic?.add(value);
    },
    result() {
      if (count === 0) return { count, min: null, max: null, avg: null, meanKineticTemperature: null };
      return { count, min, max, avg: sum / count, meanKineticTemperature: kinetic?.result() ?? null };
    },
  };
}

function createGaps() {
  const gaps: Span[] = [];
  let count = 0;
  return {
    add(from: number, to: number): void {
      if (to <= from) return;
      count++;
      if (gaps.length < GAPS_MAX) gaps.push({ from, to });
    },
    list: (): Span[] => gaps.toReversed(),
    count: () => count,
  };
}
