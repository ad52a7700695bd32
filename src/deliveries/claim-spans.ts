/**
 * Remembers, per endpoint, an id below which all deliveries have been claimed, so that a claim skips them. Claims would
 * otherwise walk over every delivery that was claimed before and is not yet vacuumed, as long as a dump or another old
 * snapshot keeps them. Times come from the ids, which the database made, so no clock of a process matters. A new delivery
 * below that id is found by a poll, at the latest by the next one from the beginning (look-back.ts).
 */
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { firstIdAt, msOfId } from '../process/uuid.ts';

/** A delivery that is committed later after its id was made waits for a poll. */
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
    /** The id from which on each endpoint may have new deliveries. */
    of: (endpoints: readonly EndpointRef[]): string[] =>
      endpoints.map((endpoint) => firstIdAt(new Date(sinceMs.get(endpointKey(endpoint)) ?? 0))),

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
