/**
 * Text: statements that work on sets (imports, look-ups of many devices), the look-up of owners, which runs
 * for each message without a token, and the archival of an asset, which includes the SQL of presence.
 */
import { NO_DEADLINE } from '../presence/presence-columns.ts';

/** The organizations with an active device of each of `:keys`. */
export const FIND_OWNERS = `
  select lower(a.serial_number) as key, a.organization_id as "organizationId", o.requires_device_tokens as "needsToken"
  from assets a join organizations o on o.id = a.organization_id
  where lower(a.serial_number) = any(:keys::text[]) and a.archived_at is null`;

/** Skips assets whose serial an active one has. */
export const INSERT_MISSING = `
  with inserted as (
    insert into assets
      (organization_id, serial_number, name, model, water_type, floor, building_id, space_id, group_id)
    select :organizationId::uuid, n.*
    from unnest(:serialNumbers::text[], :names::text[], :models::text[], :waterTypes::text[], :floors::integer[],
      :buildingIds::text[], :spaceIds::text[], :groupIds::uuid[]) as n
    on conflict (organization_id, lower(serial_number)) where archived_at is null do nothing
    returning *
  ), joined as (
    insert into asset_groups (organization_id, asset_id, from_at, group_id)
    select organization_id, id, created_at, group_id from inserted where group_id is not null
  )
  select id, serial_number as "serialNumber" from inserted`;

/** Also ends the deadline of the device, and its configuration. */
export const ARCHIVE = `
  with archived as (
    update assets set archived_at = now(), building_id = null, space_id = null, group_id = null
    where organization_id = :organizationId and id = :id and archived_at is null returning organization_id, id
  ), has_left as (
    insert into asset_groups (organization_id, asset_id, from_at, group_id)
    select organization_id, id, clock_timestamp(), null from archived
  ), unexpected as (
    update device_states s set ${NO_DEADLINE}, is_active = false
    from archived a where s.organization_id = a.organization_id and s.asset_id = a.id
  )
  update device_configs d set is_active = false
  from archived a where d.organization_id = a.organization_id and d.asset_id = a.id`;

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
