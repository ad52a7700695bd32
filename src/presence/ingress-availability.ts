/**
 * Times at which devices could not reach the service. Deadlines of devices are paused for exactly that long,
 * so that an outage of the service marks no device offline.
 */

/** The kinds of processes that receive messages of devices. */
export type Ingress = 'api' | 'gateway';

/** An older heartbeat means an outage; a restart is faster than this. */
export const OUTAGE_MIN_MS = 60_000;

/** Outages beyond this no longer pause deadlines: the goods are unmonitored. */
const EXCUSED_MAX_MS = 3_600_000;

export interface IngressHeartbeat {
  ingress: string;
  beatAt: Date;
}

export interface Outage {
  startedAt: Date;
  endedAt: Date;
}

export interface AvailabilityRecord {
  /** By the clock of the database, like the other times. */
  now: Date;
  heartbeats: IngressHeartbeat[];
  /** Outages that have ended. */
  outages: Outage[];
}

export interface Excuses {
  /** Includes ongoing outages; without overlap. */
  outages: Outage[];
  /** Whether an outage is ongoing, which may later exceed the limit of excused time. */
  isOngoing: boolean;
}

/**
 * Counts `EXCUSED_MAX_MS` from when the tracker found the ingress down, because its own process may have been
 * down as well.
 */
export function createOutageTracker() {
  const foundDownAt = new Map<string, number>();
  return {
    /**
     * Deadlines are compared with `at`, by the clock that this process knows. An outage that ends later was recorded while the
     * clock of the database was ahead, and excuses nobody once that is right again.
     */
    excuses({ now, heartbeats, outages }: AvailabilityRecord, at: Date): Excuses {
      const recorded = outages.filter(({ endedAt }) => endedAt.getTime() - at.getTime() <= OUTAGE_MIN_MS);
      const down = heartbeats.filter(({ beatAt }) => now.getTime() - beatAt.getTime() > OUTAGE_MIN_MS);
      for (const ingress of foundDownAt.keys()) {
        if (!down.some((each) => each.ingress === ingress)) foundDownAt.delete(ingress);
      }
      const ongoing = down.flatMap(({ ingress, beatAt }) => {
        const foundAt = foundDownAt.get(ingress) ?? now.getTime();
        foundDownAt.set(ingress, foundAt);
        return now.getTime() - foundAt > EXCUSED_MAX_MS ? [] : [{ startedAt: beatAt, endedAt: now }];
      });
      return { outages: mergeIntervals([...recorded, ...ongoing]), isOngoing: ongoing.length > 0 };
    },
  };
}

function mergeIntervals(outages: Outage[]): Outage[] {
  const merged: Outage[] = [];
  for (const outage of outages.toSorted((a, b) => a.startedAt.getTime() - b.startedAt.getTime())) {
    const last = merged.at(-1);
    if (!last || outage.startedAt > last.endedAt) merged.push({ ...outage });
    else if (outage.endedAt > last.endedAt) last.endedAt = outage.endedAt;
  }
  return merged;
}
