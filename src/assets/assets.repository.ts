import type { Sql } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { query, queryPrepared } from '../db/query.ts';
import { conflict } from '../process/errors.ts';
import type { Asset, Replacement } from './asset.ts';

const COLUMNS = `a.id, a.serial_number as "serialNumber", a.name, s.status, s.signal_strength as "signalStrength",
  s.battery_status as "batteryStatus", a.model, s.last_reading_at as "lastReadingAt", a.water_type as "waterType",
  a.floor, a.building_id as "buildingId", a.space_id as "spaceId", a.created_at as "createdAt"`;
const ACTIVE = 'organization_id = ? and archived_at is null';

const ACTIVE_SERIAL = 'assets_active_serial_idx';

export interface NewAsset {
  serialNumber: string;
  name: string;
  model: string | null;
  waterType: string | null;
  floor: number | null;
  buildingId: string | null;
  spaceId: string | null;
}

export interface AssetFilter {
  model: string | null;
  /** Ids after this one. */
  after: string | null;
  limit: number;
}

export type AssetsRepository = ReturnType<typeof createAssetsRepository>;

export function createAssetsRepository(sql: Sql) {
  return {
    /** Active assets by id, and how many match on all pages, in one round trip. */
    async list(
      organizationId: string,
      { model, after, limit }: AssetFilter,
    ): Promise<{ assets: Asset[]; total: number }> {
      const ofModel = model === null ? '' : 'and model = ?';
      const scope = model === null ? [organizationId] : [organizationId, model];
      const rows = await query<Asset & { total: number }>(
        sql,
        `select page.*, total from (select count(*) as total from assets where ${ACTIVE} ${ofModel}) as counted
         left join (
           select ${COLUMNS} from (
             select * from assets where ${ACTIVE} ${ofModel} ${after === null ? '' : 'and id > ?'} order by id limit ?
           ) as a join device_states s on s.asset_id = a.id
         ) as page on true
         order by page.id`,
        [...scope, ...scope, ...(after === null ? [] : [after]), limit],
      );
      const assets = rows.filter(({ id }) => id !== null);
      return { assets, total: rows[0]?.total ?? 0 };
    },

    async find(organizationId: string, id: string): Promise<Asset | null> {
      const [row] = await queryPrepared<Asset>(
        sql,
        'assets_find',
        `select ${COLUMNS} from assets a join device_states s on s.asset_id = a.id
         where a.organization_id = ? and a.archived_at is null and a.id = ?`,
        [organizationId, id],
      );
      return row ?? null;
    },

    /** Of any organization, archived or not. */
    listByIds(ids: string[]): Promise<Array<Asset & { organizationId: string }>> {
      return query(
        sql,
        `select ${COLUMNS}, a.organization_id as "organizationId" from assets a join device_states s on s.asset_id = a.id
         where a.id = any(?::uuid[]) order by a.id`,
        [ids],
      );
    },

    /** Per serial, in order: the organizations that have an active device of it, two at most. */
    async findOwners(serialNumbers: string[]): Promise<string[][]> {
      const rows = await queryPrepared<{ owners: string[] }>(
        sql,
        'assets_find_owners',
        `select array(
           select organization_id from assets
           where lower(serial_number) = lower(s.serial_number) and archived_at is null limit 2
         ) as owners
         from unnest(?::text[]) with ordinality as s (serial_number, position) order by s.position`,
        [serialNumbers],
      );
      return rows.map(({ owners }) => owners);
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
      const [row] = await refusingTaken(
        asset.serialNumber,
        query<{ id: string }>(
          sql,
          `insert into assets
             (organization_id, serial_number, name, model, water_type, floor, building_id, space_id)
           values (?, ?, ?, ?, ?, ?, ?, ?) returning id`,
          [
            organizationId,
            asset.serialNumber,
            asset.name,
            asset.model,
            asset.waterType,
            asset.floor,
            asset.buildingId,
            asset.spaceId,
          ],
        ),
      );
      return (row as { id: string }).id;
    },

    /** The asset and its device leave service together; nobody expects it to be heard any more. */
    async archive(organizationId: string, id: string): Promise<void> {
      await query(
        sql,
        `with archived as (
           update assets set archived_at = now(), building_id = null, space_id = null
           where ${ACTIVE} and id = ? returning id
         ), unexpected as (
           update device_states set expected_by = null where asset_id in (select id from archived)
         )
         update device_configs set is_active = false where asset_id in (select id from archived)`,
        [organizationId, id],
      );
    },

    /** What the old hardware said of itself goes with it. @throws conflict when another active asset has the serial. */
    async replaceSerial(
      organizationId: string,
      id: string,
      serials: { old: string; fresh: string },
    ): Promise<void> {
      await refusingTaken(
        serials.fresh,
        query(
          sql,
          `with appended as (
             insert into asset_replacements (organization_id, asset_id, serial_number) values (?, ?, ?)
           ), forgotten as (
             update device_states set signal_strength = 'unknown', battery_status = 'unknown', device_info = null, observed_channel_types = null
             where organization_id = ? and asset_id = ?
           )
           update assets set serial_number = ? where ${ACTIVE} and id = ?`,
          [organizationId, id, serials.old, organizationId, id, serials.fresh, organizationId, id],
        ),
      );
    },
  };
}

function refusingTaken<T>(serialNumber: string, written: Promise<T>): Promise<T> {
  return written.catch((error) => {
    if (!isUniqueViolation(error, ACTIVE_SERIAL)) throw error;
    throw conflict(`An active asset has the serial number ${serialNumber} already`);
  });
}
