/**
 * Counts of a fleet, or of the members of a group, for its page: those of many devices, which take a while, are shown
 * again for some seconds.
 */
import type { FleetCount } from '../fleet/fleet.repository.ts';
import { type FleetView, fleetPageView } from '../fleet/fleet.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { createSharedReads } from '../process/shared-reads.ts';
import { sum } from './counts.ts';

const LARGE_DEVICES = 20_000;
const SHOWN_MS = 10_000;
const FLEETS_MAX = 1_000;

interface FleetCountsDeps {
  count(organizationId: string): Promise<FleetCount[]>;
  countMembers(organizationId: string, groupId: string): Promise<FleetCount[]>;
  now(): Date;
}

export type CountFleet = (organizationId: string, groupId?: string) => Promise<FleetView>;

export function createFleetCounts({ count, countMembers, now }: FleetCountsDeps): CountFleet {
  const counted = createBoundedCache<string, { atMs: number; counts: FleetView }>(FLEETS_MAX);
  const read = createSharedReads(async (key) => {
    const [organizationId, groupId]: [string, string?] = JSON.parse(key);
    return fleetPageView(await (groupId ? countMembers(organizationId, groupId) : count(organizationId)));
  });
  return async (organizationId, groupId) => {
    const key = JSON.stringify(groupId ? [organizationId, groupId] : [organizationId]);
    const atMs = now().getTime();
    const last = counted.get(key);
    if (last && Math.abs(atMs - last.atMs) < SHOWN_MS) return last.counts;
    const counts = await read(key);
    if (sum(counts.status) >= LARGE_DEVICES) counted.set(key, { atMs, counts });
    return counts;
  };
}
