/** Columns of listed assets, from `assets a`, `device_states s` and `device_configs d`. */
import { MUTE_OF_ASSET } from '../mutes/mutes.statements.ts';

/** Excludes deleted groups, whose members may still have to leave. */
const GROUP_ID = `(select id from groups
    where organization_id = a.organization_id and id = a.group_id and deleted_at is null)`;

export const LISTED_COLUMNS = `a.id, a.serial_number as "serialNumber", a.name, s.status,
  s.signal_strength as "signalStrength", s.battery_status as "batteryStatus", a.model,
  s.last_reading_at as "lastReadingAt", a.water_type as "waterType", a.floor, a.building_id as "buildingId",
  a.space_id as "spaceId", a.created_at as "createdAt", ${GROUP_ID} as "groupId", d.sync_status as "syncStatus",
  jsonb_array_length(jsonb_path_query_array(s.open_alerts, '$[*].alertId')) as "openAlerts", coalesce(s.latest, '[]') as latest,
  coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes", ${MUTE_OF_ASSET} as mute`;

/** A name as it is compared and ordered; an index holds it. */
export const FOLDED_NAME = 'casefold(a.name collate pg_unicode_fast)';
