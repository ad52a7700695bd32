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
  if (!sql.isDistributed) return rowsOf(toStatement(sql, statement));
  const rows: Row[] = [];
  for (const part of splitByOrganization(statement.text, statement.bindings)) {
    for (const row of await rowsOf<Row>(toStatement(sql, part))) rows.push(row);
  }
  return rows;
}

const rowsOf = async <Row>(statement: Knex.Raw): Promise<Row[]> =>
  ((await statement) as { rows: Row[] }).rows;
