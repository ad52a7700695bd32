import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';
import type { Excuses, Outage } from './ingress-availability.ts';
import { FLEET_OVERDUE_MIN, type OverdueFleet } from './overdue-fleet.ts';
import type { DeviceKey } from './presence-columns.ts';

/** A device whose expected contact was missed. */
export interface OverdueDevice extends DeviceKey {
  serialNumber: string;
  expectedBy: Date;
}

export interface OverdueQuery extends Excuses {
  now: Date;
  limit: number;
}

/**
 * The time by which the deadline of `device_states s` is extended: that of the outages since its last contact. Bindings:
 * when they started and ended.
 */
const EXTENSION = `(
    select coalesce(sum(ended_at - greatest(started_at, s.last_contact_at)), '0')
    from unnest(?::timestamptz[], ?::timestamptz[]) as outages (started_at, ended_at)
    where ended_at > s.last_contact_at
  )`;
const toBindings = (outages: Outage[]) => [
  outages.map(({ startedAt }) => startedAt.toISOString()),
  outages.map(({ endedAt }) => endedAt.toISOString()),
];

/** Bindings: now, the beginnings and the ends of outages, now. */
const IS_OVERDUE = `s.status = 'online' and s.overdue_check_at < ?::timestamptz
  and s.expected_by + ${EXTENSION} < ?::timestamptz`;

const overdueBindings = ({ now, outages }: Pick<OverdueQuery, 'now' | 'outages'>): unknown[] => [
  now.toISOString(),
  ...toBindings(outages),
  now.toISOString(),
];

export type PresenceRepository = ReturnType<typeof createPresenceRepository>;

export function createPresenceRepository(sql: Sql) {
  return {
    /**
     * Moves the next look at devices that are due for one and not overdue: to their deadlines, or to infinity without
     * one. Of all organizations at once: a sweep. Returns how many.
     */
    async postponeChecks({ now, outages, isOngoing, limit }: OverdueQuery): Promise<number> {
      const dueForLook = {
        text: `select distinct organization_id as "organizationId" from device_states
          where status = 'online' and overdue_check_at < ?::timestamptz`,
        bindings: [now.toISOString()],
      };
      const rows = await eachOrganization(sql, dueForLook, (organizationId) => {
        const own = organizationId === null ? '' : 's.organization_id = ? and';
        return query(
          sql,
          `with due as materialized (
           select s.organization_id, s.asset_id, case
             when deadline is null then 'infinity'
             -- An outage that goes on for long is no longer excused, and the deadline is the old one again.
             when ? and deadline > s.expected_by then least(deadline, ?::timestamptz + interval '5 minutes')
             else deadline end as check_at
           from device_states s cross join lateral (select s.expected_by + ${EXTENSION} as deadline) as extended
           where ${own} s.status = 'online' and s.overdue_check_at < ?::timestamptz
             and coalesce(deadline, 'infinity') >= ?::timestamptz
           order by s.overdue_check_at limit ? for no key update of s skip locked
         )
         update device_states s set overdue_check_at = due.check_at
         from due
         where ${own} s.organization_id = due.organization_id and s.asset_id = due.asset_id
         returning 1`,
          [
            isOngoing,
            now.toISOString(),
            ...toBindings(outages),
            ...oneOrNone(organizationId),
            now.toISOString(),
            now.toISOString(),
            limit,
            ...oneOrNone(organizationId),
          ],
        );
      });
      return rows.length;
    },

    /**
     * Marks devices offline whose deadline has passed, and locks their states. Deadlines are paused while an ingress is
     * down, for exactly that long. Of all organizations at once: a sweep.
     */
    markOverdueOffline({ limit, ...overdue }: OverdueQuery): Promise<OverdueDevice[]> {
      const late = {
        text: `select distinct organization_id as "organizationId" from device_states s where ${IS_OVERDUE}`,
        bindings: overdueBindings(overdue),
      };
      return eachOrganization(sql, late, (organizationId) => {
        const own = organizationId === null ? '' : 's.organization_id = ? and';
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
           where ${own} ${IS_OVERDUE}
           -- Rows that are locked are skipped, so their order matters to nobody.
           order by s.overdue_check_at limit ? for no key update of s skip locked
         )
         update device_states s set status = 'offline' from overdue o
         where ${own} s.organization_id = o.organization_id and s.asset_id = o.asset_id
         returning s.organization_id as "organizationId", s.asset_id as "assetId",
           o.serial_number as "serialNumber", s.expected_by as "expectedBy"`,
          [...oneOrNone(organizationId), ...overdueBindings(overdue), limit, ...oneOrNone(organizationId)],
        );
      });
    },

    /** Until then the device is not looked at, unless it is in contact. */
    async postponeCheck({ organizationId, assetId }: DeviceKey, until: Date): Promise<void> {
      await query(
        sql,
        'update device_states set overdue_check_at = ? where organization_id = ? and asset_id = ?',
        [until.toISOString(), organizationId, assetId],
      );
    },

    /** Organizations with more overdue devices than any may have at once, and their active assets: a sweep. */
    countOverdue(overdue: Omit<OverdueQuery, 'limit'>): Promise<OverdueFleet[]> {
      const bindings = [...overdueBindings(overdue), FLEET_OVERDUE_MIN];
      const late = {
        text: `select s.organization_id as "organizationId" from device_states s
          where ${IS_OVERDUE} group by s.organization_id having count(*) > ?`,
        bindings,
      };
      return eachOrganization(sql, late, (organizationId) => {
        const own = organizationId === null ? '' : 's.organization_id = ? and';
        return query(
          sql,
          `select late.organization_id as "organizationId", late.overdue, late.since, fleet.total
         from (
           select s.organization_id, count(*) as overdue, min(s.expected_by) as since from device_states s
           where ${own} ${IS_OVERDUE} group by s.organization_id having count(*) > ?
         ) as late
         cross join lateral (
           select count(*) as total from assets
           where organization_id = late.organization_id and archived_at is null
         ) as fleet`,
          [...oneOrNone(organizationId), ...bindings],
        );
      });
    },
  };
}
