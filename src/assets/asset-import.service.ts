/** Registers thousands of assets in one transaction: one statement per thousand rows, and a result for each row. */

import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { isSerialNumber } from '../devices/serial-number.ts';
import { cutText } from '../process/cut-text.ts';
import { AppError } from '../process/errors.ts';
import { inSlices } from '../process/pages.ts';
import { registrationWarnings } from './asset.ts';
import { type ImportOutcome, type ImportResult, type ImportRow, NO_GROUP_NAMED } from './asset-import.ts';
import type { AssetsRepository, NewAsset } from './assets.repository.ts';
import type { AssetGroups } from './assets.service.ts';

/** A parsed row; its group is given by id, by name, or not at all. */
export interface AssetOfRow extends NewAsset {
  group: string | null;
}

interface AssetImportDeps {
  assetsIn(sql: Database): Pick<AssetsRepository, 'insertMissing' | 'findBySerials'>;
  devicesIn(sql: Database): { insert(organizationId: string, assetIds: string[]): Promise<void> };
  groups: Pick<AssetGroups, 'findByNames' | 'lock' | 'offerProfiles'>;
  /** @throws AppError with the mistake in the row. */
  parse(value: unknown): AssetOfRow;
  /** Yields to other requests. */
  nextTurn(): Promise<unknown>;
}

export interface ImportedAssets extends Record<ImportOutcome, number> {
  /** Nothing was changed. */
  dryRun: boolean;
  results: ImportResult[];
}

export type AssetImport = ReturnType<typeof createAssetImport>;

const CHUNK = 1_000;
const NO_GROUP = 'groupId names no group';
const GONE = 'the device with this serial number was archived meanwhile: send the row again';

interface ReadRow extends Pick<ImportResult, 'row' | 'line' | 'serialNumber' | 'error'> {
  /** The serial number as it is compared, also of a faulty row; null where there is none that a device may have. */
  key: string | null;
  asset: AssetOfRow | null;
}

/** Ids by serial number as a key. */
interface Registered {
  /** Null in a dry run. */
  created: Map<string, string | null>;
  existing: Map<string, string>;
}

