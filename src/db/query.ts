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
