/** When the offset of a time zone from UTC changes next. */
import { deviceTimezoneMinutes } from '../profiles/compile-schedule.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Governments announce changes at short notice: nothing that is known about a zone is relied on for longer. */
const DAYS_AHEAD_MAX = 30;

/** The first minute of another offset; where there is none within 30 days, the end of these. */
export function nextOffsetCheckAt(zone: string, at: Date): Date {
  const offset = deviceTimezoneMinutes(zone, at);
  const atMinute = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  const isOther = (timeMs: number) => deviceTimezoneMinutes(zone, new Date(timeMs)) !== offset;
  for (let day = 1; day <= DAYS_AHEAD_MAX; day++) {
    const endMs = atMinute + day * DAY_MS;
    if (isOther(endMs)) return new Date(firstMinute(endMs - DAY_MS, endMs, isOther));
  }
  return new Date(atMinute + DAYS_AHEAD_MAX * DAY_MS);
}

/** The first minute after `fromMs` that fulfils the condition, as `toMs` does. */
function firstMinute(fromMs: number, toMs: number, fulfils: (timeMs: number) => boolean): number {
  let [before, after] = [fromMs / MINUTE_MS, toMs / MINUTE_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (fulfils(middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return after * MINUTE_MS;
}
