import type { Sql } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { ALL_ASSETS, assetsOfModel } from '../db/kept-totals.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { NO_DEADLINE } from '../presence/presence-columns.ts';
import { conflict } from '../process/errors.ts';
import type { Asset, ListedAsset, Replacement } from './asset.ts';
import { type AssetPage, type FoundAssets, LISTED_COLUMNS, WITH_DEVICE } from './asset-search.repository.ts';

const COLUMNS = `a.id, a.serial_number as "serialNumber", a.name, s.status, s.signal_strength as "signalStrength",
  s.battery_status as "batteryStatus", a.model, s.last_reading_at as "lastReadingAt", a.water_type as "waterType",
  a.floor, a.building_id as "buildingId", a.space_id as "spaceId", a.created_at as "createdAt"`;
const ACTIVE = 'organization_id = ? and archived_at is null';
const STATE = 'join device_states s on s.organization_id = a.organization_id and s.asset_id = a.id';
/** See the table list_totals. */
const TOTAL = `select coalesce(sum(count), 0)::bigint as total from (
    select total as count from list_totals where organization_id = ? and list = 'assets' and key = ?
    union all
    select change from list_changes where organization_id = ? and list = 'assets' and key = ?
  ) as kept`;

const ACTIVE_SERIAL_INDEX = 'assets_active_serial_idx';

export interface NewAsset {
  serialNumber: string;
  name: string;
  model: string | null;
  waterType: string | null;
  floor: number | null;
  buildingId: string | null;
  spaceId: string | null;
  /** The caller has locked the group. */
  groupId: string | null;
}

interface AssetRow {
  organization_id: string;
  id: string;
  serial_number: string;
  name: string;
  model: string | null;
  water_type: string | null;
  floor: number | null;
  building_id: string | null;
  space_id: string | null;
  created_at: Date;
  archived_at: Date | null;
  group_id: string | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    assets: AssetRow;
  }
}

export type AssetsRepository = ReturnType<typeof createAssetsRepository>;

