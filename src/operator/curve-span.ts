/** The span of a curve, as it stands in the address: a named one until now, or any between two times. */

import { RESOLUTIONS, type Resolution } from '../measurements/buckets.ts';
import { DAY_MS, HOUR_MS } from '../process/durations.ts';
import { timeOf } from '../process/iso-time.ts';

export const NAMED_SPANS = {
  day: { label: 'Day', spanMs: DAY_MS },
  week: { label: 'Week', spanMs: 7 * DAY_MS },
  month: { label: '30 days', spanMs: 30 * DAY_MS },
  year: { label: 'Year', spanMs: 365 * DAY_MS },
} as const;
export type SpanName = keyof typeof NAMED_SPANS;

export interface CurveSpan {
  /** Null: between two times. */
  name: SpanName | null;
  from: Date;
  to: Date;
  /** Says why the two times of the address are not shown. */
  fault: string | null;
}

/** As statistics allow. */
export const CURVE_DAYS_MAX = 400;
const DEFAULT_SPAN = 'day';

export function readSpan(query: URLSearchParams, now: Date): CurveSpan {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''].map((text) => text.trim());
  if (from === '' && to === '') return untilNow(query.get('span'), now, null);
  const times = { from: toTime(from ?? ''), to: toTime(to ?? '') };
  const fault = faultOf(times);
  return fault === null
    ? ({ name: null, ...times, fault } as CurveSpan)
    : untilNow(query.get('span'), now, fault);
}

function untilNow(asked: string | null, now: Date, fault: string | null): CurveSpan {
  const name = isSpanName(asked) ? asked : DEFAULT_SPAN;
  return { name, from: new Date(now.getTime() - NAMED_SPANS[name].spanMs), to: now, fault };
}

const isSpanName = (name: string | null): name is SpanName =>
  name !== null && Object.hasOwn(NAMED_SPANS, name);

/** A form sends UTC without a zone. */
const toTime = (text: string): Date | null => timeOf(text) ?? timeOf(`${text}Z`);

function faultOf({ from, to }: { from: Date | null; to: Date | null }): string | null {
  if (!from || !to) return 'Give both a beginning and an end.';
  if (from >= to) return 'The end must be after the beginning.';
  return to.getTime() - from.getTime() > CURVE_DAYS_MAX * DAY_MS
    ? `At most ${CURVE_DAYS_MAX} days fit.`
    : null;
}

/** The part of the address that names the span. */
export const spanQuery = (span: CurveSpan): Record<string, string> =>
  span.name === null ? isoSpan(span) : { span: span.name };

export const isoSpan = ({ from, to }: Pick<CurveSpan, 'from' | 'to'>) => ({
  from: from.toISOString(),
  to: to.toISOString(),
});

/** Enough points for the width of a screen, and few enough to read at once. */
const POINTS_MAX = 750;
/** Single readings are drawn below this, even if they are ten seconds apart. */
const READINGS_SPAN_MS = 3 * HOUR_MS;

/** Null: single readings. */
export function resolutionFor({ from, to }: Pick<CurveSpan, 'from' | 'to'>): Resolution | null {
  const spanMs = to.getTime() - from.getTime();
  if (spanMs <= READINGS_SPAN_MS) return null;
  return (
    (Object.keys(RESOLUTIONS) as Resolution[]).find((each) => spanMs / RESOLUTIONS[each] <= POINTS_MAX) ??
    '1d'
  );
}
