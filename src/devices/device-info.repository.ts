import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type AssetRef, assetKeys } from './asset-ref.ts';
import { STORE } from './device-info.statements.ts';
import type { DeviceInfoReport } from './device-info.ts';

export type DeviceInfoRepository = ReturnType<typeof createDeviceInfoRepository>;

export const createDeviceInfoRepository = (sql: Sql) => ({
  async store(reports: Array<AssetRef & Pick<DeviceInfoReport, 'info' | 'receivedAt'>>): Promise<void> {
    if (reports.length === 0) return;
    await query(sql, STORE, {
      ...assetKeys(reports),
      infos: reports.map(({ info, receivedAt }) =>
        JSON.stringify({ ...info, receivedAt: receivedAt.toISOString() }),
      ),
    });
  },
});
