/** Devices whose alerts keep to the local time of a zone: the zone of the job that set their calendars last. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

/** A job sets calendars when it has alerts or a schedule; without a zone they are always on. */
const SETS_CALENDARS = `(j.profile_snapshot -> 'alerts' <> 'null' or j.profile_snapshot -> 'schedule' <> 'null')`;
/** What a device runs or is still offered; what it had refused may have been confirmed since. */
const COUNTS = `(t.state in ('applied', 'waiting', 'sent', 'timed_out') or t.confirmed_at is not null)`;
const ZONE = `j.profile_snapshot -> 'schedule' ->> 'timezone'`;
const LAST_ZONE = `
  select ${ZONE} as zone from config_targets t join config_jobs j on j.id = t.job_id
  where t.asset_id = d.asset_id and ${COUNTS} and ${SETS_CALENDARS} order by t.job_id desc limit 1`;

export interface ZoneOffset {
  zone: string;
  minutes: number;
}

export type ScheduledDevicesRepository = ReturnType<typeof createScheduledDevicesRepository>;

export function createScheduledDevicesRepository(sql: Sql) {
  return {
    async listZones(): Promise<string[]> {
      const rows = await query<{ zone: string }>(
        sql,
        `select distinct ${ZONE} as zone from config_jobs j where ${ZONE} is not null order by 1`,
      );
      return rows.map(({ zone }) => zone);
    },

    /** Devices whose calendars are at another distance from UTC than their zone, by asset id. */
    listWithStaleOffset(
      offsets: ZoneOffset[],
      page: { after: string | null; limit: number },
    ): Promise<Array<{ organizationId: string; assetId: string }>> {
      return query(
        sql,
        `with calendars as materialized (
           select id, (jsonb_path_query_first(content::jsonb, '$.calendars[*] \\? (@.type == "WEEK").timezone'))::integer as minutes
           from configurations
         )
         select d.organization_id as "organizationId", d.asset_id as "assetId"
         from device_configs d
         -- A refused change is offered to nobody: what the device runs is what counts.
         left join calendars p on p.id = d.pending_config_id and d.failure_reason is null
         left join calendars c on c.id = d.confirmed_config_id
         cross join lateral (select 1 where coalesce(p.minutes, c.minutes) is not null) as scheduled
         cross join lateral (${LAST_ZONE}) as last
         join unnest(?::text[], ?::integer[]) as o (zone, minutes) on o.zone = last.zone
         where d.is_active and coalesce(p.minutes, c.minutes) <> o.minutes and (?::uuid is null or d.asset_id > ?)
         order by d.asset_id limit ?`,
        [
          offsets.map(({ zone }) => zone),
          offsets.map(({ minutes }) => minutes),
          page.after,
          page.after,
          page.limit,
        ],
      );
    },

    async zonesOf(assetIds: string[]): Promise<Map<string, string>> {
      const rows = await query<{ assetId: string; zone: string | null }>(
        sql,
        `select d.asset_id as "assetId", last.zone from unnest(?::uuid[]) as d (asset_id)
         cross join lateral (${LAST_ZONE}) as last`,
        [assetIds],
      );
      return new Map(rows.flatMap(({ assetId, zone }) => (zone === null ? [] : [[assetId, zone] as const])));
    },
  };
}
