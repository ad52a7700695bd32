import { type Database, openDatabase } from '../db/database.ts';
import { readCommandSettings } from '../process/config.ts';
import { UsageError } from './command.ts';
import { findLocalService } from './local-service.ts';

/** Opens the database of DATABASE_URL, or the one of the latest `npm start`, for the time of the work. */
export async function withDatabase<T>(work: (sql: Database) => Promise<T>): Promise<T> {
  const sql = openDatabase({
    url: findDatabaseUrl(),
    poolSize: 4,
    statementTimeoutMs: 0,
    applicationName: 'dms',
  });
  try {
    return await work(sql);
  } finally {
    await sql.destroy();
  }
}

/** The major version of PostgreSQL. */
export async function serverVersion(sql: Database): Promise<number> {
  const version = sql.raw(`current_setting('server_version_num')::integer / 10000 as version`);
  return (await sql.first(version)).version;
}

export const hasDatabase = (): boolean =>
  readCommandSettings().databaseUrl !== null || findLocalService() !== null;

export function findDatabaseUrl(): string {
  const url = readCommandSettings().databaseUrl ?? findLocalService()?.databaseUrl;
  if (url !== undefined) return url;
  throw new UsageError('No database: start the service first (npm start), or set DATABASE_URL or DATA_DIR');
}
