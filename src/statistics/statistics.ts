/**
 * Statistics of a span of readings, for one channel after the other, folded from the newest reading to the oldest in
 * constant memory.
 *
 * Minimum, maximum, average and mean kinetic temperature are over the samples, each with the same weight. For what takes
 * time, a sample holds until the next one of its channel, for two measurement intervals at most; what no sample covers is
 * a gap. A sample from before the span holds into it, and is not counted. A sensor error is no sample.
 */
import type { Reading } from '../measurements/reading.ts';
import { createKineticMean } from './mean-kinetic-temperature.ts';

const TEMPERATURE = 1;
/** More are counted, and not listed. */
export const GAPS_MAX = 1_000;

export interface AlertBounds {
  /** °C; null where there is none. */
  lowC: number | null;
  highC: number | null;
}

/** Unix milliseconds; `to` is not included. */
export interface Span {
  from: number;
  to: number;
}

export interface StatisticsOptions extends Span {
  /** How long a sample of this type holds at most. */
  holdMsOf(type: number): number;
  /** Of the alerts of a channel. */
  boundsOf(channel: number): AlertBounds[];
}

export interface ChannelStatistics {
  channel: number;
  type: number;
  count: number;
  min: number;
  max: number;
  avg: number;
  /** °C; null for what is no temperature. */
  meanKineticTemperature: number | null;
  alerts: Array<AlertBounds & { secondsOutside: number }>;
  /** The newest ones, oldest first. */
  gaps: Span[];
  gapCount: number;
}

export interface StatisticsFold {
  /** Newest first; those before the span, too, as far back as a sample holds. */
  add(reading: Pick<Reading, 'channel' | 'type' | 'value' | 'measuredAt'>): void;
  /** By channel and type. */
  result(): ChannelStatistics[];
}

export function createStatisticsFold(options: StatisticsOptions): StatisticsFold {
  const channels = new Map<string, ChannelFold>();
  return {
    add({ channel, type, value, measuredAt }) {
      const at = measuredAt.getTime();
      if (value === null || at >= options.to) return;
      const key = `${channel} ${type}`;
      const fold = channels.get(key) ?? createChannelFold(channel, type, options);
      channels.set(key, fold);
      fold.add(at, value);
    },
    result: () =>
      [...channels.values()]
        .map((fold) => fold.result())
        .filter(({ count }) => count > 0)
        .sort((a, b) => a.channel - b.channel || a.type - b.type),
  };
}

type ChannelFold = ReturnType<typeof createChannelFold>;

function createChannelFold(channel: number, type: number, options: StatisticsOptions) {
  const { from, to } = options;
  const holdMs = options.holdMsOf(type);
  const bounds = type === TEMPERATURE ? options.boundsOf(channel) : [];
  const alerts = bounds.map((each) => ({ ...each, outsideMs: 0 }));
  const values = createValues(type);
  const gaps = createGaps();
  /** Of the sample after this one, or the end of the span. */
  let nextAt = to;

  /** From a time in the span until the next sample. */
  function cover(at: number, value: number): void {
    const end = Math.min(at + holdMs, nextAt);
    for (const alert of alerts)
      if (isOutside(value, alert)) alert.outsideMs += Math.max(0, end - Math.max(at, from));
    gaps.add(Math.max(end, from), nextAt);
    nextAt = Math.max(at, from);
  }

  return {
    add(at: number, value: number): void {
      if (nextAt <= from && at < from) return;
      cover(at, value);
      if (at >= from) values.add(value);
    },
    result(): ChannelStatistics {
      const open = nextAt > from ? [{ from, to: nextAt }] : [];
      return {
        channel,
        type,
        ...values.result(),
        alerts: alerts.map(({ lowC, highC, outsideMs }) => ({
          lowC,
          highC,
          secondsOutside: outsideMs / 1000,
        })),
        gaps: [...open, ...gaps.list()].slice(-GAPS_MAX),
        gapCount: open.length + gaps.count(),
      };
    },
  };
}

const isOutside = (value: number, { lowC, highC }: AlertBounds): boolean =>
  (lowC !== null && value < lowC) || (highC !== null && value > highC);

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
    result: () => ({ count, min, max, avg: sum / count, meanKineticTemperature: kinetic?.result() ?? null }),
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
