/** Finds the next change of a time zone's offset from UTC. */
import { DAY_MS, MINUTE_MS } from '../process/durations.ts';
import { deviceTimezoneMinutes } from '../profiles/compile-schedule.ts';

/** Governments announce changes at short notice, so facts about a zone expire after this time. */
const DAYS_AHEAD_MAX = 30;

/** The first minute with another offset; without one within 30 days, the end of that time. */
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

/** The first minute after `fromMs` that meets the condition; `toMs` is known to meet it. */
function firstMinute(fromMs: number, toMs: number, fulfils: (timeMs: number) => boolean): number {
  let [before, after] = [fromMs / MINUTE_MS, toMs / MINUTE_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (fulfils(middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return after * MINUTE_MS;
}
