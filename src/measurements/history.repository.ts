import { toArrayText } from '../db/array-text.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import { CHANNELS_MAX, type Layout } from '../devices/device-capabilities.ts';
import type { StoredReading } from '../devices/reading.ts';
import { DAY_MS } from '../process/durations.ts';
import {
  BLOCK_FIELDS,
  type BlockRow,
  blockOf,
  placesOf,
  SAMPLES_FIELDS,
  type SamplesRow,
  STORED_COLUMNS,
  samplesOf,
} from './block-columns.ts';
import { LIST_FEW } from './history.statements.ts';
import { type NewestFilter, newestReadings } from './newest-readings.ts';
import { countReadings, type ReadingBlock, type SampleBlock, startOfDay } from './reading-block.ts';

export interface HistoryScope extends AssetRef {
  layout: Layout;
}

export type HistoryFilter = NewestFilter & { channel: number | null };

/** The blocks that are read. */
export type BlockFilter = Omit<HistoryFilter, 'limit'>;

interface FewReadingsScope {
  organizationId: string;
  assetIds: string[];
  from: Date;
  to: Date;
}

export type HistoryRepository = ReturnType<typeof createHistoryRepository>;

export function createHistoryRepository(sql: Sql) {
  return {
    list: (scope: HistoryScope, filter: HistoryFilter): Promise<StoredReading[]> => lister(scope)(filter),
    lister,

    /** The same blocks as `listBlocks`, without the columns that only single readings need. */
    async listSamples(scope: HistoryScope, filter: BlockFilter, blocksMax: number): Promise<SampleBlock[]> {
      const bounds = boundsOf(filter);
      const [row] = await queryPrepared<SamplesRow>(
        sql,
        nameOf('history_samples', bounds),
        textOf(SAMPLES_FIELDS, bounds),
        bindingsOf(scope, filter, blocksMax),
      );
      return row ? samplesOf(row) : [];
    },

    /**
     * All readings of assets with few of them in a range: many assets in one statement, hence one snapshot. A list for each
     * of the first assets, newest first, ends before the first asset with more than fits.
     */
    async listFew(scope: FewReadingsScope): Promise<StoredReading[][]> {
      const rows = await queryPrepared<FewRow>(sql, 'history_list_few', LIST_FEW, fewBindingsOf(scope));
      const blocks = scope.assetIds.map((): ReadingBlock[] => []);
      for (const row of rows) if (row.position !== row.cut) blocks[row.position - 1]?.push(blockOf(row));
      const [first] = rows;
      const { from, to } = scope;
      return blocks.slice(0, first?.cut ? first.cut - 1 : undefined).map((own) => {
        const filter = { from, to, before: null, limit: Number.MAX_SAFE_INTEGER };
        return newestReadings({ blocks: own, isCut: false }, filter) ?? [];
      });
    },
  };

  /**
   * Lists pages, newest first. A page comes from one statement, so blocks that are compacted meanwhile are
   * read once; where it was too few blocks, more are read instead, and for the next page as many at once.
   */
  function lister(scope: HistoryScope): (filter: HistoryFilter) => Promise<StoredReading[]> {
    let blocksMax = 0;
    return async (filter) => {
      blocksMax ||= firstBlocksMax(filter.limit);
      for (;;) {
        const blocks = await listBlocks(scope, filter, blocksMax);
        const isCut = blocks.length >= blocksMax;
        const readings = newestReadings({ blocks, isCut }, filter);
        const expected = expectedBlocks(blocks, filter.limit);
        blocksMax = readings ? Math.min(blocksMax, expected) : Math.max(2 * blocksMax, expected);
        if (readings) return readings;
      }
    };
  }

  /** Blocks that may contain matching readings, by descending last time, from one snapshot. */
  async function listBlocks(
    scope: HistoryScope,
    filter: BlockFilter,
    blocksMax: number,
  ): Promise<ReadingBlock[]> {
    const bounds = boundsOf(filter);
    const rows = await queryPrepared<BlockRow>(
      sql,
      nameOf('history_list', bounds),
      textOf(BLOCK_FIELDS, bounds),
      bindingsOf(scope, filter, blocksMax),
    );
    return rows.map(blockOf);
  }
}

