import type { Knex } from 'knex';
import type { Sql } from './database.ts';
import { type Part, splitByOrganization } from './one-organization.ts';

/** Runs one statement with `?` bindings; arrays are bound as PostgreSQL arrays. */
export async function query<Row = never>(
  sql: Sql,
  text: string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  return run(sql, { text, bindings }, toRaw);
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
  return run(sql, { text, bindings }, (on, part) => toRaw(on, part).options({ name }));
}

const toRaw = (sql: Sql, { text, bindings }: Part): Knex.Raw =>
  sql.raw(text, bindings as readonly Knex.RawBinding[]);

async function run<Row>(
  sql: Sql,
  statement: Part,
  toStatement: (on: Sql, part: Part) => Knex.Raw,
): Promise<Row[]> {
  if (!sql.isDistributed) return rowsOf(sql, (on) => toStatement(on, statement));
  const rows: Row[] = [];
  for (const part of splitByOrganization(statement.text, statement.bindings)) {
    for (const row of await rowsOf<Row>(sql, (on) => toStatement(on, part))) rows.push(row);
  }
  return rows;
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
