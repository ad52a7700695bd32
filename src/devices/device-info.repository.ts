import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from './asset-ref.ts';
import type { DeviceInfoReport } from './device-info.ts';

export type DeviceInfoRepository = ReturnType<typeof createDeviceInfoRepository>;

export const createDeviceInfoRepository = (sql: Sql) => ({
  async store(reports: Array<AssetRef & Pick<DeviceInfoReport, 'info' | 'receivedAt'>>): Promise<void> {
    if (reports.length === 0) return;
    await query(
      sql,
      `insert into device_infos (organization_id, asset_id, info)
       select n.* from unnest(?::uuid[], ?::uuid[], ?::jsonb[]) as n (organization_id, asset_id, info)
       on conflict (organization_id, asset_id) do update set info = excluded.info`,
      [
        reports.map(({ organizationId }) => organizationId),
        reports.map(({ assetId }) => assetId),
        reports.map(({ info, receivedAt }) =>
          JSON.stringify({ ...info, receivedAt: receivedAt.toISOString() }),
        ),
      ],
    );
  },
});
