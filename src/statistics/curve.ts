/** The curve of a span: the minimum and maximum per column of pixels, for any number of readings. */

import type { Reading } from '../devices/reading.ts';
import type { Span } from '../devices/settings.ts';
import type { ChannelStatistics } from './statistics.ts';

/** The resolution of a page. */
export const CURVE_COLUMNS = 500;

export interface CurveColumn {
  /** Counted from the left. */
  column: number;
  min: number;
  max: number;
}

type Joined = Pick<ChannelStatistics, 'gaps' | 'gapCount' | 'expectedReadings' | 'isState'>;

/** Neighbours without a gap between them, so that a line may join them. */
export function joinable(
  columns: readonly CurveColumn[],
  { from, to }: Span,
  { gaps, gapCount, expectedReadings, isState }: Joined,
): Array<[CurveColumn, CurveColumn]> {
  // Gaps are unknown without a period of measurement, which a state does not need, and before the listed gaps.
  if (expectedReadings === null && !isState) return [];
  const knownFrom = gapCount > gaps.length ? (gaps[0]?.from ?? to) : from;
  const timeOf = ({ column }: CurveColumn) => from + ((column + 0.5) / CURVE_COLUMNS) * (to - from);
  return columns.slice(1).flatMap((next, index): Array<[CurveColumn, CurveColumn]> => {
    const before = columns[index] as CurveColumn;
    const [start, end] = [timeOf(before), timeOf(next)];
    const isMissing = start < knownFrom || gaps.some((gap) => gap.from < end && gap.to > start);
    return isMissing ? [] : [[before, next]];
  });
}

export type Curves = ReturnType<typeof createCurves>;

export function createCurves({ from, to }: Span, width: number) {
  const curves = new Map<string, Array<CurveColumn | undefined>>();
  const keyOf = (channel: number, type: number) => `${channel} ${type}`;
  return {
    add({ channel, type, value, measuredAt }: Omit<Reading, 'error'>): void {
      const at = measuredAt.getTime();
      if (value === null || at < from || at >= to) return;
      const curve = curves.get(keyOf(channel, type)) ?? new Array<CurveColumn | undefined>(width);
      curves.set(keyOf(channel, type), curve);
      const column = Math.floor(((at - from) / (to - from)) * width);
      const { min, max } = curve[column] ?? { min: value, max: value };
      curve[column] = { column, min: Math.min(min, value), max: Math.max(max, value) };
    },
    /** Columns without readings are left out. */
    columnsOf: (channel: number, type: number): CurveColumn[] =>
      (curves.get(keyOf(channel, type)) ?? []).filter((each) => each !== undefined),
  };
}
