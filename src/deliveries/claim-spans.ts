/**
 * From which delivery on each endpoint has new ones, as far as this process knows. Claims would otherwise walk
 * over every delivery that was claimed before and is not yet vacuumed, as long as a dump or another old snapshot
 * keeps them, and over every partition. Times come from the ids, which the database made, so no clock of a process matters
 * for long: what a span leaves out, the next poll finds.
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { DAY_MS } from '../process/durations.ts';
import { firstIdAt, msOfId } from '../process/uuid.ts';
import type { ClaimSpan } from './claims.repository.ts';

/** A delivery that is committed later after its id was made waits for the next poll. */
const LATE_COMMIT_MS = 2_000;
/** An endpoint that is dropped is claimed from the beginning once. */
const ENDPOINTS_MAX = 50_000;

interface WithId extends EndpointRef {
  id: string;
}

export type ClaimSpans = ReturnType<typeof createClaimSpans>;

export function createClaimSpans() {
  const sinceMs = createBoundedCache<string, number>(ENDPOINTS_MAX);

  return {
    /** The span of ids to claim of each endpoint: leaves out partitions that were created ahead as well. */
    of(endpoints: readonly EndpointRef[], now: Date): ClaimSpan {
      const since = endpoints.map((endpoint) => sinceMs.get(endpointKey(endpoint)) ?? 0);
      return {
        sinceIds: since.map(idAt),
        // One statement makes the ids of an event and of its deliveries.
        eventsSinceId: idAt(Math.max(0, Math.min(...since) - DAY_MS)),
        untilId: idAt(Math.max(now.getTime(), ...since) + DAY_MS),
      };
    },

    /** These were claimed, and all that were committed before them. */
    claimed(deliveries: readonly WithId[]): void {
      for (const delivery of deliveries) {
        const key = endpointKey(delivery);
        sinceMs.set(key, Math.max(sinceMs.get(key) ?? 0, msOfId(delivery.id) - LATE_COMMIT_MS));
      }
    },

    /** These wait again, or were not known. */
    waiting(deliveries: readonly WithId[]): void {
      for (const delivery of deliveries) {
        const key = endpointKey(delivery);
        const since = sinceMs.get(key);
        if (since !== undefined) sinceMs.set(key, Math.min(since, msOfId(delivery.id)));
      }
    },
  };
}

const idAt = (ms: number): string => firstIdAt(new Date(ms));
