/** Checks whether connections lead to the server itself or to a pooler, and whether the settings agree. */
import type { Database, PooledConnection } from './database.ts';
import type { Pooler } from './pooler.ts';

const ADVICE =
  'DATABASE_URL leads to a connection pooler: set DATABASE_POOLER=transaction (or prepared, from PgBouncer 1.21 on with ' +
  'max_prepared_statements) and DATABASE_DIRECT_URL to the server itself, for notifications and migrations';

/** The fault with its remedy; null when the settings agree. @throws when the database cannot be reached. */
export async function findPoolerFault(database: Database, pooler: Pooler): Promise<string | null> {
  if (pooler !== 'none') return null;
  try {
    return (await isPooled(database)) ? ADVICE : null;
  } catch (error) {
    if (isRefusedSetting(error)) return ADVICE;
    throw error;
  }
}

/** A pooler answers with a process id of its own, since the process behind it changes. */
async function isPooled(database: Database): Promise<boolean> {
  const connection = (await database.client.acquireConnection()) as PooledConnection & { processID: number };
  try {
    const { rows } = await connection.query('select pg_backend_pid() as pid');
    return rows[0].pid !== connection.processID;
  } finally {
    await database.client.releaseConnection(connection);
  }
}

/** PgBouncer's message for settings that it does not pass on. */
const isRefusedSetting = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message);
