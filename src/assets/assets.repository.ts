import { countRows, oneOf } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database, Sql } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { query, queryPrepared } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import { NO_DEADLINE } from '../presence/presence-columns.ts';
import { conflict } from '../process/errors.ts';
import type { Asset, ListedAsset, Replacement } from './asset.ts';
import { FIND_OWNERS, LIST_WITH_STATES } from './assets.statements.ts';
import { listedAssets } from './listed-assets.repository.ts';

/** The caller has locked the group. */
export type NewAsset = Pick<
  ListedAsset,
  'serialNumber' | 'name' | 'model' | 'waterType' | 'floor' | 'buildingId' | 'spaceId' | 'groupId'
>;

interface AssetRow extends Columns<NewAsset> {
  organization_id: string;
  id: string;
  created_at: Date;
  archived_at: Date | null;
}

interface ReplacementRow extends Columns<Replacement> {
  organization_id: string;
  id: string;
  asset_id: string;
}

interface AssetGroupRow {
  organization_id: string;
  asset_id: string;
  from_at: Date;
  group_id: string | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    asset_groups: AssetGroupRow;
    assets: AssetRow;
    asset_replacements: ReplacementRow;
  }
}

const toNewAsset = (row: AssetRow): NewAsset => ({
  serialNumber: row.serial_number,
  name: row.name,
  model: row.model,
  waterType: row.water_type,
  floor: row.floor,
  buildingId: row.building_id,
  spaceId: row.space_id,
  groupId: row.group_id,
});

const toColumns = (asset: Omit<NewAsset, 'serialNumber' | 'groupId'>) => ({
  name: asset.name,
  model: asset.model,
  water_type: asset.waterType,
  floor: asset.floor,
  building_id: asset.buildingId,
  space_id: asset.spaceId,
});

const REPLACEMENTS_MAX = 1_000;
/** Answers and entries of the audit trail hold them, and one page of the trail has up to 500 entries. */
const LISTED_REPLACEMENTS_MAX = 100;

export type AssetsRepository = ReturnType<typeof createAssetsRepository>;

