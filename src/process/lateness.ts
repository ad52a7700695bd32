/** How long something has been late, in classes that a list can be filtered by. */
import { DAY_MS, HOUR_MS } from './durations.ts';

const LATENESS = ['on time', 'up to an hour', 'over an hour', 'over a day'] as const;
export type Lateness = (typeof LATENESS)[number];

/** `since` is ISO 8601; null: nothing is late. */
export function toLateness(since: string | null, nowMs: number): Lateness {
  const lateMs = since === null ? 0 : nowMs - Date.parse(since);
  if (lateMs <= 0) return 'on time';
  if (lateMs <= HOUR_MS) return 'up to an hour';
  return lateMs <= DAY_MS ? 'over an hour' : 'over a day';
}
