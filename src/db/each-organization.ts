import type { Sql } from './database.ts';
import { type Bindings, query } from './query.ts';

/**
 * For sweeps that lock rows of all organizations. Where tables are distributed, a statement may lock rows of
 * one organization only: then the work runs for each organization that `due` finds without a lock. Otherwise
 * it runs once, for all (null).
 */
export async function eachOrganization<Row>(
  sql: Sql,
  due: { text: string; bindings?: Bindings },
  work: (organizationId: string | null) => Promise<Row[]>,
): Promise<Row[]> {
  if (!sql.isDistributed) return work(null);
  const found = await query<{ organizationId: string }>(sql, due.text, due.bindings);
  const rows: Row[] = [];
  for (const { organizationId } of found) {
    for (const row of await work(organizationId)) rows.push(row);
  }
  return rows;
}

/** Bindings of a condition that exists for a single organization only. */
export const oneOrNone = (organizationId: string | null): string[] =>
  organizationId === null ? [] : [organizationId];
