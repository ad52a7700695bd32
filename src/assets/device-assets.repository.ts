/** Assets of devices, as events show them: read in batches of what devices send, too. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { Asset } from './asset.ts';

const LIST = `select a.id, a.serial_number as "serialNumber", a.name, s.status, s.signal_strength as "signalStrength",
    s.battery_status as "batteryStatus", a.model, s.last_reading_at as "lastReadingAt", a.water_type as "waterType",
    a.floor, a.building_id as "buildingId", a.space_id as "spaceId", a.created_at as "createdAt",
    a.organization_id as "organizationId"
  from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
  join assets a on a.organization_id = n.organization_id and a.id = n.asset_id
  join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
  order by a.id`;

export const createDeviceAssetsRepository = (sql: Sql) => ({
  /** Archived ones, too. */
  list: (refs: AssetRef[]): Promise<Array<Asset & { organizationId: string }>> =>
    query(sql, LIST, [refs.map(({ organizationId }) => organizationId), refs.map(({ assetId }) => assetId)]),
});
