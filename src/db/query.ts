/** Text statements, for hot ones and for those that work on sets. All others are built by Knex. */
import type { Knex } from 'knex';
import type { Sql } from './database.ts';
import { type Part, splitByOrganization } from './one-organization.ts';

/** Values of `?` in their order, or of `:name` by their names; arrays are bound as PostgreSQL arrays. */
export type Bindings = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Runs one statement. */
export async function query<Row = never>(sql: Sql, text: string, bindings: Bindings = []): Promise<Row[]> {
  return run(sql, toPart(text, bindings), toRaw);
}

/**
 * Runs a hot statement whose text never changes: each connection prepares it once under the name. That saves
 * the planning, which for partitioned tables costs more than the execution.
 */
export async function queryPrepared<Row = never>(
  sql: Sql,
  name: string,
  text: string,
  bindings: Bindings = [],
): Promise<Row[]> {
  return run(sql, toPart(text, bindings), (on, part) => toRaw(on, part).options({ name }));
}

/** Excludes casts, which have two colons. */
const NAMED = /(?<!:):([a-z]\w*)/gi;

/** Turns names into positions, by which a statement is divided where tables are distributed. */
function toPart(text: string, bindings: Bindings): Part {
  if (isPositional(bindings)) return { text, bindings };
  const values: unknown[] = [];
  const positional = text.replace(NAMED, (mark, name: string) => {
    if (!Object.hasOwn(bindings, name)) return mark;
    values.push(bindings[name]);
    return '?';
  });
  return { text: positional, bindings: values };
}

const isPositional = (bindings: Bindings): bindings is readonly unknown[] => Array.isArray(bindings);

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

/**
 * Answers of statements of one transaction that were sent together. After a failure PostgreSQL refuses all statements that
 * follow, so the first failure in the order of the statements is the cause.
 */
export async function sentTogether<const Answers extends readonly unknown[]>(
  statements: readonly [...{ [Each in keyof Answers]: Promise<Answers[Each]> }],
): Promise<Answers> {
  await Promise.allSettled(statements);
  return Promise.all(statements) as Promise<unknown> as Promise<Answers>;
}
