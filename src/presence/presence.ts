/**
 * Whether a device is online, and the deadline of its next contact. Every contact is decided here; the sweep
 * finds devices whose deadline has passed, see presence.repository.ts.
 */

/** A new device has not been in contact yet. */
export const DEVICE_STATUSES = ['new', 'online', 'offline'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

export interface Presence {
  status: DeviceStatus;
  lastContactAt: Date | null;
  /** Deadline of the next contact; null: none. */
  expectedBy: Date | null;
}

interface FrameContact {
  at: Date;
  /** When the device will send next, by its own announcement. */
  nextTransmissionAt: Date | null;
  /** Transmission interval of the configuration that the device runs; null if unknown. */
  intervalSeconds: number | null;
}

/** A report of the configuration, or a request for one. */
export interface ReportContact {
  at: Date;
  intervalSeconds: number | null;
  /** Whether the interval differs from the one before this contact. */
  hasNewInterval: boolean;
}

export const cameOnline = (before: Presence, after: Presence): boolean =>
  before.status === 'offline' && after.status === 'online';

/** Each frame starts a new deadline. */
export function afterFrameContact({ lastContactAt }: Presence, contact: FrameContact): Presence {
  return {
    status: 'online',
    lastContactAt: lastContactAt !== null && lastContactAt > contact.at ? lastContactAt : contact.at,
    expectedBy: nextDeadline(contact.at, contact.intervalSeconds, contact.nextTransmissionAt),
  };
}

/**
 * A report brings a device online. While it is online, reports do not replace its frames: a report only moves
 * the deadline, and only to a later time, when the device has changed its interval. Before its first frame a
 * device has no deadline. Returns the same object when the report changes nothing.
 */
export function afterReportContact(
  before: Presence,
  { at, intervalSeconds, hasNewInterval }: ReportContact,
): Presence {
  const deadline = nextDeadline(at, intervalSeconds);
  switch (before.status) {
    case 'new':
      return { status: 'online', lastContactAt: at, expectedBy: before.expectedBy };
    case 'offline':
      return { status: 'online', lastContactAt: at, expectedBy: deadline };
    case 'online':
      return hasNewInterval && isLater(deadline, before.expectedBy)
        ? { ...before, expectedBy: deadline }
        : before;
  }
}

const isLater = (deadline: Date | null, than: Date | null): boolean =>
  deadline !== null && than !== null && deadline > than;

const GRACE_MIN_MS = 10 * 60_000;
/** Twice the longest interval of a logger, which is a week. */
const AHEAD_MAX_MS = 2 * 604_800_000;

/**
 * One transmission interval, at least ten minutes, after the time at which the device should send next. The
 * announced time counts only if it is plausible; a wrong clock announces one in the past, or weeks ahead.
 * Null when the next time is unknown.
 */
export function nextDeadline(
  at: Date,
  intervalSeconds: number | null,
  nextTransmissionAt: Date | null = null,
): Date | null {
  const intervalMs = intervalSeconds === null ? null : intervalSeconds * 1_000;
  const graceMs = Math.max(intervalMs ?? 0, GRACE_MIN_MS);
  const nextMs =
    plausibleNextMs(nextTransmissionAt, at, graceMs) ??
    (intervalMs === null ? null : at.getTime() + intervalMs);
  return nextMs === null ? null : new Date(nextMs + graceMs);
}

function plausibleNextMs(next: Date | null, at: Date, graceMs: number): number | null {
  if (next === null) return null;
  const aheadMs = next.getTime() - at.getTime();
  return aheadMs > -graceMs && aheadMs <= AHEAD_MAX_MS ? next.getTime() : null;
}
