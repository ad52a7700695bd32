/**
 * Active assets that match a filter, by id. Each look-up reads an index in the order of ids, or as few rows as match, so
 * a page costs about the same wherever it is, whether everything matches or nothing.
 */
import type { Sql } from '../db/database.ts';
import { ALL_ASSETS, type KeptTotal } from '../db/kept-totals.ts';
import { query } from '../db/query.ts';
import { ACTIVE_BY_SERIAL_AT } from '../devices/device-row.ts';
import { MUTE_OF_ASSET } from '../mutes/mutes.statements.ts';
import type { ListedAsset } from './asset.ts';
import { type AssetFilter, chooseLookup, hasKeptTotal, keptConditions, type Lookup } from './asset-filter.ts';

/** Members of a deleted group have yet to leave it. */
const GROUP_ID = `(select id from groups
    where organization_id = a.organization_id and id = a.group_id and deleted_at is null)`;
export const LISTED_COLUMNS = `a.id, a.serial_number as "serialNumber", a.name, s.status,
  s.signal_strength as "signalStrength", s.battery_status as "batteryStatus", a.model,
  s.last_reading_at as "lastReadingAt", a.water_type as "waterType", a.floor, a.building_id as "buildingId",
  a.space_id as "spaceId", a.created_at as "createdAt", ${GROUP_ID} as "groupId", d.sync_status as "syncStatus",
  jsonb_array_length(jsonb_path_query_array(s.open_alerts, '$[*].alertId')) as "openAlerts", coalesce(s.latest, '[]') as latest,
  coalesce(d.reported_channel_types, s.observed_channel_types) as "channelTypes", ${MUTE_OF_ASSET} as mute`;

/** The rows of the device of `assets a`: one index look-up each, whatever the statistics know of the organization. */
export const WITH_DEVICE = `cross join lateral (
    select status, signal_strength, battery_status, last_reading_at, open_alerts, latest, observed_channel_types
    from device_states
    where organization_id = a.organization_id and asset_id = a.id limit 1
  ) as s
  cross join lateral (
    select sync_status, reported_channel_types from device_configs
    where organization_id = a.organization_id and asset_id = a.id limit 1
  ) as d`;

/** A total that is not kept is counted so far. */
export const COUNTED_MAX = 1_000;
/** A search that finds a page among the next so many assets needs no index of texts. */
const WINDOW = 5_000;
/** The same where the devices of these assets are looked up, too. */
const NARROW_WINDOW = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const ASSET_MATCHES = `(?::text is null or lower(a.serial_number) = lower(?::text)) and (?::text is null or a.model = ?::text)
  and (?::uuid is null or a.group_id = ?::uuid)
  and (?::text is null or strpos(casefold(a.serial_number collate pg_unicode_fast), casefold(?::text collate pg_unicode_fast)) > 0
    or strpos(casefold(a.name collate pg_unicode_fast), casefold(?::text collate pg_unicode_fast)) > 0)`;
const DEVICE_MATCHES = `(?::text is null or s.status = ?::text) and (?::text is null or s.battery_status = ?::text)
  and (?::text is null or d.sync_status = ?::text)
  and (?::timestamptz is null or s.last_reading_at is null or s.last_reading_at < ?::timestamptz)`;

/** For ids from a table of devices. */
const ASSET_OF_FOUND = `cross join lateral (
    select * from assets where organization_id = found.organization_id and id = found.id and archived_at is null limit 1
  ) as registered`;

/**
 * Rows of assets with `found_id`, in no order, so that the planner knows how few of them a page takes. Pairs are compared
 * because only the index that is meant holds them: from the one of all ids, a value that is rare in the organization would
 * be sought among all its rows. Bindings of each: the organization, the value, the value again, ids after this one.
 */
const BY_MODEL = `select id as found_id, * from assets
  where organization_id = ? and model = ? and archived_at is null and (model, id) > (?, ?::uuid)`;
