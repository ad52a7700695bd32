/** All readings of assets with few of them in a range: many assets in one statement, hence one snapshot. */
import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { StoredReading } from '../devices/reading.ts';
import { DAY_MS } from '../process/durations.ts';
import { type BlockRow, blockOf } from './block-columns.ts';
import { LIST_FEW } from './history.statements.ts';
import { newestReadings } from './newest-readings.ts';
import { type ReadingBlock, startOfDay } from './reading-block.ts';

interface FewReadingsScope {
  organizationId: string;
  assetIds: string[];
  from: Date;
  to: Date;
}

export type FewReadingsRepository = ReturnType<typeof createFewReadingsRepository>;

export const createFewReadingsRepository = (sql: Sql) => ({
  /**
   * A list for each of the first assets, newest first. It ends before the first asset with more than fits.
   */
  async listFew(scope: FewReadingsScope): Promise<StoredReading[][]> {
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
  /** Counted from 1. */
  position: number;
  /** Position of the first asset that has more than fits, with one row; null if all fit. */
  cut: number | null;
}

const bindingsOf = ({ organizationId, assetIds, from, to }: FewReadingsScope) => ({
  organizationId,
  assetIds: toArrayText(assetIds, (assetId) => assetId),
  from: from.toISOString(),
  to: to.toISOString(),
  endOfDay: new Date(startOfDay(to.getTime()) + DAY_MS).toISOString(),
});
