import type { Knex } from 'knex';
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

/** Resolves when at least this many wait. */
export const untilLockWaits = (sql: Database, count: number) =>
  eventually(
    () => countLockWaits(sql),
    (waiting) => waiting >= count,
    { pauseMs: 10 },
  );

/** Runs `work` while another connection has locked the device. */
export const whileDeviceLocked = <T>(sql: Database, assetId: string, work: () => Promise<T>): Promise<T> =>
  whileLocked(sql, `select from device_configs where asset_id = '${assetId}' for no key update`, work);

/** Runs `work` while a transaction holds the locks of the statement. */
export const whileLocked = <T>(sql: Database, statement: string, work: () => Promise<T>): Promise<T> =>
  sql.transaction(async (holder) => {
    await allowIdle(holder);
    await query(holder, statement);
    return work();
  });

/** A transaction to hold locks with. */
export async function openHolder(sql: Database): Promise<Knex.Transaction> {
  const holder = await sql.transaction();
  await allowIdle(holder);
  return holder;
}

/** Lets a transaction hold its locks for any time: the database ends idle ones otherwise. */
export const allowIdle = (holder: Database): Promise<unknown> =>
  query(holder, 'set local idle_in_transaction_session_timeout = 0');
