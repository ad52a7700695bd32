/**
 * Times of devices and of their messages. A logger that has lost its clock starts in 1970 or at any other time.
 *
 * Neither protocol numbers messages, so the order of their arrival counts. A message that waited in a process may be
 * processed after newer ones, which arrived at another process or on another connection.
 */
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

/**
 * Clocks of processes differ by less, and a device waits longer before it gives up a request. So messages that arrive
 * together, and those that are processed at once, are taken as they come.
 */
const CLOCKS_MS = 1_000;
/** Devices give up a request within this time, so an abandoned request was sent at most so long before it was read. */
const GIVEN_UP_MS = 2 * 60_000;

export interface Arrival {
  receivedAt: Date;
  /** Whether the device has given up waiting for the answer. */
  isAbandoned: boolean;
}

/** Whether another message, which is applied already, was sent later. */
export function isOvertaken(
  { receivedAt, isAbandoned }: Arrival,
  /** Arrival of the last message that was applied; null: none was. */
  lastReceivedAt: Date | null,
  now: Date,
): boolean {
  if (lastReceivedAt === null) return false;
  const sentAtMs = receivedAt.getTime() - (isAbandoned ? GIVEN_UP_MS : 0);
  return [now, lastReceivedAt].every((at) => at.getTime() - sentAtMs > CLOCKS_MS);
}
