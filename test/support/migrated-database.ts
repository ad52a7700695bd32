import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { openDatabase } from '../../src/db/database.ts';
import { toExpectRowsOfEach } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';

/**
 * Creates a database with all migrations on the server. With DATABASE_DISTRIBUTED, statements are planned as
 * on distributed tables. Returns its URL.
 */
export async function migratedDatabase(serverUrl: string, name = 'dms'): Promise<string> {
  const url = await ensureDatabase(serverUrl, name);
  const database = openDatabase({ url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'test' });
  await migrate(database);
  if (process.env.DATABASE_DISTRIBUTED === 'true') {
    for (const { name } of await query<{ name: string }>(database, TABLES_OF_TENANTS))
      await query(database, toExpectRowsOfEach(name));
  }
  await database.destroy();
  return url;
}

const TABLES_OF_TENANTS = `select c.relname as name from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
