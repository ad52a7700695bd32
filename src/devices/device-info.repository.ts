import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { ACTIVE_BY_SERIAL } from './device-row.ts';
import type { SignalStrength } from './device-status.ts';
import type { SerialInOrganization } from './serial-number.ts';

export interface DeviceInfoUpdate {
  info: object;
  /** Null: not known from the info, the last one stays. */
  signalStrength: SignalStrength | null;
}

export type DeviceInfoRepository = ReturnType<typeof createDeviceInfoRepository>;

export function createDeviceInfoRepository(sql: Sql) {
  return {
    /** False when the organization has no active device of that serial. */
    async update(
      { organizationId, serialNumber }: SerialInOrganization,
      { info, signalStrength }: DeviceInfoUpdate,
    ): Promise<boolean> {
      const rows = await query(
        sql,
        `with device as (
           update device_states s set signal_strength = coalesce(n.signal_strength, s.signal_strength),
             sends_signal = s.sends_signal and n.signal_strength is null
           from (values (?::text)) as n (signal_strength), ${ACTIVE_BY_SERIAL} as a
           where s.organization_id = a.organization_id and s.asset_id = a.id
           returning s.organization_id, s.asset_id
         )
         insert into device_infos (organization_id, asset_id, info)
         select organization_id, asset_id, ?::jsonb from device
         on conflict (organization_id, asset_id) do update set info = excluded.info
         returning 1`,
        [signalStrength, [organizationId], [serialNumber], JSON.stringify(info)],
      );
      return rows.length > 0;
    },
  };
}
