import type { Sql } from './database.ts';
import { type Bindings, query } from './query.ts';

/**
 * For sweeps that lock rows of all organizations. Where tables are distributed, a statement locks rows of one organization
 * alone: then the work is done for one after the other, of those that `due` finds without a lock. Else it is done once, for
 * all (null).
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

/** The bindings of a condition that is there for one organization alone. */
export const oneOrNone = (organizationId: string | null): string[] =>
  organizationId === null ? [] : [organizationId];
