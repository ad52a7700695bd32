/** The filters of the list of assets, as conditions on `assets a`, `device_states s` and `device_configs d`. */
import type { BatteryStatus } from '../devices/device-status.ts';
import type { SyncStatus } from '../devices/device-sync.ts';
import { MUTE_OF_ASSET } from '../mutes/mutes.statements.ts';
import type { DeviceStatus } from '../presence/presence.ts';

/** A name as it is compared and ordered; an index holds it. */
export const FOLDED_NAME = 'casefold(a.name collate pg_unicode_fast)';

export interface AssetFilter {
  model?: string | undefined;
  serialNumber?: string | undefined;
  /** Part of the serial number or the name, compared without case. */
  q?: string | undefined;
  status?: DeviceStatus | undefined;
  batteryStatus?: BatteryStatus | undefined;
  syncStatus?: SyncStatus | undefined;
  /** Whether a profile is pending, or was ever confirmed. */
  hadProfile?: boolean | undefined;
  /** The profile that was applied last of those that brought the settings in force. */
  profileSlug?: string | undefined;
  groupId?: string | undefined;
  /** Assets without a reading match, too. */
  lastReadingBefore?: Date | undefined;
}

export interface Condition {
  table: 'a' | 's' | 'd';
  /** With the bindings `:value` and `:organizationId`. */
  sql: string;
  /** An index holds the assets of each value by id, so that all of them are counted. */
  isCounted?: boolean;
  /** An index finds candidates by it before `sql` compares them, because the planner cannot tell how few match. */
  lookup?: string;
  /** At most one asset matches. */
  isUnique?: boolean;
}

const SERIAL = 'lower(a.serial_number) = lower(:value)';
/** An index holds the assets that have ever run a profile. */
const EVER_RAN = `d.asset_id in (
  select asset_id from device_settings where organization_id = :organizationId and profile_slug = :value)`;
const FOLDED_PART = 'casefold(:value collate pg_unicode_fast)';

const CONDITIONS: Record<keyof AssetFilter, Condition> = {
  serialNumber: { table: 'a', sql: SERIAL, lookup: SERIAL, isUnique: true },
  model: { table: 'a', sql: 'a.model = :value', isCounted: true },
  // Members of a deleted group have yet to leave it.
  groupId: {
    table: 'a',
    sql: `a.group_id = :value and exists (
      select 1 from groups where organization_id = :organizationId and id = :value and deleted_at is null)`,
    isCounted: true,
  },
  q: {
    table: 'a',
    sql: `(strpos(casefold(a.serial_number collate pg_unicode_fast), ${FOLDED_PART}) > 0
      or strpos(${FOLDED_NAME}, ${FOLDED_PART}) > 0)`,
    lookup: `asset_grams(a.organization_id, a.serial_number, a.name)
      @@ asset_grams_query(cast(:organizationId as uuid), :value)`,
  },
  status: { table: 's', sql: 's.status = :value', isCounted: true },
  batteryStatus: { table: 's', sql: 's.battery_status = :value', isCounted: true },
  // An index holds the hour of the last reading, or one up to half a day before.
  lastReadingBefore: {
    table: 's',
    sql: '(s.last_reading_at is null or s.last_reading_at < :value)',
    lookup: 's.last_reading_from < :value',
  },
  syncStatus: { table: 'd', sql: 'd.sync_status = :value', isCounted: true },
  hadProfile: { table: 'd', sql: 'd.has_had_profile = :value', isCounted: true },
  profileSlug: {
    table: 'd',
    sql: `:value = (
      select profile_slug from device_settings where organization_id = :organizationId and asset_id = d.asset_id
      order by from_at desc limit 1)`,
    lookup: EVER_RAN,
  },
};

export type GivenCondition = Condition & { value: string | boolean | Date };

export const givenConditions = (filter: AssetFilter): GivenCondition[] =>
  (Object.keys(CONDITIONS) as Array<keyof AssetFilter>).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ ...CONDITIONS[name], value }];
  });

/** Totals that are not exact are counted so far. */
export const COUNTED_MAX = 1_000;

/** Whether the total is exact, on whatever page. */
export const isCounted = (given: GivenCondition[]): boolean =>
  given.every(({ isCounted }) => isCounted === true) && new Set(given.map(({ table }) => table)).size <= 1;

/** Excludes deleted groups, whose members may still have to leave. */
const GROUP_ID = `(select id from groups
    where organization_id = a.organization_id and id = a.group_id and deleted_at is null)`;

/** Columns of listed assets, from `assets a`, `device_states s` and `device_configs d`. */
export const LISTED_COLUMNS = `a.id, a.serial_number as "serialNumber", a.name, s.status,
  s.signal_strength as "signalStrength", s.battery_status as "batteryStatus", a.model,
  s.last_reading_at as "lastReadingAt", a.water_type as "waterType", a.floor, a.building_id as "buildingId",
  a.space_id as "spaceId", a.created_at as "createdAt", ${GROUP_ID} as "groupId", d.sync_status as "syncStatus",
  jsonb_array_length(jsonb_path_query_array(s.open_alerts, '$[*].alertId')) as "openAlerts", coalesce(s.latest, '[]') as latest,
  coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes", ${MUTE_OF_ASSET} as mute`;
