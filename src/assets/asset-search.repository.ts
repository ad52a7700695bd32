/** Active assets that match a filter, by id, and how many do. */
import type { Knex } from 'knex';
import { countRows } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { createSharedReads } from '../process/shared-reads.ts';
import type { ListedAsset } from './asset.ts';
import {
  type AssetFilter,
  COUNTED_MAX,
  type GivenCondition,
  givenConditions,
  isCounted,
} from './asset-filter.ts';
import { type ActiveAssets, activeAssets, activeIds, listedAssets } from './listed-assets.repository.ts';

/** A text of many assets is found among the next ones sooner than by its index, which finds all of them first. */
const WALKED = 2_000;
/** Fewer ids are handed to the next statement, more are left to the planner. */
const FEW = 5_000;

interface AssetPage {
  /** Ids after this one. */
  after: string | null;
  limit: number;
}

interface FoundAssets {
  assets: ListedAsset[];
  /** On all pages; `COUNTED_MAX` at most with conditions on several tables, or one that is not counted. */
  total: number;
}

interface Search {
  organizationId: string;
  given: GivenCondition[];
  after: string | null;
}

/** All active assets, or a part of them. */
type Part = Pick<ActiveAssets, 'ids' | 'upTo'>;

export type AssetSearchRepository = ReturnType<typeof createAssetSearchRepository>;

export function createAssetSearchRepository(sql: Database) {
  /** Matching rows, `enough` of them at least if there are as many. */
  async function find<Row>(
    search: Search,
    enough: number,
    toRows: (part: Part) => PromiseLike<Row[]>,
  ): Promise<Row[]> {
    const looked = search.given.find(({ lookup }) => lookup !== undefined);
    if (looked === undefined) return toRows({});
    if (!looked.isUnique) {
      const near = await toRows({ upTo: lastOf(nextIds(search)) });
      if (near.length >= enough) return near;
    }
    const ids = await lookUp(search, looked);
    return toRows(ids.length < FEW ? { ids } : {});
  }

  const nextIds = (search: Search): Knex.QueryBuilder =>
    activeIds(sql, { ...search, first: 'a' })
      .orderBy('id')
      .limit(WALKED);

  const lastOf = (ids: Knex.QueryBuilder): Knex.QueryBuilder =>
    sql.from(ids.as('next')).orderBy('id', 'desc').limit(1).select('id');

  /** Ids of assets that meet the condition, up to `FEW`. */
  async function lookUp(search: Search, { lookup = '', ...condition }: GivenCondition): Promise<string[]> {
    const candidates = activeIds(sql, { ...search, first: condition.table });
    const found = compare(candidates, { ...search, given: [condition] });
    const rows = await found.whereRaw(lookup, toBindings(search, condition.value)).limit(FEW);
    return rows.map(({ id }: { id: string }) => id);
  }

  const list = (search: Search, limit: number): Promise<ListedAsset[]> =>
    find(search, limit, (part) =>
      compare(listedAssets(sql, { ...search, ...part }), search)
        .orderBy('a.id')
        .limit(limit),
    );

  /** Reads the tables alone that conditions are about: a join of many rows takes longer than their count. */
  function matching(search: Search, part: Part = {}): Knex.QueryBuilder {
    const [first = 'a', ...others] = new Set(search.given.map(({ table }) => table));
    return compare(activeAssets(sql, { ...search, ...part, first, others }), search);
  }

  /** Counting a large fleet takes longer than its page, which a client may request again and again. */
  const countAll = createSharedReads(async (key) => countRows(matching(JSON.parse(key))));

  async function countSome(search: Search): Promise<number> {
    const areAll = search.given.length === 1;
    const rows = await find(search, COUNTED_MAX, async ({ ids, ...part }) =>
      ids && areAll
        ? ids
        : matching(search, { ids, ...part })
            .limit(COUNTED_MAX)
            .select(sql.raw('1')),
    );
    return Math.min(rows.length, COUNTED_MAX);
  }

  return {
    async search(organizationId: string, filter: AssetFilter, page: AssetPage): Promise<FoundAssets> {
      const search = { organizationId, given: givenConditions(filter), after: page.after };
      const fromStart = { ...search, after: null };
      if (isCounted(search.given)) {
        const [assets, total] = await Promise.all([
          list(search, page.limit),
          countAll(JSON.stringify(fromStart)),
        ]);
        return { assets, total };
      }
      const assets = await list(search, page.limit);
      const areAll = page.after === null && assets.length < page.limit;
      return { assets, total: areAll ? assets.length : await countSome(fromStart) };
    },
  };
}

const compare = (assets: Knex.QueryBuilder, search: Search): Knex.QueryBuilder =>
  search.given.reduce((found, { sql, value }) => found.whereRaw(sql, toBindings(search, value)), assets);

const toBindings = ({ organizationId }: Search, value: GivenCondition['value']) => ({
  organizationId,
  value,
});
