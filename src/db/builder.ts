/** Shared parts of statements built by Knex. */
import type { Knex } from 'knex';
import type { Database } from './database.ts';

/** A page of a list: the items older than the id `before`, or the first ones. */
export interface Page {
  before: string | null;
  limit: number;
}

/**
 * Marks a statement about the rows of all organizations, as sweeps, retention and metrics make them. Tests refuse any other
 * one that names no organization. Knex writes the mark into reads alone.
 */
export const acrossOrganizations = <Rows extends Knex.QueryBuilder>(rows: Rows): Rows =>
  (rows as unknown as { comment(text: string): Rows }).comment('across organizations');

/** Modifier for one page, newest first. Ids are in the order of creation. */
export function newestFirst(list: Knex.QueryBuilder, { before, limit }: Page, id = 'id'): void {
  if (before !== null) list.where(id, '<', before);
  list.orderBy(id, 'desc').limit(limit);
}

/**
 * Condition: the column, or expression, has one of the values. They are one binding, of which a statement may have 65,535, so
 * its text is the same for any number of values.
 */
export const oneOf =
  (column: string, values: readonly string[], type: 'uuid' | 'text' = 'uuid') =>
  (row: Knex.QueryBuilder): void =>
    void row.whereRaw(`${column} = any(?::${type}[])`, [[...values]]);

/**
 * A value for a json column, typed as it is read again: the driver would send an array as a PostgreSQL array.
 */
export const toJson = <T>(value: T): T =>
  value === null || value === undefined ? value : (JSON.stringify(value) as T);

export async function countRows(rows: Knex.QueryBuilder): Promise<number> {
  const { count } = await rows.count({ count: '*' }).first();
  return count;
}

/** Number of rows, counted up to `max`. */
export const countUpTo = (sql: Database, max: number, rows: Knex.QueryBuilder): Promise<number> =>
  countRows(sql.from(rows.select(sql.raw('1')).limit(max).as('counted')));

/**
 * Hides the id of the organization from the planner, which would expect a single row for one that is newer than its
 * statistics, and read all rows of each joined table for it. Where tables are distributed, the id says which node runs the
 * statement, and there are no such statistics.
 */
export const unseen = (sql: Database, organizationId: string): string | Knex.Raw =>
  sql.isDistributed ? organizationId : sql.raw('(select cast(? as uuid))', [organizationId]);

/** The value of `updated_at`: it grows by the millisecond that views show at least, also when the clock was set back. */
export const nextUpdate = (sql: Knex): Knex.Raw =>
  sql.raw(`greatest(now(), (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')`);

/** The id of a row to be inserted, if something needs it earlier. */
export async function nextId(sql: Knex): Promise<string> {
  const { id } = await sql.select(sql.raw('uuidv7() as id')).first();
  return id;
}

/** Holds a lock on the name until the transaction ends. */
export async function lockName(sql: Knex, name: string): Promise<void> {
  await sql.select(sql.raw('pg_advisory_xact_lock(hashtextextended(?, 0))', [name]));
}
