/** Devices whose alert windows keep to the local time of a zone: that of the job that set their calendars last. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';

/** A job sets calendars when it has alerts or a schedule; without a zone they are always on. */
const SETS_CALENDARS = `(j.profile_snapshot -> 'alerts' <> 'null' or j.profile_snapshot -> 'schedule' <> 'null')`;
/** The device runs the change or is offered it; one that it had refused may have been confirmed since. */
const MAY_RUN = `(t.state in ('applied', 'waiting', 'sent', 'timed_out') or t.confirmed_at is not null)`;
const ZONE = `j.profile_snapshot -> 'schedule' ->> 'timezone'`;
const LAST_ZONE = `
  select ${ZONE} as zone
  from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
  where t.organization_id = d.organization_id and t.asset_id = d.asset_id and ${MAY_RUN} and ${SETS_CALENDARS}
  order by t.job_id desc limit 1`;
/** Of the calendars that the device should run, as `wantedCalendars` in daylight-saving.service.ts takes them. */
const WANTED_MINUTES = 'coalesce(pending.minutes, confirmed.minutes)';

export interface ZoneOffset {
  zone: string;
  minutes: number;
}

export type ScheduledDevicesRepository = ReturnType<typeof createScheduledDevicesRepository>;

export function createScheduledDevicesRepository(sql: Sql) {
  return {
    /** Of all organizations: a sweep of the worker. */
    async listZones(): Promise<string[]> {
      const rows = await query<{ zone: string }>(
        sql,
        `select distinct ${ZONE} as zone from config_jobs j where ${ZONE} is not null order by 1`,
      );
      return rows.map(({ zone }) => zone);
    },

    /** Devices whose calendars are at another offset from UTC than their zone, of all organizations: a sweep of the worker. */
    listWithStaleOffset(
      offsets: ZoneOffset[],
      page: { after: AssetRef | null; limit: number },
    ): Promise<AssetRef[]> {
      return query(
        sql,
        `with calendars as materialized (
           select organization_id, id, (
             jsonb_path_query_first(content::jsonb, '$.calendars[*] \\? (@.type == "WEEK").timezone')
           )::integer as minutes
           from configurations
         )
         select d.organization_id as "organizationId", d.asset_id as "assetId"
         from device_configs d
         -- Refused calendars are not offered: what the device confirmed is what counts.
         left join calendars pending on pending.organization_id = d.organization_id
           and pending.id = d.pending_config_id
           and (d.failure_reason is null or 'calendars' <> all(d.refused_keys))
         left join calendars confirmed on confirmed.organization_id = d.organization_id
           and confirmed.id = d.confirmed_config_id
         cross join lateral (select 1 where ${WANTED_MINUTES} is not null) as scheduled
         cross join lateral (${LAST_ZONE}) as last
         join unnest(?::text[], ?::integer[]) as o (zone, minutes) on o.zone = last.zone
         where d.is_active and ${WANTED_MINUTES} <> o.minutes
           and (?::uuid is null or (d.organization_id, d.asset_id) > (?::uuid, ?::uuid))
         order by d.organization_id, d.asset_id limit ?`,
        [
          offsets.map(({ zone }) => zone),
          offsets.map(({ minutes }) => minutes),
          page.after?.organizationId ?? null,
          page.after?.organizationId ?? null,
          page.after?.assetId ?? null,
          page.limit,
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
