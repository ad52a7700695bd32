/**
 * The period of measurement at each moment: from the frame, else from the settings in force, else the median.
 * It gives the number of expected readings.
 */
import { countBegun, type SettingsPeriod, type Span, settingsAt } from '../devices/settings.ts';
import { SECOND_MS } from '../process/durations.ts';

export function createPeriods(settings: readonly SettingsPeriod[], medianMs: number | null) {
  const toMs = (seconds: number | null | undefined) => (seconds == null ? medianMs : seconds * SECOND_MS);
  const at = (atMs: number, ofFrameSeconds: number | null = null) =>
    toMs(ofFrameSeconds ?? settingsAt(settings, atMs)?.measurementPeriodSeconds);

  return {
    /** Milliseconds; null: unknown. */
    at,
    /** The time between two readings, split where other settings come into force. */
    between(from: number, to: number, firstMs: number | null): Array<Span & { periodMs: number | null }> {
      if (to <= from) return [];
      const changes = settings.slice(countBegun(settings, from), countBegun(settings, to - 1));
      const starts = [from, ...changes.map((change) => change.from.getTime())];
      return starts.map((start, index) => ({
        from: start,
        to: starts[index + 1] ?? to,
        periodMs: index === 0 ? firstMs : (at(start) ?? firstMs),
      }));
    },
  };
}

/** Compensates rounding errors of sums. */
const EPSILON = 1e-6;

/** Counts the readings that are expected in the time since `from`, whose period may change. */
export function createExpected(periods: ReturnType<typeof createPeriods>, from: number) {
  /** Times by period, before the first reading since `from`, and since it. */
  const before = new Map<number, number>();
  const since = new Map<number, number>();
  let isUnknown = false;
  return {
    /** The period of the reading at the beginning counts until other settings are in force. */
    add(start: number, end: number, firstMs: number | null): void {
      const timeByPeriod = start < from ? before : since;
      for (const stretch of periods.between(start, end, firstMs)) {
        const { periodMs } = stretch;
        const timeMs = stretch.to - Math.max(stretch.from, from);
        if (timeMs <= 0) continue;
        if (periodMs === null) isUnknown = true;
        else timeByPeriod.set(periodMs, (timeByPeriod.get(periodMs) ?? 0) + timeMs);
      }
    },
    result(): number | null {
      if (isUnknown) return null;
      // Each period since the first reading begins with a reading, also the one that the end cuts off.
      return Math.floor(countPeriods(before) + EPSILON) + Math.ceil(countPeriods(since) - EPSILON);
    },
  };
}

const countPeriods = (timeByPeriod: ReadonlyMap<number, number>): number =>
  [...timeByPeriod].reduce((all, [periodMs, timeMs]) => all + timeMs / periodMs, 0);
