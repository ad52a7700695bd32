/**
 * Devices whose alert windows follow the local time of a zone: the zone of the job that set their calendars
 * last.
 */
import { acrossOrganizations, oneOf, unseen } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { grouped } from '../process/grouped.ts';
import { SETS_ALERTS, startOf } from './config-targets.statements.ts';

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

/** The device has run the change, or is offered it; one that it had refused may have been confirmed since. */
const MAY_RUN = `(t.confirmed_at is not null
    or t.is_active and t.state in ('waiting', 'sent', 'timed_out', 'superseded'))
  and 'calendars' <> all(coalesce(t.lost_keys, '{}'))`;
/** Null: always on. */
const ZONE = `j.profile_snapshot -> 'schedule' ->> 'timezone'`;

export type ScheduledDevicesRepository = ReturnType<typeof createScheduledDevicesRepository>;

export function createScheduledDevicesRepository(sql: Database) {
  const listByCheck = (is: '<=' | '>', at: Date, limit: number): Promise<AssetRef[]> =>
    acrossOrganizations(sql('device_configs'))
      .where('utc_offset_check_at', is, at)
      .orderBy('utc_offset_check_at')
      .limit(limit)
      .select({ organizationId: 'organization_id', assetId: 'asset_id' });

  return {
    /**
     * Devices of all organizations whose calendars have to be compared with their zone: a sweep of the
     * worker.
     */
    listDueForOffsetCheck: (at: Date, limit: number): Promise<AssetRef[]> => listByCheck('<=', at, limit),

    /** Devices of all organizations that have to be compared later than this. */
    listWithLaterOffsetCheck: (at: Date, limit: number): Promise<AssetRef[]> => listByCheck('>', at, limit),

    /** The release of the time zone database used by the last comparison; null: none yet. */
    async findTimeZoneRules(): Promise<string | null> {
      const [version] = await sql('time_zone_rules').pluck('version');
      return version ?? null;
    },

    async setTimeZoneRules(version: string): Promise<void> {
      await sql('time_zone_rules').insert({ version }).onConflict('is_only').merge(['version']);
    },

    async planOffsetChecks(organizationId: string, checks: OffsetCheck[]): Promise<void> {
      for (const [time, devices] of grouped(checks, ({ checkAt }) => checkAt?.getTime() ?? null)) {
        const assetIds = devices.map(({ assetId }) => assetId);
        await sql('device_configs')
          .where({ organization_id: organizationId })
          .where(oneOf('asset_id', assetIds))
          .update({ utc_offset_check_at: time === null ? null : new Date(time) });
      }
    },

    /** Zones by asset id; a device whose calendars have no zone has no entry. */
    async findZones(organizationId: string, assetIds: string[]): Promise<Map<string, string>> {
      const last = sql({ t: 'config_targets' })
        .join({ j: 'config_jobs' }, { 'j.organization_id': 't.organization_id', 'j.id': 't.job_id' })
        .where({ 't.organization_id': unseen(sql, organizationId), 't.asset_id': sql.ref('d.asset_id') })
        .whereRaw(MAY_RUN)
        .whereRaw(SETS_ALERTS)
        .orderByRaw(`${startOf('j')} desc, t.job_id desc`)
        .limit(1)
        .select(sql.raw(`${ZONE} as zone`));
      const rows: Array<{ assetId: string; zone: string | null }> = await sql
        .from(sql.raw('unnest(?::uuid[]) as d (asset_id)', [assetIds]))
        .joinRaw('cross join lateral :last as last', { last })
        .select('last.zone', { assetId: 'd.asset_id' });
      return new Map(rows.flatMap(({ assetId, zone }) => (zone === null ? [] : [[assetId, zone] as const])));
    },
  };
}
