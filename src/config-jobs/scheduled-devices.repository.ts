/**
 * Devices whose alert windows follow the local time of a zone: the zone of the job that set their calendars
 * last.
 */
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';

/** A job sets calendars when it has alerts or a schedule; without a zone they are always on. */
const SETS_CALENDARS = `(j.profile_snapshot -> 'alerts' <> 'null' or j.profile_snapshot -> 'schedule' <> 'null')`;
/** Whether the device runs the change or is offered it; a refused one may have been confirmed since. */
const MAY_RUN = `(t.state in ('applied', 'waiting', 'sent', 'timed_out') or t.confirmed_at is not null
    or t.state = 'superseded' and t.is_active)
  and 'calendars' <> all(coalesce(t.lost_keys, '{}'))`;
const ZONE = `j.profile_snapshot -> 'schedule' ->> 'timezone'`;
const LAST_ZONE = `
  select ${ZONE} as zone
  from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
  where t.organization_id = d.organization_id and t.asset_id = d.asset_id and ${MAY_RUN} and ${SETS_CALENDARS}
  order by t.job_id desc limit 1`;

/** A device, and when its calendars are compared with their zone next; null: never, they follow none. */
export interface OffsetCheck {
  assetId: string;
  checkAt: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    time_zone_rules: { is_only: boolean; version: string };
  }
}

export type ScheduledDevicesRepository = ReturnType<typeof createScheduledDevicesRepository>;

export function createScheduledDevicesRepository(sql: Database) {
  return {
    /** Devices of all organizations whose calendars are due for a comparison with their zone. */
    listDueForOffsetCheck(at: Date, limit: number): Promise<AssetRef[]> {
      return query(
        sql,
        `select organization_id as "organizationId", asset_id as "assetId" from device_configs
         where utc_offset_check_at <= ?::timestamptz order by utc_offset_check_at limit ?`,
        [at.toISOString(), limit],
      );
    },

    /** Devices of all organizations whose next comparison is after this time. */
    listWithLaterOffsetCheck(at: Date, limit: number): Promise<AssetRef[]> {
      return query(
        sql,
        `select organization_id as "organizationId", asset_id as "assetId" from device_configs
         where utc_offset_check_at > ?::timestamptz order by utc_offset_check_at limit ?`,
        [at.toISOString(), limit],
      );
    },

    /** The release of the time zone database used by the last comparison; null: none yet. */
    async findTimeZoneRules(): Promise<string | null> {
      const [version] = await sql('time_zone_rules').pluck('version');
      return version ?? null;
    },

    async setTimeZoneRules(version: string): Promise<void> {
      await sql('time_zone_rules').insert({ version }).onConflict('is_only').merge(['version']);
    },

    async planOffsetChecks(organizationId: string, checks: OffsetCheck[]): Promise<void> {
      await query(
        sql,
        `update device_configs d set utc_offset_check_at = n.check_at
         from unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) as n (organization_id, asset_id, check_at)
         where d.organization_id = n.organization_id and d.asset_id = n.asset_id`,
        [
          checks.map(() => organizationId),
          checks.map(({ assetId }) => assetId),
          checks.map(({ checkAt }) => checkAt?.toISOString() ?? null),
        ],
      );
    },

    /** Zones by asset id; a device whose calendars have no zone has no entry. */
    async findZones(organizationId: string, assetIds: string[]): Promise<Map<string, string>> {
      const rows = await query<{ assetId: string; zone: string | null }>(
        sql,
        `select d.asset_id as "assetId", last.zone
         from (select ?::uuid as organization_id, unnest(?::uuid[]) as asset_id) as d
         cross join lateral (${LAST_ZONE}) as last`,
        [organizationId, assetIds],
      );
      return new Map(rows.flatMap(({ assetId, zone }) => (zone === null ? [] : [[assetId, zone] as const])));
    },
  };
}
