import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../db/database.ts';
import { readCommandSettings } from '../process/config.ts';

/** Opens the database of DATABASE_URL, else the one of the last `npm start`, for as long as the work takes. */
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

export function hasDatabase(): boolean {
  const { databaseUrl, dataDir } = readCommandSettings();
  return databaseUrl !== null || existsSync(join(dataDir, 'local.json'));
}

export function findDatabaseUrl(): string {
  const { databaseUrl, dataDir } = readCommandSettings();
  if (databaseUrl !== null) return databaseUrl;
  const file = join(dataDir, 'local.json');
  if (!existsSync(file)) {
    throw new Error('No database: start the service first (npm start), or set DATABASE_URL or DATA_DIR');
  }
  return (JSON.parse(readFileSync(file, 'utf8')) as { databaseUrl: string }).databaseUrl;
}
