/** `npm run schema`: refreshes docs/schema.sql from a new database with all migrations. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { runMain } from '../../src/process/run-main.ts';
import { ensureDatabase } from '../embedded/ensure-database.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { dumpSchema } from '../schema/schema-dump.ts';

const GOLDEN = fileURLToPath(new URL('../../docs/schema.sql', import.meta.url));

await runMain(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dms-schema-'));
  // If this is root, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => {} });
  try {
    const url = await ensureDatabase(postgres.url, 'dms');
    const sql = openDatabase({ url, poolSize: 4, statementTimeoutMs: 0, applicationName: 'schema' });
    await migrate(sql);
    writeFileSync(GOLDEN, await dumpSchema(sql));
    await sql.destroy();
    process.stdout.write('docs/schema.sql is up to date\n');
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