export function createAssetsRepository(sql: Sql) {
  return {
    /** Active assets by id, and how many match on all pages, in one round trip. */
    async list(
      organizationId: string,
      { model, after, limit }: AssetPage & { model: string | null },
    ): Promise<FoundAssets> {
      const ofModel = model === null ? '' : 'and model = ?';
      const scope = model === null ? [organizationId] : [organizationId, model];
      const { key } = model === null ? ALL_ASSETS : assetsOfModel(model);
      const total = [organizationId, key];
      const rows = await query<ListedAsset & { total: number }>(
        sql,
        `select page.*, total from (${TOTAL}) as counted
         left join (
           select ${LISTED_COLUMNS} from (
             select * from assets where ${ACTIVE} ${ofModel} ${after === null ? '' : 'and id > ?'} order by id limit ?
           ) as a ${WITH_DEVICE}
         ) as page on true
         order by page.id`,
        [...total, ...total, ...scope, ...(after === null ? [] : [after]), limit],
      );
      const assets = rows.filter(({ id }) => id !== null);
      return { assets, total: rows[0]?.total ?? 0 };
    },

    async find(organizationId: string, id: string): Promise<ListedAsset | null> {
      const [row] = await queryPrepared<ListedAsset>(
        sql,
        'assets_find',
        `select ${LISTED_COLUMNS} from assets a ${WITH_DEVICE}
         where a.organization_id = ? and a.archived_at is null and a.id = ?`,
        [organizationId, id],
      );
      return row ?? null;
    },

    /** Archived ones, too. */
    listByIds(refs: AssetRef[]): Promise<Array<Asset & { organizationId: string }>> {
      return query(
        sql,
        `select ${COLUMNS}, a.organization_id as "organizationId"
         from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
         join assets a on a.organization_id = n.organization_id and a.id = n.asset_id ${STATE}
         order by a.id`,
        [refs.map(({ organizationId }) => organizationId), refs.map(({ assetId }) => assetId)],
      );
    },

    /**
     * Per serial, in order: the organizations that have an active device of it, two at most, and whether one of them wants
     * a token for each device. In all organizations: a device that sends over CoAP without a token is identified by its
     * serial number alone.
     */
    async findOwners(serialNumbers: string[]): Promise<Owners[]> {
      if (sql.isDistributed) return findOwnersOnAllNodes(sql, serialNumbers);
      return queryPrepared(
        sql,
        'assets_find_owners',
        `select f.owners, exists (
             select from organizations o where o.id = any (f.owners) and o.requires_device_tokens
           ) as "needsToken"
         from unnest(?::text[]) with ordinality as s (serial_number, position)
         cross join lateral (
           select array(
             select organization_id from assets
             where lower(serial_number) = lower(s.serial_number) and archived_at is null limit 2
           ) as owners
         ) as f
         order by s.position`,
        [serialNumbers],
      );
    },

    /** The serial number of an active asset, which does not change until the transaction ends. */
    async lockSerial(organizationId: string, id: string): Promise<string | null> {
      const [row] = await query<{ serialNumber: string }>(
        sql,
        `select serial_number as "serialNumber" from assets where ${ACTIVE} and id = ? for no key update`,
        [organizationId, id],
      );
      return row?.serialNumber ?? null;
    },

    async listReplacements(organizationId: string, assetId: string): Promise<Replacement[]> {
      return query<Replacement>(
        sql,
        `select serial_number as "serialNumber", replaced_at as "replacedAt"
         from asset_replacements where organization_id = ? and asset_id = ? order by id`,
        [organizationId, assetId],
      );
    },

    /** @throws conflict when an active asset has the serial. */
    async insert(organizationId: string, asset: NewAsset): Promise<string> {
      const [row] = await refuseTakenSerial(
        asset.serialNumber,
        query<{ id: string }>(
          sql,
          `insert into assets
             (organization_id, serial_number, name, model, water_type, floor, building_id, space_id, group_id)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`,
          [
            organizationId,
            asset.serialNumber,
            asset.name,
            asset.model,
            asset.waterType,
            asset.floor,
            asset.buildingId,
            asset.spaceId,
            asset.groupId,
          ],
        ),
      );
      return (row as { id: string }).id;
    },

    /** Leaves out assets whose serial an active one has, also one that another transaction is inserting. */
    insertMissing(
      organizationId: string,
      assets: NewAsset[],
    ): Promise<Array<{ id: string; serialNumber: string }>> {
      const column = <Value>(value: (asset: NewAsset) => Value) => assets.map(value);
      return query(
        sql,
        `insert into assets
           (organization_id, serial_number, name, model, water_type, floor, building_id, space_id, group_id)
         select ?::uuid, n.*
         from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::integer[], ?::text[], ?::text[], ?::uuid[]) as n
         on conflict (organization_id, lower(serial_number)) where archived_at is null do nothing
         returning id, serial_number as "serialNumber"`,
        [
          organizationId,
          column(({ serialNumber }) => serialNumber),
          column(({ name }) => name),
          column(({ model }) => model),
          column(({ waterType }) => waterType),
          column(({ floor }) => floor),
          column(({ buildingId }) => buildingId),
          column(({ spaceId }) => spaceId),
          column(({ groupId }) => groupId),
        ],
      );
    },

    /** Active ones. */
    findBySerials(
      organizationId: string,
      serialNumbers: string[],
    ): Promise<Array<{ id: string; serialNumber: string }>> {
      return query(
        sql,
        // No look-up per serial number: of an organization that statistics do not know yet, the planner expects a single
        // asset, and would read all of them for each.
        `select id, serial_number as "serialNumber" from assets
         where ${ACTIVE} and lower(serial_number) = any(?::text[])`,
        [organizationId, serialNumbers.map((each) => each.toLowerCase())],
      );
    },

    /** Null when there is no such asset, or it is archived. Locks the row until the transaction ends. */
    async lock(organizationId: string, id: string): Promise<NewAsset | null> {
      const [row] = await query<NewAsset>(
        sql,
        `select serial_number as "serialNumber", name, model, water_type as "waterType", floor,
           building_id as "buildingId", space_id as "spaceId", group_id as "groupId"
         from assets where ${ACTIVE} and id = ? for no key update`,
        [organizationId, id],
      );
      return row ?? null;
    },

    async update(
      organizationId: string,
      id: string,
      asset: Omit<NewAsset, 'serialNumber' | 'groupId'>,
    ): Promise<void> {
      const { name, model, waterType, floor, buildingId, spaceId } = asset;
      await query(
        sql,
        `update assets set name = ?, model = ?, water_type = ?, floor = ?, building_id = ?, space_id = ?
         where ${ACTIVE} and id = ?`,
        [name, model, waterType, floor, buildingId, spaceId, organizationId, id],
      );
    },

    /** Also ends the expectation of contact and the configuration of its device. */
    async archive(organizationId: string, id: string): Promise<void> {
      await query(
        sql,
        `with archived as (
           update assets set archived_at = now(), building_id = null, space_id = null, group_id = null
           where ${ACTIVE} and id = ? returning organization_id, id
         ), unexpected as (
           update device_states s set ${NO_DEADLINE}, is_active = false
           from archived a where s.organization_id = a.organization_id and s.asset_id = a.id
         )
         update device_configs d set is_active = false
         from archived a where d.organization_id = a.organization_id and d.asset_id = a.id`,
        [organizationId, id],
      );
    },

    /**
     * Also forgets what frames of the earlier hardware showed.
     * @throws conflict when another active asset has the serial.
     */
    async replaceSerial(
      organizationId: string,
      id: string,
      { previousSerial, newSerial }: { previousSerial: string; newSerial: string },
    ): Promise<void> {
      await refuseTakenSerial(
        newSerial,
        query(
          sql,
          `with appended as (
             insert into asset_replacements (organization_id, asset_id, serial_number) values (?, ?, ?)
           ), reset as (
             update device_states
             set signal_strength = 'unknown', sends_signal = false, battery_status = 'unknown', observed_channel_types = null
             where organization_id = ? and asset_id = ?
           ), forgotten as (
             delete from device_infos where organization_id = ? and asset_id = ?
           )
           update assets set serial_number = ? where ${ACTIVE} and id = ?`,
          [
            organizationId,
            id,
            previousSerial,
            organizationId,
            id,
            organizationId,
            id,
            newSerial,
            organizationId,
            id,
          ],
        ),
      );
    },
  };
}

function refuseTakenSerial<T>(serialNumber: string, written: Promise<T>): Promise<T> {
  return written.catch((error) => {
    if (!isUniqueViolation(error, ACTIVE_SERIAL_INDEX)) throw error;
    throw conflict(`An active asset has the serial number ${serialNumber} already`);
  });
}

/** A look-up of each serial would be correlated with tables of all nodes, so all are looked up at once. */
async function findOwnersOnAllNodes(sql: Sql, serialNumbers: string[]): Promise<Owners[]> {
  const keys = serialNumbers.map((serial) => serial.toLowerCase());
  const found = await query<{ key: string; organizationId: string; needsToken: boolean }>(
    sql,
    `select lower(a.serial_number) as key, a.organization_id as "organizationId", o.requires_device_tokens as "needsToken"
     from assets a join organizations o on o.id = a.organization_id
     where lower(a.serial_number) = any(?::text[]) and a.archived_at is null`,
    [keys],
  );
  return keys.map((key) => {
    const own = found.filter((asset) => asset.key === key);
    return {
      owners: own.map(({ organizationId }) => organizationId),
      needsToken: own.some(({ needsToken }) => needsToken),
    };
  });
}

interface Owners {
  owners: string[];
  needsToken: boolean;
}
