/** Names of assets that pages know by id, and their channels whose value is in breach. */
import { type AlertState, isTemperature } from '../alerts/open-alert.ts';
import type { Database } from '../db/database.ts';

/** Channels in breach by asset id. */
export type Breaches = ReadonlyMap<string, readonly number[]>;

export type ShownAssetsRepository = ReturnType<typeof createShownAssetsRepository>;

export function createShownAssetsRepository(sql: Database) {
  return {
    async listNames(organizationId: string, assetIds: readonly string[]): Promise<Map<string, string>> {
      if (assetIds.length === 0) return new Map();
      const rows = await sql('assets')
        .where({ organization_id: organizationId })
        .whereRaw('id = any(?::uuid[])', [[...new Set(assetIds)]])
        .select('id', 'name');
      return new Map(rows.map(({ id, name }) => [id, name]));
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
