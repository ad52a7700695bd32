/** Text: batches of messages run them, for a set of devices of many organizations. */

/** The organizations with an active device of each of `:keys`. */
export const FIND_OWNERS = `
  select lower(a.serial_number) as key, a.organization_id as "organizationId", o.requires_device_tokens as "needsToken"
  from assets a join organizations o on o.id = a.organization_id
  where lower(a.serial_number) = any(:keys::text[]) and a.archived_at is null`;

/** Archived assets, too. */
export const LIST_WITH_STATES = `
  select a.id, a.serial_number as "serialNumber", a.name, s.status, s.signal_strength as "signalStrength",
    s.battery_status as "batteryStatus", a.model, s.last_reading_at as "lastReadingAt", a.water_type as "waterType",
    a.floor, a.building_id as "buildingId", a.space_id as "spaceId", a.created_at as "createdAt",
    a.organization_id as "organizationId"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  join assets a on a.organization_id = n.organization_id and a.id = n.asset_id
  join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id
  order by a.id`;
