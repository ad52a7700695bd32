/** Ticks of the axes of a chart: round values, and round times of a zone. */

import type { Span } from '../devices/settings.ts';
import { DAY_MINUTES, MINUTE_MS } from '../process/durations.ts';
import { utcOffsetMinutes } from '../profiles/time-zone.ts';

export interface Tick {
  at: number;
  label: string;
}

const ROUND = [1, 2, 5, 10];

/** Round values from `low` to `high`, at most `ticksMax` and one. */
export function valueTicks(low: number, high: number, ticksMax: number): Tick[] {
  if (!(high > low)) return [{ at: low, label: String(low) }];
  const rough = (high - low) / ticksMax;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (ROUND.find((each) => each * power >= rough) ?? 10) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, index) => {
    const at = (first + index) * step;
    return { at, label: (at + 0).toFixed(digits) };
  });
}

const STEP_DAYS = [1, 2, 7, 14, 28, 56, 112];
/** In minutes. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, ...STEP_DAYS.map((days) => days * DAY_MINUTES)];

/** Times of the span that are round on the clocks of the zone, at most `ticksMax` and one. */
export function timeTicks({ from, to }: Span, timezone: string, ticksMax: number): Tick[] {
  const minutes = (to - from) / MINUTE_MS;
  const step = STEPS.find((each) => minutes / each <= ticksMax) ?? Math.ceil(minutes / ticksMax);
  const stepMs = step * MINUTE_MS;
  const offsetMs = (at: number) => utcOffsetMinutes(timezone, new Date(at)) * MINUTE_MS;
  const toUtc = (local: number) => local - offsetMs(local - offsetMs(local));
  const first = Math.floor((from + offsetMs(from)) / stepMs);
  const times = Array.from({ length: ticksMax + 3 }, (_, index) => toUtc((first + index) * stepMs));
  // A clock that is put back shows a time twice, and one that is put forward leaves it out.
  return [...new Set(times)]
    .filter((at) => at >= from && at <= to)
    .map((at) => ({ at, label: labelOf(at + offsetMs(at), step) }));
}

function labelOf(localMs: number, step: number): string {
  const [date = '', hour, minute] = new Date(localMs).toISOString().split(/[T:]/);
  return step < DAY_MINUTES ? `${date} ${hour}:${minute}` : date;
}
