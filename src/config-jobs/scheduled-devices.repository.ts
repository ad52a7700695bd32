/**
 * Devices whose alert windows follow the local time of a zone: the zone of the job that set their calendars
 * last.
 */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { FIND_ZONES, PLAN_OFFSET_CHECKS } from './scheduled-devices.statements.ts';

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
      await query(sql, PLAN_OFFSET_CHECKS, {
        organizationIds: checks.map(() => organizationId),
        assetIds: checks.map(({ assetId }) => assetId),
        checkAt: checks.map(({ checkAt }) => checkAt?.toISOString() ?? null),
      });
    },

    /** Zones by asset id; a device whose calendars have no zone has no entry. */
    async findZones(organizationId: string, assetIds: string[]): Promise<Map<string, string>> {
      const bindings = { organizationId, assetIds };
      const rows = await query<{ assetId: string; zone: string | null }>(sql, FIND_ZONES, bindings);
      return new Map(rows.flatMap(({ assetId, zone }) => (zone === null ? [] : [[assetId, zone] as const])));
    },
  };
}