export function createAssetsRepository(sql: Database) {
  const active = (organizationId: string) =>
    sql('assets').where({ organization_id: organizationId, archived_at: null });
  const toRow = (organizationId: string, asset: NewAsset) => ({
    organization_id: organizationId,
    serial_number: asset.serialNumber,
    group_id: asset.groupId,
    ...toColumns(asset),
  });

  /** Records that the new assets join their groups. */
  async function joinGroups(
    organizationId: string,
    assets: Array<Pick<AssetRow, 'id' | 'group_id'>>,
  ): Promise<void> {
    const joining = assets.filter(({ group_id }) => group_id !== null);
    if (joining.length === 0) return;
    const joined = { organization_id: organizationId, from_at: sql.fn.now() };
    await sql('asset_groups').insert(
      joining.map(({ id, group_id }) => ({ ...joined, asset_id: id, group_id })),
    );
  }

  return {
    async find(organizationId: string, id: string): Promise<ListedAsset | null> {
      return (await listedAssets(sql, { organizationId }).where('a.id', id).first()) ?? null;
    },

    /**
     * Per serial, in order: the organizations with an active device of it, and whether one of them requires a token
     * for each device. Covers all organizations, because a device that sends over CoAP without a token is identified
     * by its serial number alone.
     */
    async findOwners(serialNumbers: string[]): Promise<Owners[]> {
      const keys = serialNumbers.map((serial) => serial.toLowerCase());
      const found = await queryPrepared<FoundOwner>(sql, 'assets_find_owners', FIND_OWNERS, { keys });
      const byKey = new Map(keys.map((key): [string, FoundOwner[]] => [key, []]));
      for (const owner of found) byKey.get(owner.key)?.push(owner);
      return keys.map((key) => toOwners(byKey.get(key) ?? []));
    },

    /** The newest ones, oldest first. */
    async listReplacements(organizationId: string, assetId: string): Promise<Replacement[]> {
      const rows = await sql('asset_replacements')
        .where({ organization_id: organizationId, asset_id: assetId })
        .orderBy('id', 'desc')
        .limit(LISTED_REPLACEMENTS_MAX);
      return rows.toReversed().map(({ serial_number, replaced_at }) => ({
        serialNumber: serial_number,
        replacedAt: replaced_at,
      }));
    },

    listReplacedSerials: (organizationId: string, assetId: string): Promise<string[]> =>
      sql('asset_replacements')
        .where({ organization_id: organizationId, asset_id: assetId })
        .pluck('serial_number'),

    /** @throws conflict when an active asset has the serial. */
    async insert(organizationId: string, asset: NewAsset): Promise<string> {
      const inserted = await refuseTakenSerial(
        asset.serialNumber,
        sql('assets').insert(toRow(organizationId, asset)).returning(['id', 'group_id']),
      );
      await joinGroups(organizationId, inserted);
      return (inserted[0] as { id: string }).id;
    },

    /** Skips assets whose serial an active one has, even one that another transaction is inserting. */
    async insertMissing(
      organizationId: string,
      assets: NewAsset[],
    ): Promise<Array<{ id: string; serialNumber: string }>> {
      const inserted = await sql('assets')
        .insert(assets.map((asset) => toRow(organizationId, asset)))
        .onConflict(sql.raw('(organization_id, lower(serial_number)) where archived_at is null'))
        .ignore()
        .returning(['id', 'serial_number', 'group_id']);
      await joinGroups(organizationId, inserted);
      return inserted.map(({ id, serial_number }) => ({ id, serialNumber: serial_number }));
    },

    /** Active assets only. */
    async findBySerials(
      organizationId: string,
      serialNumbers: string[],
    ): Promise<Array<{ id: string; serialNumber: string }>> {
      const keys = serialNumbers.map((each) => each.toLowerCase());
      // Avoids a look-up per serial number: for an organization that is missing in the statistics, the
      // planner expects a single asset, and would read all of them for each.
      const rows = await active(organizationId)
        .where(oneOf('lower(serial_number)', keys, 'text'))
        .select('id', 'serial_number');
      return rows.map(({ id, serial_number }) => ({ id, serialNumber: serial_number }));
    },

    /** Null when there is no such asset, or it is archived. Locks the row until the transaction ends. */
    async lock(organizationId: string, id: string): Promise<NewAsset | null> {
      const row = await active(organizationId).where({ id }).first().forNoKeyUpdate();
      return row ? toNewAsset(row) : null;
    },

    async update(
      organizationId: string,
      id: string,
      asset: Omit<NewAsset, 'serialNumber' | 'groupId'>,
    ): Promise<void> {
      await active(organizationId).where({ id }).update(toColumns(asset));
    },

    /** Also ends the deadline of its device, its configuration and its membership. Needs a transaction. */
    async archive(organizationId: string, id: string): Promise<void> {
      const archived = await active(organizationId)
        .where({ id })
        .update({ archived_at: sql.fn.now(), building_id: null, space_id: null, group_id: null });
      if (archived === 0) return;
      const device = { organization_id: organizationId, asset_id: id };
      const now = sql.raw('clock_timestamp()');
      await sql('asset_groups').insert({ ...device, from_at: now, group_id: null });
      await sql('device_states')
        .where(device)
        .update({ ...NO_DEADLINE, is_active: false });
      await sql('device_configs').where(device).update({ is_active: false });
    },

    /**
     * Also clears the state from frames of the earlier hardware. Needs a transaction.
     * @throws conflict when another active asset has the serial, or this one was replaced too often.
     */
    async replaceSerial(
      organizationId: string,
      id: string,
      { previousSerial, newSerial }: { previousSerial: string; newSerial: string },
    ): Promise<void> {
      const device = { organization_id: organizationId, asset_id: id };
      if ((await countRows(sql('asset_replacements').where(device))) >= REPLACEMENTS_MAX) {
        throw conflict('The hardware was replaced 1,000 times: archive the device and register the logger');
      }
      await sql('asset_replacements').insert({ ...device, serial_number: previousSerial });
      await sql('device_states').where(device).update({
        signal_strength: 'unknown',
        sends_signal: false,
        battery_status: 'unknown',
        observed_channel_types: null,
      });
      await sql('device_infos').where(device).delete();
      await refuseTakenSerial(
        newSerial,
        active(organizationId).where({ id }).update({ serial_number: newSerial }),
      );
    },
  };
}

async function refuseTakenSerial<T>(serialNumber: string, written: PromiseLike<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!isUniqueViolation(error, 'assets_active_serial_idx')) throw error;
    throw conflict(`An active asset has the serial number ${serialNumber} already`);
  }
}

interface FoundOwner {
  /** The serial number in lower case. */
  key: string;
  organizationId: string;
  needsToken: boolean;
}

export interface Owners {
  /** Organizations with an active device of the serial number, two at most. */
  owners: string[];
  /** Whether one of them requires a token for each device. */
  needsToken: boolean;
}

const toOwners = (found: FoundOwner[]): Owners => ({
  owners: found.map(({ organizationId }) => organizationId),
  needsToken: found.some(({ needsToken }) => needsToken),
});

/** For events of devices, which batches of frames publish, too. */
export const createDeviceAssetsRepository = (sql: Sql) => ({
  /** Includes archived ones. */
  list: (refs: AssetRef[]): Promise<Array<Asset & { organizationId: string }>> =>
    query(sql, LIST_WITH_STATES, assetKeys(refs)),
});
