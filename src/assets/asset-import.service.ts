/** Registers thousands of assets in one transaction: one statement per thousand rows, and a result for each row. */

import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { cutText } from '../process/cut-text.ts';
import { AppError } from '../process/errors.ts';
import { registrationWarnings } from './asset.ts';
import type { ImportResult, ImportRow } from './asset-import.ts';
import type { AssetsRepository, NewAsset } from './assets.repository.ts';
import type { AssetGroups } from './assets.service.ts';

/** A parsed row; its group is given by id, by name, or not at all. */
export interface AssetOfRow extends NewAsset {
  group: string | null;
}

export interface AssetImportDeps {
  assetsIn(sql: Database): Pick<AssetsRepository, 'insertMissing' | 'findBySerials'>;
  devicesIn(sql: Database): { insertMany(organizationId: string, assetIds: string[]): Promise<void> };
  groups: Pick<AssetGroups, 'findByNames' | 'lock' | 'offerProfiles'>;
  /** @throws AppError with the mistake in the row. */
  parse(value: unknown): AssetOfRow;
  /** Yields to other requests. */
  nextTurn(): Promise<unknown>;
}

export interface ImportedAssets {
  created: number;
  unchanged: number;
  failed: number;
  results: ImportResult[];
}

export type AssetImport = ReturnType<typeof createAssetImport>;

const CHUNK = 1_000;
const NO_GROUP = 'groupId names no group';
const NO_GROUP_NAMED =
  'group must be the name of a group that exists, as in GET /groups; case does not count';
const GONE = 'the device with this serial number was archived meanwhile: send the row again';

type ReadRow = { row: number; serialNumber: string | null; asset: AssetOfRow | null; error: string | null };

