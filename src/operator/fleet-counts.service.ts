/**
 * Counts of a fleet, or of the members of a group, for its page: those of many devices, which take a while, are shown
 * again for some seconds.
 */
import type { FleetCount } from '../fleet/fleet.repository.ts';
import { type FleetView, fleetPageView } from '../fleet/fleet.ts';
import { HOUR_MS } from '../process/durations.ts';
import { sum } from './counts.ts';
import { roundedDown } from './page-fingerprint.ts';
import { createShown } from './shown-reads.ts';

interface FleetCountsDeps {
  count(organizationId: string): Promise<FleetCount[]>;
  countMembers(organizationId: string, groupId: string): Promise<FleetCount[]>;
  /** Devices in contact since then: finding few of them takes as long as counting the fleet. */
  countInContact(organizationId: string, since: Date): Promise<number>;
  now(): Date;
}

export type CountFleet = (organizationId: string, groupId?: string) => Promise<FleetView>;
/** Devices by status, and those in contact within the last hour. */
export type CountContacts = (
  organizationId: string,
) => Promise<Pick<FleetView, 'status'> & { inContact: number }>;

export function createFleetCounts({ count, countMembers, countInContact, now }: FleetCountsDeps): {
  countFleet: CountFleet;
  countContacts: CountContacts;
} {
  const fleets = createShown(now, async (key) => {
    const [organizationId, groupId]: [string, string?] = JSON.parse(key);
    const counts = fleetPageView(
      await (groupId ? countMembers(organizationId, groupId) : count(organizationId)),
    );
    return { counts, devices: sum(counts.status) };
  });
  const countFleet: CountFleet = async (organizationId, groupId) =>
    (await fleets(JSON.stringify(groupId ? [organizationId, groupId] : [organizationId]))).counts;
  const contacts = createShown(now, async (organizationId) => {
    const since = new Date(roundedDown(now()).getTime() - HOUR_MS);
    const [inContact, { status }] = await Promise.all([
      countInContact(organizationId, since),
      countFleet(organizationId),
    ]);
    return { counts: { status, inContact }, devices: sum(status) };
  });
  return { countFleet, countContacts: async (organizationId) => (await contacts(organizationId)).counts };
}
