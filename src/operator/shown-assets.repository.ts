/** Names of assets that pages know by id, and their channels whose value is in breach. */
import { type AlertState, isTemperature } from '../alerts/open-alert.ts';
import type { Database } from '../db/database.ts';

export interface ShownAsset {
  name: string;
  serialNumber: string;
}

/** Channels in breach by asset id. */
export type Breaches = ReadonlyMap<string, readonly number[]>;

export type ShownAssetsRepository = ReturnType<typeof createShownAssetsRepository>;

export function createShownAssetsRepository(sql: Database) {
  return {
    async list(organizationId: string, assetIds: readonly string[]): Promise<Map<string, ShownAsset>> {
      if (assetIds.length === 0) return new Map();
      const rows = await sql('assets')
        .where({ organization_id: organizationId })
        .whereRaw('id = any(?::uuid[])', [[...new Set(assetIds)]])
        .select('id', 'name', 'serial_number');
      return new Map(rows.map(({ id, name, serial_number }) => [id, { name, serialNumber: serial_number }]));
    },

    async listNames(organizationId: string, assetIds: readonly string[]): Promise<Map<string, string>> {
      const assets = await this.list(organizationId, assetIds);
      return new Map([...assets].map(([id, { name }]) => [id, name]));
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
  };
}
