/**
 * The order of a device's messages. Neither protocol numbers them, and a device may have no clock, so the order of their
 * arrival counts. A message that waited in a process may be processed after newer ones, which arrived at another process or
 * on another connection.
 */

/** Clocks of processes differ by less, so messages that wait less are taken as they come. */
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
  return now.getTime() - sentAtMs > CLOCKS_MS && lastReceivedAt.getTime() > sentAtMs;
}