export function createAssetImport({ assetsIn, devicesIn, groups, parse, nextTurn }: AssetImportDeps) {
  return {
    /** Yields to other requests after each block. */
    async read(blocks: Iterable<ImportRow[]>): Promise<ReadRow[]> {
      const read: ReadRow[] = [];
      for (const block of blocks) {
        for (const row of block) read.push({ row: read.length + 1, ...readRow(row) });
        await nextTurn();
      }
      return read;
    },

    /** An active asset with the serial number of a row stays unchanged. A dry run changes nothing. */
    run(
      transact: Transact,
      organizationId: string,
      parsed: ReadRow[],
      { isDryRun = false } = {},
    ): Promise<ImportedAssets> {
      return transact(async (tx) => {
        const { sql } = tx;
        const named = await withNamedGroups(sql, organizationId, parsed);
        const read = await withKnownGroups(sql, organizationId, named);
        const first = await firstBySerial(read);
        // One order for all imports, so that two concurrent ones never deadlock.
        const assets = [...first.keys()].sort().map((key) => first.get(key)?.asset as NewAsset);
        const registered: Registered = { created: new Map(), existing: new Map() };
        const register = isDryRun ? lookUpChunk : registerChunk;
        for (const slice of inSlices(assets, CHUNK)) await register(sql, organizationId, slice, registered);
        const faulty = read.flatMap(({ key }) => (key === null || first.has(key) ? [] : key));
        for (const slice of inSlices(faulty, CHUNK))
          await findExisting(sql, organizationId, slice, registered);
        if (!isDryRun) await offerProfiles(tx, organizationId, assets, registered);
        return { dryRun: isDryRun, ...(await summaryOf(read, first, registered)) };
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
    assets: NewAsset[],
    { created }: Registered,
  ): Promise<void> {
    const assetsByGroup = new Map<string, string[]>();
    for (const { serialNumber, groupId } of assets) {
      const id = created.get(keyOf(serialNumber));
      if (!id || !groupId) continue;
      const assetIds = assetsByGroup.get(groupId);
      if (assetIds) assetIds.push(id);
      else assetsByGroup.set(groupId, [id]);
    }
    if (assetsByGroup.size > 0) await groups.offerProfiles(tx, organizationId, assetsByGroup);
  }

  function readRow(row: ImportRow): Omit<ReadRow, 'row'> {
    const { line } = row;
    if ('error' in row) return { line, serialNumber: null, key: null, asset: null, error: row.error };
    const given = serialOf(row.value);
    const serialNumber = given && cutText(given, SERIAL_SHOWN_MAX);
    const key = given !== null && isSerialNumber(given) ? keyOf(given) : null;
    try {
      return { line, serialNumber, key, asset: parse(row.value), error: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { line, serialNumber, key, asset: null, error: error.message };
    }
  }

  /** Yields to other requests after each piece. */
  async function* inPieces<Item>(items: Item[]): AsyncGenerator<Item[]> {
    for (const piece of inSlices(items, CHUNK)) {
      yield piece;
      await nextTurn();
    }
  }

  /** The first row of each serial number that is not faulty: it creates the asset. */
  async function firstBySerial(rows: ReadRow[]): Promise<Map<string, ReadRow>> {
    const first = new Map<string, ReadRow>();
    for await (const piece of inPieces(rows)) {
      for (const row of piece)
        if (row.key !== null && row.asset && !first.has(row.key)) first.set(row.key, row);
    }
    return first;
  }

  async function summaryOf(
    rows: ReadRow[],
    first: Map<string, ReadRow>,
    { created, existing }: Registered,
  ): Promise<Omit<ImportedAssets, 'dryRun'>> {
    const summary = { created: 0, unchanged: 0, failed: 0, results: [] as ImportResult[] };
    const outcomeOf = ({ row, key }: ReadRow): ImportOutcome => {
      if (key !== null && existing.has(key)) return 'unchanged';
      const creating = key !== null && created.has(key) ? first.get(key) : undefined;
      if (!creating || row < creating.row) return 'failed';
      return row === creating.row ? 'created' : 'unchanged';
    };
    for await (const piece of inPieces(rows)) {
      for (const row of piece) {
        const outcome = outcomeOf(row);
        const key = row.key ?? '';
        summary[outcome] += 1;
        summary.results.push(resultOf(row, outcome, created.get(key) ?? existing.get(key) ?? null));
      }
    }
    return summary;
  }

  async function registerChunk(
    sql: Database,
    organizationId: string,
    chunk: NewAsset[],
    registered: Registered,
  ): Promise<void> {
    const inserted = await assetsIn(sql).insertMissing(organizationId, chunk);
    await devicesIn(sql).insert(
      organizationId,
      inserted.map(({ id }) => id),
    );
    for (const { id, serialNumber } of inserted) registered.created.set(keyOf(serialNumber), id);
    const others = keysOf(chunk).filter((key) => !registered.created.has(key));
    await findExisting(sql, organizationId, others, registered);
  }

  /** Devices that there are not would be created. */
  async function lookUpChunk(
    sql: Database,
    organizationId: string,
    chunk: NewAsset[],
    registered: Registered,
  ): Promise<void> {
    const keys = keysOf(chunk);
    await findExisting(sql, organizationId, keys, registered);
    for (const key of keys) if (!registered.existing.has(key)) registered.created.set(key, null);
  }

  async function findExisting(
    sql: Database,
    organizationId: string,
    keys: string[],
    { existing }: Registered,
  ): Promise<void> {
    for (const { id, serialNumber } of await assetsIn(sql).findBySerials(organizationId, keys))
      existing.set(keyOf(serialNumber), id);
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
const keysOf = (assets: NewAsset[]) => assets.map(({ serialNumber }) => keyOf(serialNumber));

const SERIAL_SHOWN_MAX = 64;

function serialOf(value: unknown): string | null {
  const serialNumber = (value as { serialNumber?: unknown } | null)?.serialNumber;
  return typeof serialNumber === 'string' ? serialNumber : null;
}

function resultOf(
  { row, line, serialNumber, error }: ReadRow,
  outcome: ImportOutcome,
  id: string | null,
): ImportResult {
  const hasFailed = outcome === 'failed';
  return {
    row,
    line,
    serialNumber,
    outcome,
    id: hasFailed ? null : id,
    error: hasFailed ? (error ?? GONE) : null,
    ...(!hasFailed && registrationWarnings(serialNumber as string)),
  };
}