const BY_GROUP = `select id as found_id, * from assets
  where organization_id = ? and group_id = ? and archived_at is null and (group_id, id) > (?, ?::uuid)`;
const BY_STATUS = `select found.asset_id as found_id, registered.* from (
    select organization_id, asset_id, asset_id as id from device_states
    where organization_id = ? and status = ? and is_active and (status, asset_id) > (?, ?::uuid)
  ) as found ${ASSET_OF_FOUND}`;
const BY_BATTERY = `select found.asset_id as found_id, registered.* from (
    select organization_id, asset_id, asset_id as id from device_states
    where organization_id = ? and battery_status = ? and is_active and (battery_status, asset_id) > (?, ?::uuid)
  ) as found ${ASSET_OF_FOUND}`;
const BY_SYNC_STATUS = `select found.asset_id as found_id, registered.* from (
    select organization_id, asset_id, asset_id as id from device_configs
    where organization_id = ? and sync_status = ? and is_active and (sync_status, asset_id) > (?, ?::uuid)
  ) as found ${ASSET_OF_FOUND}`;
/** At most one. Bindings: arrays of the organization and of the serial number, ids after this one. */
const BY_SERIAL = `select id as found_id, * from ${ACTIVE_BY_SERIAL_AT} as assets where id > ?`;
/**
 * Only a constant can be looked up in an index, so the organization is given once more. The limit is null where devices
 * are compared with other conditions, too.
 */
const BY_TEXT = `select id as found_id, * from assets
  where organization_id = ? and asset_grams(organization_id, serial_number, name) @@ asset_grams_query(?::uuid, ?::text)
    and archived_at is null and id > ? and (strpos(casefold(serial_number collate pg_unicode_fast), casefold(?::text collate pg_unicode_fast)) > 0
      or strpos(casefold(name collate pg_unicode_fast), casefold(?::text collate pg_unicode_fast)) > 0)
  order by id limit ?::bigint`;
/** The next assets by id. Bindings: the organization, ids after this one, how many. */
const IN_WINDOW = `select id as found_id, * from assets
  where organization_id = ? and archived_at is null and id > ? order by id limit ?::bigint`;

const rowsBy = (way: Exclude<Way, 'lastReadingBefore'>) =>
  way === 'serialNumber'
    ? BY_SERIAL
    : way === 'model'
      ? BY_MODEL
      : way === 'groupId'
        ? BY_GROUP
        : way === 'status'
          ? BY_STATUS
          : way === 'batteryStatus'
            ? BY_BATTERY
            : way === 'syncStatus'
              ? BY_SYNC_STATUS
              : way === 'q'
                ? BY_TEXT
                : IN_WINDOW;

type Way = Exclude<Lookup, 'all'> | 'window' | 'narrowWindow';

const MATCHING = `as a ${WITH_DEVICE} where ${ASSET_MATCHES} and ${DEVICE_MATCHES}`;
/** Counted without looking up devices of which the filter says nothing. */
const MATCHING_ASSETS = `as a where ${ASSET_MATCHES}`;

/**
 * The hours of last readings that are looked at, one index look-up each, and within each hour the devices by id.
 * Bindings: the organization, the time, the organization, the time, the organization, the time, ids after this one.
 */
const HOURS = `hours as (
    (select last_reading_from as hour from device_states where organization_id = ? and is_active
     and last_reading_from < ?::timestamptz order by last_reading_from limit 1)
    union all
    select (select last_reading_from from device_states where organization_id = ? and is_active
      and last_reading_from > hours.hour and last_reading_from < ?::timestamptz order by last_reading_from limit 1)
    from hours where hours.hour is not null
  )`;
const IN_HOUR = `select found.id as found_id, registered.* from (
    select organization_id, asset_id as id from device_states
    where organization_id = ? and is_active and last_reading_from = hours.hour
      and (last_reading_at is null or last_reading_at < ?::timestamptz) and asset_id > ? order by asset_id
  ) as found ${ASSET_OF_FOUND}`;

