/** Active assets and their devices, one row each: lists select from them. */
import type { Knex } from 'knex';
import { oneOf, unseen } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { type Condition, LISTED_COLUMNS } from './asset-filter.ts';

type Table = Condition['table'];

const TABLES = {
  a: { name: 'assets', id: 'a.id', active: { 'a.archived_at': null } },
  s: { name: 'device_states', id: 's.asset_id', active: { 's.is_active': true } },
  d: { name: 'device_configs', id: 'd.asset_id', active: { 'd.is_active': true } },
} as const;

export interface ActiveAssets {
  organizationId: string;
  first: Table;
  others: Table[];
  /** Ids after this one. */
  after?: string | null;
  /** Only these ids, or ids up to this one. */
  ids?: string[];
  upTo?: Knex.QueryBuilder;
}

export function activeAssets(
  sql: Database,
  { organizationId, first, others, after = null, ids, upTo }: ActiveAssets,
): Knex.QueryBuilder {
  const rows: Knex.QueryBuilder = sql({ [first]: TABLES[first].name });
  rows.where(`${first}.organization_id`, unseen(sql, organizationId));
  for (const other of others) {
    rows.join(
      { [other]: TABLES[other].name },
      { [`${other}.organization_id`]: `${first}.organization_id`, [TABLES[other].id]: TABLES[first].id },
    );
  }
  for (const table of [first, ...others]) {
    rows.where(TABLES[table].active);
    // The planner may begin with any of them, and does not carry the comparison over.
    if (after !== null) rows.where(TABLES[table].id, '>', after);
  }
  if (ids) rows.where(oneOf(TABLES[first].id, ids));
  // Ordered, because the planner does not know the id, and would read the whole table up to it.
  if (upTo) rows.where(TABLES[first].id, '<=', upTo).orderBy(TABLES[first].id);
  return rows;
}

export const activeIds = (sql: Database, assets: Omit<ActiveAssets, 'others'>): Knex.QueryBuilder =>
  activeAssets(sql, { ...assets, others: [] }).select({ id: TABLES[assets.first].id });

/** With the columns of a listed asset. */
export const listedAssets = (
  sql: Database,
  assets: Omit<ActiveAssets, 'first' | 'others'>,
): Knex.QueryBuilder =>
  activeAssets(sql, { ...assets, first: 'a', others: ['s', 'd'] }).select(sql.raw(LISTED_COLUMNS));
