/**
 * For sweeps over all organizations that lock rows. Where tables are distributed, a statement may lock rows of one
 * organization only: so due rows are listed without locks, and then locked by their keys, where they are still due.
 */
import type { Sql } from './database.ts';
import { query } from './query.ts';

interface DueRow {
  organizationId: string;
  id: string;
}

interface Statements {
  /** Returns `DueRow`s. */
  list: string;
  /** Works on the rows of `:organizationIds` and `:ids`. */
  work: string;
}

/** Returns the rows that the work returns. */
export async function workOnDueRows<Row = never>(
  sql: Sql,
  { list, work }: Statements,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const due = await query<DueRow>(sql, list, bindings);
  if (due.length === 0) return [];
  const organizationIds = due.map(({ organizationId }) => organizationId);
  return query<Row>(sql, work, { ...bindings, organizationIds, ids: due.map(({ id }) => id) });
}
