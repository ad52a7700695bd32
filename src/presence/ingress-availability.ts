/**
 * When devices could not reach the service. Deadlines of devices are paused meanwhile, for exactly that long, so that no
 * outage of ours marks a device offline.
 */

/** The kinds of processes that receive from devices. */
export type Ingress = 'api' | 'gateway';

/** A heartbeat that is older means an outage; a restart is none. */
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
  /** On the clock of the database, like the other times. */
  now: Date;
  heartbeats: IngressHeartbeat[];
  /** Those that have ended. */
  outages: Outage[];
}

export interface Excuses {
  /** Also those that have not ended, without overlap. */
  outages: Outage[];
  /** One has not ended, and may cease to be excused. */
  isOngoing: boolean;
}

export interface OutageTracker {
  excuses(record: AvailabilityRecord): Excuses;
}

/** Counts `EXCUSED_MAX_MS` from when the tracker found the ingress down: its own process may have been down as well. */
export function createOutageTracker(): OutageTracker {
  const foundDownAt = new Map<string, number>();
  return {
    excuses({ now, heartbeats, outages }) {
      const down = heartbeats.filter(({ beatAt }) => now.getTime() - beatAt.getTime() > OUTAGE_MIN_MS);
      for (const ingress of foundDownAt.keys()) {
        if (!down.some((each) => each.ingress === ingress)) foundDownAt.delete(ingress);
      }
      const ongoing = down.flatMap(({ ingress, beatAt }) => {
        const foundAt = foundDownAt.get(ingress) ?? now.getTime();
        foundDownAt.set(ingress, foundAt);
        return now.getTime() - foundAt > EXCUSED_MAX_MS ? [] : [{ startedAt: beatAt, endedAt: now }];
      });
      return { outages: mergeIntervals([...outages, ...ongoing]), isOngoing: ongoing.length > 0 };
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
