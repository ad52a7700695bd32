/** Durations in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const DAY_MINUTES = 1_440;

export const plusMinutes = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * MINUTE_MS);

/** A timer that is to wait for longer fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1;

/** Clients that compute a time by their own clock, as "30 days from now", may be ahead of this one. */
export const CLIENT_AHEAD_MS = MINUTE_MS;

/** Whether `at` lies after `from`, and by no more than `maxMs`. */
export function isSoonAfter(at: Date, from: Date, maxMs: number): boolean {
  const aheadMs = at.getTime() - from.getTime();
  return aheadMs > 0 && aheadMs <= maxMs + CLIENT_AHEAD_MS;
}

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

const UNITS: ReadonlyArray<readonly [string, number]> = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** `HH:MM`, of minutes after midnight or of a distance from UTC. */
export const clockText = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Minutes from midnight to `HH:MM`. */
export function minutesAfterMidnight(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** "1 d 2 h 3 min", rounded to the second. */
export function durationText(seconds: number): string {
  let left = Math.round(seconds);
  const parts = UNITS.flatMap(([unit, size]) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    return whole > 0 ? [`${whole} ${unit}`] : [];
  });
  return parts.join(' ') || '0 s';
}
