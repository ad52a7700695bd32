/** All readings of assets that have few in a range: many assets in one statement, hence one snapshot. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { BLOCK_FIELDS, type BlockRow, blockOf, SPANS } from './block-columns.ts';
import type { HistoryReading } from './history.ts';
import { newestReadings } from './newest-readings.ts';
import { DAY_MS, type ReadingBlock, startOfDay } from './reading-block.ts';

export interface FewReadingsScope {
  organizationId: string;
  assetIds: string[];
  from: Date;
  to: Date;
}

/** Blocks of one asset, and readings of an answer: bounds of what a statement reads, whatever the assets have. */
const BLOCKS_MAX = 50;
const READINGS_MAX = 500;

export type FewReadingsRepository = ReturnType<typeof createFewReadingsRepository>;

export const createFewReadingsRepository = (sql: Sql) => ({
  /** A list for each of the first assets, newest first. It ends before the first asset that has more than fits. */
  async listFew(scope: FewReadingsScope): Promise<HistoryReading[][]> {
    const rows = await queryPrepared<Row>(sql, 'history_list_few', LIST_FEW, bindingsOf(scope));
    const blocks = scope.assetIds.map((): ReadingBlock[] => []);
    for (const row of rows) if (row.position !== row.cut) blocks[row.position - 1]?.push(blockOf(row));
    const [first] = rows;
    const { from, to } = scope;
    return blocks.slice(0, first?.cut ? first.cut - 1 : undefined).map((own) => {
      const filter = { from, to, before: null, limit: Number.MAX_SAFE_INTEGER };
      return newestReadings({ blocks: own, isCut: false }, filter) ?? [];
    });
  },
});

interface Row extends BlockRow {
  /** From 1. */
  position: number;
  /** Position of the first asset that has more than fits, with one row; null if all fit. */
  cut: number | null;
}

const COLUMNS = `first_at, last_at, received_at, channel, type, scale, late, steps, numbers, errors, offsets_ms,
  run_lengths, run_delays_ms, period_seconds`;

/** The blocks of each asset as `listBlocks` finds them. Their arrays are not read before it is known which of them fit. */
const LIST_FEW = `select position::integer, cut::integer, ${BLOCK_FIELDS} from (
    select *, min(position) filter (where blocks >= ${BLOCKS_MAX} or total > ${READINGS_MAX}) over () as cut from (
      select b.*, n.position, count(*) over (partition by n.position) as blocks,
        row_number() over (partition by n.position order by b.last_at desc) as nth,
        sum(b.readings) over (order by n.position) as total
      from unnest(?::uuid[]) with ordinality as n (asset_id, position)
      cross join lateral (
        select b.* from ${SPANS}
        cross join lateral (
          select ${COLUMNS}, coalesce(cardinality(steps), cardinality(numbers)) as readings
          from measurement_blocks
          where organization_id = ? and asset_id = n.asset_id and span_minutes = span.minutes
            and last_at >= ?::timestamptz and last_at < ?::timestamptz
            and last_at <= ?::timestamptz + make_interval(mins => span.minutes) and first_at < ?::timestamptz
          order by last_at desc limit ${BLOCKS_MAX}
        ) as b
        order by b.last_at desc limit ${BLOCKS_MAX}
      ) as b
    ) as b
  ) as b
  where cut is null or position < cut or position = cut and nth = 1
  order by position, last_at desc`;

function bindingsOf({ organizationId, assetIds, from, to }: FewReadingsScope): string[] {
  const [first, end] = [from.toISOString(), to.toISOString()];
  const endOfDay = new Date(startOfDay(to.getTime()) + DAY_MS).toISOString();
  const ids = toArrayText(assetIds, (assetId) => assetId);
  return [ids, organizationId, first, endOfDay, end, end];
}
