import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';

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

export type DeviceContactsRepository = ReturnType<typeof createDeviceContactsRepository>;

export function createDeviceContactsRepository(sql: Sql) {
  return {
    async find(organizationId: string, assetId: string): Promise<DeviceContact | null> {
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
