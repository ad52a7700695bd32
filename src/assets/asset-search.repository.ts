/** Active assets that match a filter, by id, and how many do. */
import type { Knex } from 'knex';
import { countRows } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { createSharedReads } from '../process/shared-reads.ts';
import type { ListedAsset } from './asset.ts';
import { type AssetFilter, type GivenCondition, givenConditions, isCounted } from './asset-filter.ts';
import { activeAssets, activeIds, listedAssets } from './listed-assets.repository.ts';

/** Other totals are counted so far. */
export const COUNTED_MAX = 1_000;
/** A text of many assets is found among the next ones sooner than by its index, which finds all of them first. */
const WALKED = 2_000;
/** Fewer ids are handed to the next statement, more are left to the planner. */
const FEW = 5_000;

export interface AssetPage {
  /** Ids after this one. */
  after: string | null;
  limit: number;
}

export interface FoundAssets {
  assets: ListedAsset[];
  /** On all pages; `COUNTED_MAX` at most with several conditions, or one that is not counted. */
  total: number;
}

interface Search {
  organizationId: string;
  given: GivenCondition[];
  after: string | null;
}

export type AssetSearchRepository = ReturnType<typeof createAssetSearchRepository>;

export function createAssetSearchRepository(sql: Database) {
  /** Matching rows, `enough` of them at least if there are as many. Null ids: all active assets. */
  async function find<Row>(
    search: Search,
    enough: number,
    toRows: (ids: string[] | null) => Knex.QueryBuilder,
  ): Promise<Row[]> {
    const looked = search.given.find(({ lookup }) => lookup !== undefined);
    if (looked === undefined) return toRows(null);
    if (!looked.isUnique) {
      const near = await toRows(null).where('a.id', '<=', lastOf(activeIds(sql, search).limit(WALKED)));
      if (near.length >= enough) return near;
    }
    const ids = await lookUp(search, looked);
    return toRows(ids.length < FEW ? ids : null);
  }

  const lastOf = (ids: Knex.QueryBuilder): Knex.QueryBuilder =>
    sql.from(ids.orderBy('id').as('next')).orderBy('id', 'desc').limit(1).select('id');

  /** Ids of assets that meet the condition, up to `FEW`. */
  async function lookUp(search: Search, { lookup = '', ...condition }: GivenCondition): Promise<string[]> {
    const found = compare(activeIds(sql, search), { ...search, given: [condition] });
    const rows = await found.whereRaw(lookup, toBindings(search, condition.value)).limit(FEW);
    return rows.map(({ id }: { id: string }) => id);
  }

  const list = (search: Search, limit: number): Promise<ListedAsset[]> =>
    find(search, limit, (ids) =>
      compare(listedAssets(sql, { ...search, ids }), search)
        .orderBy('a.id')
        .limit(limit),
    );

  /** Reads the tables alone that conditions are about: a join of many rows takes longer than their count. */
  function matching(search: Search, ids: string[] | null = null): Knex.QueryBuilder {
    const [first = 'a', ...others] = new Set(search.given.map(({ table }) => table));
    return compare(activeAssets(sql, { ...search, first, others, ids }), search);
  }

  /** Counting a large fleet takes longer than its page, which a client may request again and again. */
  const countAll = createSharedReads(async (key) => countRows(matching(JSON.parse(key))));

  async function countSome(search: Search): Promise<number> {
    const rows = await find(search, COUNTED_MAX, (ids) =>
      matching(search, ids).limit(COUNTED_MAX).select(sql.raw('1')),
    );
    return rows.length;
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

const toBindings = ({ organizationId }: Search, value: string | Date) => ({ organizationId, value });
