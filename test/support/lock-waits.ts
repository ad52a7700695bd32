import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { eventually } from './fleet.ts';

/** Number of sessions of the database that wait for a lock. */
export async function countLockWaits(sql: Database): Promise<number> {
  const [row] = await query<{ count: number }>(
    sql,
    `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}

/** Resolves when exactly this many wait. */
export const untilLockWaits = (sql: Database, count: number) =>
  eventually(
    () => countLockWaits(sql),
    (waiting) => waiting === count,
    { pauseMs: 10 },
  );
