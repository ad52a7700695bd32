/** Creates a database with all migrations on the server. Returns its URL. */
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';

export async function migratedDatabase(serverUrl: string, name = 'dms'): Promise<string> {
  const url = await ensureDatabase(serverUrl, name);
  const database = openDatabase({ url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'test' });
  await migrate(database);
  await database.destroy();
  return url;
}
