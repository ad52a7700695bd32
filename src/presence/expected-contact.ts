/** When the silence of a device begins to mean something. */
export interface Contact {
  at: Date;
  /** When the device itself said that it would speak next. */
  nextTransmissionAt: Date | null;
  /** Of the configuration that it runs, in seconds; null where that is not known. */
  transmissionInterval: number | null;
}

const GRACE_MIN_MS = 10 * 60_000;
/** The longest interval of a logger, a week, and as much again. */
const AHEAD_MAX_MS = 2 * 604_800_000;

/**
 * The grace is one transmission interval, at least ten minutes. A word of the device that is over with its grace, or
 * further ahead than any logger sleeps, comes from a wrong clock and does not count. Null: nothing is known, and it is
 * not guessed.
 */
export function expectedBy({ at, nextTransmissionAt, transmissionInterval }: Contact): Date | null {
  const intervalMs = transmissionInterval === null ? null : transmissionInterval * 1000;
  const grace = Math.max(intervalMs ?? 0, GRACE_MIN_MS);
  const from =
    plausibleNext(nextTransmissionAt, at, grace) ?? (intervalMs === null ? null : at.getTime() + intervalMs);
  return from === null ? null : new Date(from + grace);
}

function plausibleNext(next: Date | null, at: Date, grace: number): number | null {
  if (next === null) return null;
  const ahead = next.getTime() - at.getTime();
  return ahead > -grace && ahead <= AHEAD_MAX_MS ? next.getTime() : null;
}
