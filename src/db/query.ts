import type { Knex } from 'knex';
import type { Sql } from './database.ts';

/** Runs one statement with `?` bindings; arrays are bound as PostgreSQL arrays. */
export async function query<Row = never>(
  sql: Sql,
  text: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  return rowsOf(sql, (on) => on.raw(text, bindings as Knex.RawBinding[]));
}

/**
 * The same for hot statements whose text never changes: each connection prepares it once under the name. That saves the
 * planning, which for partitioned tables costs more than the execution.
 */
export async function queryPrepared<Row = never>(
  sql: Sql,
  name: string,
  text: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  return rowsOf(sql, (on) => on.raw(text, bindings as Knex.RawBinding[]).options({ name }));
}

async function rowsOf<Row>(sql: Sql, run: (on: Sql) => Knex.Raw): Promise<Row[]> {
  try {
    return ((await run(sql)) as { rows: Row[] }).rows;
  } catch (error) {
    const other = sql.afterFault?.(error);
    if (!other) throw error;
    return rowsOf(other, run);
  }
}
