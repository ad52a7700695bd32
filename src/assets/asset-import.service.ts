/** Registers thousands of assets in one transaction: one statement per thousand rows, and a result for each row. */

import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { cutText } from '../process/cut-text.ts';
import { AppError } from '../process/errors.ts';
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

interface ReadRow {
  row: number;
  line: number;
  serialNumber: string | null;
  asset: AssetOfRow | null;
  error: string | null;
}

/** Ids by serial number as a key. */
interface Registered {
  /** Null in a dry run. */
  created: Map<string, string | null>;
  existing: Map<string, string>;
}

export function createAssetImport({ assetsIn, devicesIn, groups, parse, nextTurn }: AssetImportDeps) {
  return {
    /** An active asset with the serial number of a row stays unchanged. A dry run changes nothing. */
    async run(
      transact: Transact,
      organizationId: string,
      blocks: Iterable<ImportRow[]>,
      { isDryRun = false } = {},
    ): Promise<ImportedAssets> {
      const parsed = await readRows(blocks);
      return transact(async (tx) => {
        const { sql } = tx;
        const named = await withNamedGroups(sql, organizationId, parsed);
        const read = await withKnownGroups(sql, organizationId, named);
        const first = await firstBySerial(read);
        // One order for all imports, so that two concurrent ones never deadlock.
        const assets = [...first.keys()].sort().map((serial) => first.get(serial) as NewAsset);
        const registered: Registered = { created: new Map(), existing: new Map() };
        const register = isDryRun ? lookUpChunk : registerChunk;
        for (let at = 0; at < assets.length; at += CHUNK)
          await register(sql, organizationId, assets.slice(at, at + CHUNK), registered);
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
    const { line } = row;
    if ('error' in row) return { line, serialNumber: null, asset: null, error: row.error };
    try {
      const asset = parse(row.value);
      return { line, serialNumber: asset.serialNumber, asset, error: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { line, serialNumber: serialOf(row.value), asset: null, error: error.message };
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
    { created, existing }: Registered,
  ): Promise<Omit<ImportedAssets, 'dryRun'>> {
    const summary = { created: 0, unchanged: 0, failed: 0, results: [] as ImportResult[] };
    const outcomeOf = ({ asset }: ReadRow): ImportOutcome => {
      const key = asset && keyOf(asset.serialNumber);
      if (key !== null && created.has(key)) return first.get(key) === asset ? 'created' : 'unchanged';
      return key !== null && existing.has(key) ? 'unchanged' : 'failed';
    };
    for await (const piece of inPieces(rows)) {
      for (const row of piece) {
        const outcome = outcomeOf(row);
        const key = row.asset === null ? '' : keyOf(row.asset.serialNumber);
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
    const others = chunk.filter(({ serialNumber }) => !registered.created.has(keyOf(serialNumber)));
    await findExisting(sql, organizationId, others, registered);
  }

  /** Devices that there are not would be created. */
  async function lookUpChunk(
    sql: Database,
    organizationId: string,
    chunk: NewAsset[],
    registered: Registered,
  ): Promise<void> {
    await findExisting(sql, organizationId, chunk, registered);
    for (const { serialNumber } of chunk) {
      const key = keyOf(serialNumber);
      if (!registered.existing.has(key)) registered.created.set(key, null);
    }
  }

  async function findExisting(
    sql: Database,
    organizationId: string,
    assets: NewAsset[],
    { existing }: Registered,
  ): Promise<void> {
    const serialNumbers = assets.map(({ serialNumber }) => serialNumber);
    for (const { id, serialNumber } of await assetsIn(sql).findBySerials(organizationId, serialNumbers))
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

const SERIAL_SHOWN_MAX = 64;

function serialOf(value: unknown): string | null {
  const serialNumber = (value as { serialNumber?: unknown } | null)?.serialNumber;
  return typeof serialNumber === 'string' ? cutText(serialNumber, SERIAL_SHOWN_MAX) : null;
}

function resultOf(
  { row, line, serialNumber, error }: ReadRow,
  outcome: ImportOutcome,
  id: string | null,
): ImportResult {
  const hasFailed = outcome === 'failed';
  const warnings = hasFailed ? [] : registrationWarnings(serialNumber as string);
  return {
    row,
    line,
    serialNumber,
    outcome,
    id,
    error: error ?? (hasFailed ? GONE : null),
    ...(warnings.length > 0 && { warnings }),
  };
}
