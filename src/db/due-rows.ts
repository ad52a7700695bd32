/**
 * For sweeps over all organizations that lock rows. Where tables are distributed, a statement may lock rows of one
 * organization only: so due rows are listed without locks, and then locked by their keys, where they are still due.
 */
import { HOUR_MS } from '../process/durations.ts';
import type { Sql } from './database.ts';
import { isRetryable, isSchemaFault, isStatementTimeout, isUnavailable } from './faults.ts';
import { query } from './query.ts';

export interface DueRow {
  organizationId: string;
  id: string;
}

interface Statements {
  list: PromiseLike<DueRow[]>;
  /** Works on the rows of `:organizationIds` and `:ids`. */
  work: string;
}

/** Returns the rows that the work returns. */
export async function workOnDueRows<Row = never>(
  sql: Sql,
  { list, work }: Statements,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const due = await list;
  if (due.length === 0) return [];
  const organizationIds = due.map(({ organizationId }) => organizationId);
  return query<Row>(sql, work, { ...bindings, organizationIds, ids: due.map(({ id }) => id) });
}

/** An item that cannot be processed is skipped for this time, because its cause may be gone then. */
export const SET_ASIDE_MS = HOUR_MS;

/**
 * Processes all items together, and halves of them after a failure that a single item may cause. So a bad
 * item fails alone, and blocks no other.
 */
export async function inHalves<Item>(
  items: Item[],
  process: (items: Item[]) => Promise<unknown>,
  onFault: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  const [first, ...others] = items;
  if (first === undefined) return;
  try {
    await process(items);
  } catch (error) {
    if (isFaultOfAll(error)) throw error;
    if (others.length === 0) return onFault(first, error);
    const half = Math.ceil(items.length / 2);
    await inHalves(items.slice(0, half), process, onFault);
    await inHalves(items.slice(half), process, onFault);
  }
}

/**
 * The database is away, its schema is another one, or another transaction conflicted: no item is at fault. A statement that
 * takes too long is no proof: the database has just listed the items in time, and one of them may have too much data.
 */
export const isFaultOfAll = (error: unknown): boolean =>
  (isUnavailable(error) && !isStatementTimeout(error)) || isSchemaFault(error) || isRetryable(error);
