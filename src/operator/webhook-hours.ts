/** The attempts of an endpoint, hour by hour. */
import type { AttemptCounts } from '../endpoints/endpoint.ts';
import { HOUR_MS } from '../process/durations.ts';

export interface HourOfAttempts extends AttemptCounts {
  /** Start of the hour. */
  hour: Date;
}

export interface AttemptSummary {
  attempts: number;
  /** Null: there was no attempt. */
  deliveredPercent: number | null;
  averageMs: number | null;
  maxMs: number;
}

export const HOURS_SHOWN = 24;

/** Start of the first shown hour; the current one is the last. */
export const firstHour = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / HOUR_MS) - HOURS_SHOWN + 1) * HOUR_MS);

/** One entry for each shown hour, oldest first. */
export function fillHours(hours: readonly HourOfAttempts[], now: Date): HourOfAttempts[] {
  const first = firstHour(now).getTime();
  return Array.from({ length: HOURS_SHOWN }, (_, index) => {
    const hour = new Date(first + index * HOUR_MS);
    const known = hours.find((each) => each.hour.getTime() === hour.getTime());
    return known ?? { hour, delivered: 0, failed: 0, durationMs: 0, durationMaxMs: 0 };
  });
}

export function summarize(hours: readonly HourOfAttempts[]): AttemptSummary {
  const sum = (value: (hour: HourOfAttempts) => number) =>
    hours.reduce((total, hour) => total + value(hour), 0);
  const delivered = sum((hour) => hour.delivered);
  const attempts = delivered + sum((hour) => hour.failed);
  return {
    attempts,
    deliveredPercent: attempts === 0 ? null : toPercent(delivered, attempts),
    averageMs: attempts === 0 ? null : Math.round(sum(({ durationMs }) => durationMs) / attempts),
    maxMs: hours.reduce((max, { durationMaxMs }) => Math.max(max, durationMaxMs), 0),
  };
}

/** With one digit, and 100 only when nothing failed. */
const toPercent = (part: number, all: number): number =>
  part === all ? 100 : Math.min(99.9, Math.round((part * 1000) / all) / 10);
