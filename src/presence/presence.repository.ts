import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Outage } from './ingress-availability.ts';
import { FLEET_OVERDUE_MIN, type OverdueFleet } from './overdue-fleet.ts';
import type { DeviceKey } from './presence-columns.ts';

/** A device whose expected contact was missed. */
export interface OverdueDevice extends DeviceKey {
  serialNumber: string;
  expectedBy: Date;
}

export interface OverdueQuery {
  now: Date;
  /** When an ingress was down, without overlap. */
  outages: Outage[];
  limit: number;
}

/** Bindings: now, the beginnings and the ends of outages, now. */
const IS_OVERDUE = `s.status = 'online' and s.expected_by < ?::timestamptz
  and s.expected_by + (
    select coalesce(sum(ended_at - greatest(started_at, s.last_contact_at)), '0')
    from unnest(?::timestamptz[], ?::timestamptz[]) as outages (started_at, ended_at)
    where ended_at > s.last_contact_at
  ) < ?::timestamptz`;

const overdueBindings = ({ now, outages }: Omit<OverdueQuery, 'limit'>): unknown[] => [
  now.toISOString(),
  outages.map(({ startedAt }) => startedAt.toISOString()),
  outages.map(({ endedAt }) => endedAt.toISOString()),
  now.toISOString(),
];

export type PresenceRepository = ReturnType<typeof createPresenceRepository>;

export function createPresenceRepository(sql: Sql) {
  return {
    /**
     * Marks devices offline whose deadline has passed, and locks their states. Deadlines are paused while an ingress is
     * down, for exactly that long. Of all organizations at once: the sweep reads the states of all devices.
     */
    markOverdueOffline({ limit, ...overdue }: OverdueQuery): Promise<OverdueDevice[]> {
      return query(
        sql,
        `with overdue as (
           select s.organization_id, s.asset_id, a.serial_number
           from device_states s
           cross join lateral (
             select serial_number from assets
             where organization_id = s.organization_id and id = s.asset_id and archived_at is null
             limit 1
           ) as a
           where ${IS_OVERDUE}
           order by s.organization_id, s.asset_id limit ? for no key update of s skip locked
         )
         update device_states s set status = 'offline' from overdue o
         where s.organization_id = o.organization_id and s.asset_id = o.asset_id
         returning s.organization_id as "organizationId", s.asset_id as "assetId",
           o.serial_number as "serialNumber", s.expected_by as "expectedBy"`,
        [...overdueBindings(overdue), limit],
      );
    },

    /** Organizations with more overdue devices than any may have at once: the sweep looks at all of them. */
    countOverdue(overdue: Omit<OverdueQuery, 'limit'>): Promise<OverdueFleet[]> {
      return query(
        sql,
        `select late.organization_id as "organizationId", late.overdue, late.since, fleet.total
         from (
           select s.organization_id, count(*) as overdue, min(s.expected_by) as since from device_states s
           where ${IS_OVERDUE} group by s.organization_id having count(*) > ?
         ) as late
         cross join lateral (
           select count(*) as total from device_configs where organization_id = late.organization_id and is_active
         ) as fleet`,
        [...overdueBindings(overdue), FLEET_OVERDUE_MIN],
      );
    },
  };
}
