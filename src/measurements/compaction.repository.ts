/** Reads and rewrites the blocks of devices, whose rows are locked against frames meanwhile. */
import { toArrayText } from '../db/array-text.ts';
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { type DueRow, workOnDueRows } from '../db/due-rows.ts';
import { query } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import { FIRST_ID } from '../process/uuid.ts';
import { type AssetBlock, type BlockRow, blockBindings, blockOf } from './block-columns.ts';
import {
  AT_PLACES_OF_DAY,
  DUE,
  INSERT,
  LIST_BLOCKS,
  LOCK_DUE,
  RECORD_COMPACTED,
} from './compaction.statements.ts';
import type { CompactionWindow, DueDevice, UnreadDay } from './compaction.ts';

interface ListedBlocks {
  blocks: AssetBlock[];
  /** At most one; where tables are distributed, one for each organization. */
  unread: UnreadDay[];
}

type Row = BlockRow & Pick<AssetBlock, keyof AssetRef | 'freshHour'> & { isWithin: boolean };

export type CompactionRepository = ReturnType<typeof createCompactionRepository>;

/** An arbitrary number that nothing else uses. */
const COMPACTION = 714_201_119;

export function createCompactionRepository(sql: Database) {
  const blocksOf = ({ organizationId, assetId, from, before }: CompactionWindow) =>
    sql('measurement_blocks')
      .where({ organization_id: organizationId, asset_id: assetId })
      .whereRaw(AT_PLACES_OF_DAY, { organizationId, assetId, from, before })
      .where('last_at', '>=', from)
      .where('last_at', '<', before);

  return {
    /** Locks until the transaction ends; false while another process compacts. */
    async lockCompaction(): Promise<boolean> {
      const lock = sql.raw('pg_try_advisory_xact_lock(?) as "isLocked"', [COMPACTION]);
      return (await sql.first(lock)).isLocked;
    },

    /**
     * Locks devices of all organizations with uncompacted readings before the time, the longest waiting
     * first, after the given one. Skips devices that are sending.
     */
    async lockDue(before: Date, after: DueDevice | null, limit: number): Promise<DueDevice[]> {
      const bindings = {
        before: before.toISOString(),
        afterFrom: after?.from.toISOString() ?? '-infinity',
        afterId: after?.assetId ?? FIRST_ID,
      };
      const list: PromiseLike<DueRow[]> = acrossOrganizations(sql('device_states'))
        .whereRaw(DUE, bindings)
        .orderBy(['uncompacted_from', 'asset_id'])
        .limit(limit)
        .select({ organizationId: 'organization_id', id: 'asset_id' });
      const locked = await workOnDueRows<DueDevice>(sql, { list, work: LOCK_DUE }, bindings);
      return locked.sort(byTurn);
    },

    /**
     * The blocks of whole days, in the order of the windows, as long as they have at most that many readings together; and
     * the first day beyond.
     */
    async listBlocks(windows: CompactionWindow[], readingsMax: number): Promise<ListedBlocks> {
      const rows = await query<Row>(sql, LIST_BLOCKS, {
        ...assetKeys(windows),
        from: times(windows, 'from'),
        before: times(windows, 'before'),
        readingsMax,
      });
      return {
        blocks: rows.filter(({ isWithin }) => isWithin).map(toAssetBlock),
        unread: rows
          .filter(({ isWithin }) => !isWithin)
          .map(({ assetId, lastAt }) => ({ assetId, lastAt: Math.round(lastAt) })),
      };
    },

    /**
     * Returns the number of blocks of the day. One statement per day: joined to days, it might read whole
     * partitions.
     */
    removeDay: (day: CompactionWindow): Promise<number> => blocksOf(day).delete(),

    /**
     * Keeps the blocks of the day as they are, and findable after it was recorded as compacted: fresh ones are found only
     * from `fresh_from` on, which moves on to the next day.
     */
    async leaveDay(day: CompactionWindow): Promise<void> {
      await blocksOf(day).whereNotNull('fresh_hour').update({ fresh_hour: null });
    },

    async insert(blocks: AssetBlock[]): Promise<void> {
      await query(sql, INSERT, blockBindings(blocks));
    },

    /** The first block after the windows is due next. */
    async recordCompacted(windows: CompactionWindow[]): Promise<void> {
      await query(sql, RECORD_COMPACTED, { ...assetKeys(windows), before: times(windows, 'before') });
    },
  };
}

const toAssetBlock = (row: Row): AssetBlock => ({
  organizationId: row.organizationId,
  assetId: row.assetId,
  block: blockOf(row),
  freshHour: row.freshHour,
});

const times = (windows: CompactionWindow[], field: 'from' | 'before'): string =>
  toArrayText(windows, (window) => window[field].toISOString());

/** The order in which one statement would have returned rows of several organizations. */
const byTurn = (one: DueDevice, other: DueDevice): number =>
  one.from.getTime() - other.from.getTime() || (one.assetId < other.assetId ? -1 : 1);