const nameOf = (prefix: string, bounds: Bound[]): string =>
  [prefix, ...bounds.map(({ name }) => name)].join('_');

const textOf = (fields: string, bounds: Bound[]): string =>
  `select ${fields} from (
     select b.* from ${placesOf(':organizationId', ':assetId', ':earliest::timestamptz', 'least(fresh.latest_measured_at, :latest::timestamptz)')}
     cross join lateral (
       select ${STORED_COLUMNS} from measurement_blocks
       where place = at.place and ${conditionsOf(bounds)}
       order by last_at desc, channel desc limit :blocksMax
     ) as b
     order by b.last_at desc limit :blocksMax
   ) as b`;

const conditionsOf = (bounds: Bound[]): string =>
  [
    'organization_id = :organizationId',
    'asset_id = :assetId',
    ...bounds.map(({ condition }) => condition),
  ].join(' and ');

const bindingsOf = ({ organizationId, assetId }: HistoryScope, filter: BlockFilter, blocksMax: number) => ({
  organizationId,
  assetId,
  blocksMax,
  earliest: filter.from?.toISOString() ?? '-infinity',
  latest: latestOf(filter)?.toISOString() ?? 'infinity',
  ...Object.assign({}, ...boundsOf(filter).map(({ bindings }) => bindings)),
});

/** Null without an upper bound. */
function latestOf({ to, before }: BlockFilter): Date | null {
  if (!before) return to;
  return to && to < before.measuredAt ? to : before.measuredAt;
}

/** Enough for one query if devices send some readings at a time; compacted days need less. */
const firstBlocksMax = (limit: number) => 8 + Math.ceil(limit / 20);

/** Estimate by the number of readings in these blocks, with a margin. */
function expectedBlocks(blocks: ReadingBlock[], limit: number): number {
  return Math.ceil((1.25 * limit * blocks.length) / Math.max(1, countReadings(blocks))) + CHANNELS_MAX;
}

interface Bound {
  /** Part of the name of the prepared statement. */
  name: string;
  condition: string;
  bindings: Record<string, unknown>;
}

/**
 * A block ends on the day on which it begins, and no later after a time in it than its span. That bounds its
 * place in the index, and its partition, so a page skips few blocks, however many the rest of the day has.
 */
function boundsOf({ from, to, channel, before }: BlockFilter): Bound[] {
  const bounds: Bound[] = [];
  const until = (name: string, comparison: '<' | '<=', at: Date): Bound => ({
    name,
    condition: `last_at < :${name}EndOfDay::timestamptz and first_at ${comparison} :${name}::timestamptz
         and last_at <= :${name}::timestamptz + make_interval(mins => at.reach)`,
    bindings: { [name]: at.toISOString(), [`${name}EndOfDay`]: endOfDay(at).toISOString() },
  });
  if (from)
    bounds.push({
      name: 'from',
      condition: 'last_at >= :from::timestamptz',
      bindings: { from: from.toISOString() },
    });
  if (to) bounds.push(until('to', '<', to));
  if (channel !== null)
    bounds.push({ name: 'channel', condition: 'channel = :channel::smallint', bindings: { channel } });
  if (before) bounds.push(until('before', '<=', before.measuredAt));
  return bounds;
}

const endOfDay = (at: Date): Date => new Date(startOfDay(at.getTime()) + DAY_MS);

interface FewRow extends BlockRow {
  /** Counted from 1. */
  position: number;
  /** Position of the first asset that has more than fits, with one row; null if all fit. */
  cut: number | null;
}

const fewBindingsOf = ({ organizationId, assetIds, from, to }: FewReadingsScope) => ({
  organizationId,
  assetIds: toArrayText(assetIds, (assetId) => assetId),
  from: from.toISOString(),
  to: to.toISOString(),
  endOfDay: endOfDay(to).toISOString(),
});
