/** Durations in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How long something has been late, in classes by which a list can be filtered. */
const LATENESS = ['on time', 'up to an hour', 'over an hour', 'over a day'] as const;
export type Lateness = (typeof LATENESS)[number];

/** `since` is ISO 8601; null: nothing is late. */
export function toLateness(since: string | null, nowMs: number): Lateness {
  const lateMs = since === null ? 0 : nowMs - Date.parse(since);
  if (lateMs <= 0) return 'on time';
  if (lateMs <= HOUR_MS) return 'up to an hour';
  return lateMs <= DAY_MS ? 'over an hour' : 'over a day';
}
