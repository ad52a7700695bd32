import type { Knex } from 'knex';
import type { Sql } from './database.ts';

/** Runs one statement with `?` bindings; arrays are bound as PostgreSQL arrays. */
export async function query<Row = never>(
  sql: Sql,
  text: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  const result = (await sql.raw(text, bindings as Knex.RawBinding[])) as { rows: Row[] };
  return result.rows;
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
  const statement = sql.raw(text, bindings as Knex.RawBinding[]).options({ name });
  return ((await statement) as { rows: Row[] }).rows;
}