export function createAssetImport({ assetsIn, devicesIn, groups, parse, nextTurn }: AssetImportDeps) {
  return {
    /** An active asset with the serial number of a row stays unchanged. */
    async run(
      transact: Transact,
      organizationId: string,
      blocks: Iterable<ImportRow[]>,
    ): Promise<ImportedAssets> {
      const parsed = await readRows(blocks);
      return transact(async (tx) => {
        const { sql } = tx;
        const named = await withNamedGroups(sql, organizationId, parsed);
        const read = await withKnownGroups(sql, organizationId, named);
        const first = await firstBySerial(read);
        // One order for all imports, so that two concurrent ones never deadlock.
        const missing = [...first.keys()].sort().map((serial) => first.get(serial) as NewAsset);
        const createdIds = new Map<string, string>();
        const ids = new Map<string, string>();
        for (let at = 0; at < missing.length; at += CHUNK) {
          const chunk = missing.slice(at, at + CHUNK);
          await registerChunk(sql, organizationId, chunk, createdIds, ids);
        }
        await offerProfiles(tx, organizationId, missing, createdIds);
        return summaryOf(read, first, createdIds, ids);
      });
    },
  };

  /** Replaces the names of groups by their ids. */
  async function withNamedGroups(sql: Database, organizationId: string, rows: ReadRow[]): Promise<ReadRow[]> {
    const names = [...new Set(rows.flatMap(({ asset }) => asset?.group ?? []))];
    if (names.length === 0) return rows;
    const ids = await groups.findByNames(sql, organizationId, names);
    return rows.map((row) => (row.asset?.group ? withGroup(row, ids.get(row.asset.group)) : row));
  }

  /** A row with an unknown group fails like one with an invalid floor. */
  async function withKnownGroups(sql: Database, organizationId: string, rows: ReadRow[]): Promise<ReadRow[]> {
    const named = [...new Set(rows.flatMap(({ asset }) => asset?.groupId ?? []))];
    if (named.length === 0) return rows;
    const existing = await groups.lock(sql, organizationId, named);
    const isKnown = ({ asset }: ReadRow) => !asset?.groupId || existing.has(asset.groupId);
    return rows.map((row) => (isKnown(row) ? row : withoutGroup(row)));
  }

  /** An existing asset stays in its group. */
  async function offerProfiles(
    tx: Transaction,
    organizationId: string,
    missing: NewAsset[],
    createdIds: Map<string, string>,
  ): Promise<void> {
    const assetsByGroup = new Map<string, string[]>();
    for (const { serialNumber, groupId } of missing) {
      const id = createdIds.get(keyOf(serialNumber));
      if (!id || !groupId) continue;
      const assetIds = assetsByGroup.get(groupId);
      if (assetIds) assetIds.push(id);
      else assetsByGroup.set(groupId, [id]);
    }
    if (assetsByGroup.size > 0) await groups.offerProfiles(tx, organizationId, assetsByGroup);
  }

  /** Yields to other requests after each block. */
  async function readRows(blocks: Iterable<ImportRow[]>): Promise<ReadRow[]> {
    const read: ReadRow[] = [];
    for (const block of blocks) {
      for (const row of block) read.push({ row: read.length + 1, ...readRow(row) });
      await nextTurn();
    }
    return read;
  }

  function readRow(row: ImportRow): Omit<ReadRow, 'row'> {
    if ('error' in row) return { serialNumber: null, asset: null, error: row.error };
    try {
      const asset = parse(row.value);
      return { serialNumber: asset.serialNumber, asset, error: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { serialNumber: serialOf(row.value), asset: null, error: error.message };
    }
  }

  /** Yields to other requests after each piece. */
  async function* inPieces<Item>(items: Item[]): AsyncGenerator<Item[]> {
    for (let at = 0; at < items.length; at += CHUNK) {
      yield items.slice(at, at + CHUNK);
      await nextTurn();
    }
  }

  async function firstBySerial(rows: ReadRow[]): Promise<Map<string, NewAsset>> {
    const first = new Map<string, NewAsset>();
    for await (const piece of inPieces(rows)) {
      for (const { asset } of piece) {
        const key = asset && keyOf(asset.serialNumber);
        if (key !== null && !first.has(key)) first.set(key, asset as NewAsset);
      }
    }
    return first;
  }

  /** The first row of each serial number creates the asset. */
  async function summaryOf(
    rows: ReadRow[],
    first: Map<string, NewAsset>,
    createdIds: Map<string, string>,
    ids: Map<string, string>,
  ): Promise<ImportedAssets> {
    const summary: ImportedAssets = { created: 0, unchanged: 0, failed: 0, results: [] };
    for await (const piece of inPieces(rows)) {
      for (const row of piece) {
        const key = row.asset && keyOf(row.asset.serialNumber);
        const createdId = key === null ? undefined : createdIds.get(key);
        const result = resultOf(row, createdId ?? (key === null ? undefined : ids.get(key)) ?? null);
        summary.results.push(result);
        if (result.id === null) summary.failed++;
        else if (createdId !== undefined && first.get(key as string) === row.asset) summary.created++;
        else summary.unchanged++;
      }
    }
    return summary;
  }

  async function registerChunk(
    sql: Database,
    organizationId: string,
    chunk: NewAsset[],
    createdIds: Map<string, string>,
    ids: Map<string, string>,
  ): Promise<void> {
    const inserted = await assetsIn(sql).insertMissing(organizationId, chunk);
    await devicesIn(sql).insertMany(
      organizationId,
      inserted.map(({ id }) => id),
    );
    for (const { id, serialNumber } of inserted) createdIds.set(keyOf(serialNumber), id);
    const known = chunk
      .map(({ serialNumber }) => serialNumber)
      .filter((each) => !createdIds.has(keyOf(each)));
    for (const { id, serialNumber } of await assetsIn(sql).findBySerials(organizationId, known)) {
      ids.set(keyOf(serialNumber), id);
    }
  }
}

const withGroup = (row: ReadRow, groupId: string | undefined): ReadRow =>
  row.asset && groupId ? { ...row, asset: { ...row.asset, groupId } } : withoutGroup(row);

const withoutGroup = (row: ReadRow): ReadRow => ({
  ...row,
  asset: null,
  error: row.asset?.group ? NO_GROUP_NAMED : NO_GROUP,
});

const keyOf = (serialNumber: string) => serialNumber.toLowerCase();

const SERIAL_SHOWN_MAX = 64;

function serialOf(value: unknown): string | null {
  const serialNumber = (value as { serialNumber?: unknown } | null)?.serialNumber;
  return typeof serialNumber === 'string' ? cutText(serialNumber, SERIAL_SHOWN_MAX) : null;
}

function resultOf({ row, serialNumber, error }: ReadRow, id: string | null): ImportResult {
  const warnings = id === null ? [] : registrationWarnings(serialNumber as string);
  return {
    row,
    serialNumber,
    id,
    error: error ?? (id === null ? GONE : null),
    ...(warnings.length > 0 && { warnings }),
  };
}
