/**
 * The time from which a poll looks for lost work: shortly before the previous poll; the first poll, and every 60th, looks
 * from the beginning. While a dump or another old snapshot keeps every row as it was, a poll from the beginning walks over
 * all that was ever queued.
 */
const WHOLE_EVERY = 60;
/** Longer than a transaction that queues or claims. */
const OVERLAP_MS = 30_000;
const BEGINNING = new Date(0);

/** Passes the poll its start time. The next poll makes up for one that failed, and for a clock that was set back. */
export function createLookBack(now: () => Date) {
  let polls = 0;
  let lastMs: number | null = null;

  return async function lookBack<Found>(poll: (since: Date) => Promise<Found>): Promise<Found> {
    const startedMs = now().getTime();
    const isWhole = lastMs === null || polls % WHOLE_EVERY === 0;
    const found = await poll(
      isWhole ? BEGINNING : new Date(Math.min(lastMs as number, startedMs) - OVERLAP_MS),
    );
    polls++;
    lastMs = startedMs;
    return found;
  };
}
