import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface DeviceContact {
  lastContactAt: Date | null;
  /** Deadline of the next contact; null: none is known. */
  expectedBy: Date | null;
}

export type DeviceContactsRepository = ReturnType<typeof createDeviceContactsRepository>;

export function createDeviceContactsRepository(sql: Sql) {
  return {
    async find(organizationId: string, assetId: string): Promise<DeviceContact | null> {
      const [row] = await query<DeviceContact>(
        sql,
        `select last_contact_at as "lastContactAt", expected_by as "expectedBy" from device_states
         where organization_id = ? and asset_id = ?`,
        [organizationId, assetId],
      );
      return row ?? null;
    },
  };
}
