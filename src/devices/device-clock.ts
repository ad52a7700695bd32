/** Plausibility of device times: a logger that has lost its clock starts in 1970 or at any other time. */
import { DAY_MS } from '../process/durations.ts';

const EARLIEST_MS = Date.UTC(2015, 0, 1);
const AHEAD_MAX_MS = 5 * 60_000;

/** From 2015 to a day after its arrival. */
export function isPlausibleTime(at: Date, receivedAt: Date): boolean {
  const atMs = at.getTime();
  return atMs >= EARLIEST_MS && atMs <= receivedAt.getTime() + DAY_MS;
}

/** The device's own time if it is plausible, else the time of arrival. */
export const plausibleTimeOr = (receivedAt: Date, at: Date | undefined): Date =>
  at !== undefined && isPlausibleTime(at, receivedAt) ? at : receivedAt;

/** Whether the clock of this time is fast by more than five minutes. */
export const isAheadOfTime = (at: Date, receivedAt: Date): boolean =>
  at.getTime() > receivedAt.getTime() + AHEAD_MAX_MS;