export interface AssetPage {
  /** Ids after this one. */
  after: string | null;
  limit: number;
}

export interface FoundAssets {
  assets: ListedAsset[];
  /** On all pages; where it is not kept, at most `COUNTED_MAX`. */
  total: number;
}

export type AssetSearchRepository = ReturnType<typeof createAssetSearchRepository>;

export function createAssetSearchRepository(sql: Sql) {
  return {
    /** At most six statements, however much matches. */
    async search(organizationId: string, filter: AssetFilter, page: AssetPage): Promise<FoundAssets> {
      const kept = keptConditions(filter);
      const [active = 0, ...totals] = await findTotals(organizationId, [ALL_ASSETS, ...kept]);
      if (totals.includes(0) || (await isOfDeletedGroup(organizationId, filter))) {
        return { assets: [], total: 0 };
      }
      const lookup = chooseLookup(filter, totals);
      const ways = toWays(lookup, filter, active);
      const { rows: assets, way } = await firstOf(
        ways,
        (each) => listBy(each, organizationId, filter, page),
        page.limit,
      );
      if (hasKeptTotal(filter)) return { assets, total: totals[0] ?? active };
      if (page.after === null && assets.length < page.limit) return { assets, total: assets.length };
      // A way that did not fill the first page does not reach the count either.
      const left = page.after === null ? ways.slice(ways.indexOf(way)) : ways;
      const counting = left.filter((each) => each !== 'narrowWindow');
      return { assets, total: await countBy(counting, organizationId, filter) };
    },
  };

  async function isOfDeletedGroup(organizationId: string, { groupId }: AssetFilter): Promise<boolean> {
    if (groupId === null) return false;
    const rows = await query(
      sql,
      'select 1 from groups where organization_id = ? and id = ? and deleted_at is not null',
      [organizationId, groupId],
    );
    return rows.length > 0;
  }

  /** In the order asked for. */
  async function findTotals(organizationId: string, kept: KeptTotal[]): Promise<number[]> {
    const rows = await query<{ total: number }>(
      sql,
      `select coalesce((
           select sum(count) from (
             select total as count from list_totals t
             where t.organization_id = ? and t.list = wanted.list and t.key = wanted.key
             union all
             select change from list_changes c
             where c.organization_id = ? and c.list = wanted.list and c.key = wanted.key
           ) as kept), 0)::bigint as total
       from unnest(?::text[], ?::text[]) with ordinality as wanted (list, key, position) order by position`,
      [organizationId, organizationId, kept.map(({ list }) => list), kept.map(({ key }) => key)],
    );
    return rows.map(({ total }) => total);
  }

  function listBy(
    way: Way,
    organizationId: string,
    filter: AssetFilter,
    { after, limit }: AssetPage,
  ): Promise<ListedAsset[]> {
    const from = after ?? FIRST_ID;
    if (way === 'lastReadingBefore') {
      return query(
        sql,
        `with recursive ${HOURS}
         select page.* from hours cross join lateral (
           select ${LISTED_COLUMNS} from (${IN_HOUR}) ${MATCHING} order by a.found_id limit ?
         ) as page
         order by page.id limit ?`,
        [...hoursBindings(organizationId, filter, from), ...matchBindings(filter), limit, limit],
      );
    }
    return query(
      sql,
      `select ${LISTED_COLUMNS} from (${rowsBy(way)}) ${MATCHING} order by a.found_id limit ?`,
      [
        ...lookupBindings(way, organizationId, filter, { after: from, limit }),
        ...matchBindings(filter),
        limit,
      ],
    );
  }

  /** Up to `COUNTED_MAX`. */
  async function countBy(ways: Way[], organizationId: string, filter: AssetFilter): Promise<number> {
    const { rows } = await firstOf(ways, (way) => matchesBy(way, organizationId, filter), COUNTED_MAX);
    return rows.length;
  }

  function matchesBy(way: Way, organizationId: string, filter: AssetFilter): Promise<unknown[]> {
    const isOfDevices = comparesDevices(way, filter);
    const bindings = isOfDevices ? matchBindings(filter) : assetBindings(filter);
    if (way === 'lastReadingBefore') {
      return query(
        sql,
        `with recursive ${HOURS}
         select 1 from hours cross join lateral (
           select 1 from (${IN_HOUR}) ${isOfDevices ? MATCHING : MATCHING_ASSETS} limit ${COUNTED_MAX}
         ) as matching limit ${COUNTED_MAX}`,
        [...hoursBindings(organizationId, filter, FIRST_ID), ...bindings],
      );
    }
    return query(
      sql,
      `select 1 from (${rowsBy(way)}) ${isOfDevices ? MATCHING : MATCHING_ASSETS} limit ${COUNTED_MAX}`,
      [...lookupBindings(way, organizationId, filter, { after: FIRST_ID, limit: COUNTED_MAX }), ...bindings],
    );
  }
}

