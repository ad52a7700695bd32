/**
 * Moves readings that an earlier version has stored, one to a row, into blocks. The service runs meanwhile: readers see
 * both. Each transaction moves some days of one asset, so the move may be stopped anywhere and goes on where it was.
 */
import type { Sql } from '../db/database.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { CompactionRepository } from './compaction.repository.ts';
import { keyOfReading, type StoredReading } from './reading.ts';
import { DAY_MS, startOfDay, toBlocks } from './reading-block.ts';
import type { RowMoveRepository } from './row-move.repository.ts';
import type { TimeRange } from './stored-keys.repository.ts';

export interface RowMoveDeps {
  transact: Transact;
  sql: Sql;
  rowsIn(sql: Sql): RowMoveRepository;
  blocksIn(sql: Sql): Pick<CompactionRepository, 'insert'>;
  storedKeysIn(sql: Sql): { find(ranges: TimeRange[]): Promise<Map<string, Set<number>>> };
  partitions: { ensure(times: Iterable<Date>): Promise<void> };
  /** Readings moved so far. */
  onProgress(moved: number): void;
}

/** At most this many, and the rest of their last day. */
const READINGS_PER_TRANSACTION = 5_000;

/** Returns the number of readings that were moved. */
export async function moveRows(deps: RowMoveDeps): Promise<number> {
  let moved = 0;
  let asset: AssetRef | null = null;
  for (;;) {
    const next: AssetRef | null = await deps.rowsIn(deps.sql).findNext(asset);
    if (!next) return moved;
    for (let count = -1; count !== 0; ) {
      count = await moveOldest(deps, next);
      moved += count;
      deps.onProgress(moved);
    }
    asset = next;
  }
}

const moveOldest = (deps: RowMoveDeps, asset: AssetRef): Promise<number> =>
  deps.transact(async ({ sql }) => {
    const rows = deps.rowsIn(sql);
    await rows.lockDevice(asset);
    const readings = await rows.takeOldest(asset, READINGS_PER_TRANSACTION);
    const unknown = await withoutStored(deps, { sql }, asset, readings);
    await deps.partitions.ensure(unknown.map(({ measuredAt }) => measuredAt));
    await deps.blocksIn(sql).insert(toBlocks(unknown).map((block) => ({ ...asset, block })));
    return readings.length;
  });

/** A frame that was sent again to a process of the earlier version may be in blocks already. */
async function withoutStored(
  { storedKeysIn }: RowMoveDeps,
  { sql }: InTransaction,
  asset: AssetRef,
  readings: StoredReading[],
): Promise<StoredReading[]> {
  const days = new Set(readings.map(({ measuredAt }) => startOfDay(measuredAt.getTime())));
  const ranges = [...days].map((day) => ({
    ...asset,
    from: day,
    to: day + DAY_MS - 1,
    before: day + DAY_MS,
  }));
  if (ranges.length === 0) return [];
  const stored = (await storedKeysIn(sql).find(ranges)).get(asset.assetId);
  return stored ? readings.filter((reading) => !stored.has(keyOfReading(reading))) : readings;
}
