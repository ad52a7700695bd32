/** What pages show of assets beside the answers of operations. */
import { type AlertState, isTemperature } from '../alerts/open-alert.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import type { Layout } from '../devices/device-capabilities.ts';

export interface ShownAsset extends Layout {
  name: string;
  serialNumber: string;
}

/** Channels in breach by asset id. */
export type Breaches = ReadonlyMap<string, readonly number[]>;

export interface DeviceContact {
  lastContactAt: Date | null;
  /** Deadline of the next contact; null: unknown. */
  expectedBy: Date | null;
  /**
   * Whether an apply has ever reached the device; without one, in sync only means that its configuration has
   * not changed.
   */
  hasHadProfile: boolean;
  /** The configuration that the device confirmed last. */
  confirmed: DeviceConfiguration | null;
}

export type ShownAssetsRepository = ReturnType<typeof createShownAssetsRepository>;

export function createShownAssetsRepository(sql: Database) {
  return {
    async list(organizationId: string, assetIds: readonly string[]): Promise<Map<string, ShownAsset>> {
      if (assetIds.length === 0) return new Map();
      const rows = await query<ShownAsset & { id: string }>(
        sql,
        `select a.id, a.name, a.serial_number as "serialNumber", a.model,
           coalesce(c.reported_channel_types, s.observed_channel_types) as "channelTypes"
         from assets a
         left join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
         left join device_configs c on c.organization_id = a.organization_id and c.asset_id = a.id
         where a.organization_id = ? and a.id = any(?::uuid[])`,
        [organizationId, [...new Set(assetIds)]],
      );
      return new Map(rows.map(({ id, ...asset }) => [id, asset]));
    },

    /** Active assets by serial number in lower case. */
    async listBySerials(
      organizationId: string,
      serialNumbers: readonly string[],
    ): Promise<Map<string, { id: string; name: string }>> {
      if (serialNumbers.length === 0) return new Map();
      const keys = [...new Set(serialNumbers.map((serial) => serial.toLowerCase()))];
      const rows = await sql('assets')
        .where({ organization_id: organizationId, archived_at: null })
        .whereRaw('lower(serial_number) = any(?::text[])', [keys])
        .select('id', 'name', 'serial_number');
      return new Map(rows.map(({ id, name, serial_number }) => [serial_number.toLowerCase(), { id, name }]));
    },

    /** Ids of the devices among these that no profile was ever applied to. */
    async listWithoutProfile(organizationId: string, assetIds: readonly string[]): Promise<Set<string>> {
      if (assetIds.length === 0) return new Set();
      const rows: Array<{ asset_id: string }> = await sql('device_configs')
        .where({ organization_id: organizationId, has_had_profile: false })
        .whereRaw('asset_id = any(?::uuid[])', [[...assetIds]])
        .select('asset_id');
      return new Set(rows.map(({ asset_id }) => asset_id));
    },

    async listBreaches(organizationId: string, assetIds: readonly string[]): Promise<Breaches> {
      if (assetIds.length === 0) return new Map();
      const rows: Array<{ asset_id: string; open_alerts: AlertState[] }> = await sql('device_states')
        .where({ organization_id: organizationId })
        .whereRaw('asset_id = any(?::uuid[])', [[...assetIds]])
        .select('asset_id', 'open_alerts');
      return new Map(
        rows.map((row) => [
          row.asset_id,
          row.open_alerts.filter(isTemperature).map(({ channel }) => channel),
        ]),
      );
    },

    async findContact(organizationId: string, assetId: string): Promise<DeviceContact | null> {
      const [row] = await query<DeviceContact>(
        sql,
        `select s.last_contact_at as "lastContactAt", s.expected_by as "expectedBy",
           c.has_had_profile as "hasHadProfile", k.content as confirmed
         from device_states s
         join device_configs c on c.organization_id = s.organization_id and c.asset_id = s.asset_id
         left join configurations k on k.organization_id = c.organization_id and k.id = c.confirmed_config_id
         where s.organization_id = ? and s.asset_id = ?`,
        [organizationId, assetId],
      );
      return row ?? null;
    },
  };
}