/**
 * What many devices have is found soonest among the next assets, if there are more of these than so many; what few have is
 * found by its index.
 */
function toWays(lookup: Lookup, filter: AssetFilter, active: number): Way[] {
  if (lookup === 'all') return ['window'];
  if (lookup === 'serialNumber') return [lookup];
  if (lookup === 'q') return active <= WINDOW ? ['window'] : ['window', 'q'];
  return comparesDevices(lookup, filter) || lookup === 'lastReadingBefore'
    ? ['narrowWindow', lookup]
    : [lookup];
}

/** Whether devices have to be compared with conditions other than the one by which they are found. */
function comparesDevices(way: Way, { status, batteryStatus, syncStatus, lastReadingBefore }: AssetFilter) {
  const conditions = { status, batteryStatus, syncStatus, lastReadingBefore };
  return Object.entries(conditions).some(([name, value]) => value !== null && name !== way);
}

/** What the first way finds that finds enough, or the last one. */
async function firstOf<Row>(
  ways: Way[],
  find: (way: Way) => Promise<Row[]>,
  enough: number,
): Promise<{ rows: Row[]; way: Way }> {
  const [way, ...others] = ways as [Way, ...Way[]];
  const rows = await find(way);
  return rows.length >= enough || others.length === 0 ? { rows, way } : firstOf(others, find, enough);
}

function lookupBindings(
  way: Exclude<Way, 'lastReadingBefore'>,
  organizationId: string,
  filter: AssetFilter,
  { after, limit }: { after: string; limit: number },
): unknown[] {
  if (way === 'window') return [organizationId, after, WINDOW];
  if (way === 'narrowWindow') return [organizationId, after, NARROW_WINDOW];
  if (way === 'serialNumber') return [[organizationId], [filter[way]], after];
  if (way === 'q') {
    const { q, ...others } = filter;
    const isAlone = Object.values(others).every((value) => value === null);
    return [organizationId, organizationId, q, after, q, q, isAlone ? limit : null];
  }
  return [organizationId, filter[way], filter[way], after];
}

function hoursBindings(organizationId: string, { lastReadingBefore }: AssetFilter, after: string): unknown[] {
  const before = lastReadingBefore?.toISOString() ?? null;
  return [organizationId, before, organizationId, before, organizationId, before, after];
}

function assetBindings({ serialNumber, model, groupId, q }: AssetFilter): unknown[] {
  return [serialNumber, serialNumber, model, model, groupId, groupId, q, q, q];
}

function matchBindings(filter: AssetFilter): unknown[] {
  const { status, batteryStatus, syncStatus } = filter;
  const before = filter.lastReadingBefore?.toISOString() ?? null;
  const ofDevices = [status, status, batteryStatus, batteryStatus, syncStatus, syncStatus, before, before];
  return [...assetBindings(filter), ...ofDevices];
}
