import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabase } from '../../dev/embedded/ensure-database.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { runAndStop } from '../../dev/embedded/run-and-stop.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';

/** Runs a bench that needs PostgreSQL alone, on a database of its own. */
export const runOnDatabase = (bench: (sql: Database) => Promise<void>): Promise<void> =>
  runAndStop(async (onStop) => {
    const folder = mkdtempSync(join(tmpdir(), 'dms-bench-'));
    onStop(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o711);
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => {} });
    onStop(postgres.stop);
    const sql = openDatabase({
      url: await ensureDatabase(postgres.url, 'bench'),
      poolSize: 4,
      statementTimeoutMs: 0,
      applicationName: 'bench',
    });
    onStop(() => sql.destroy());
    await migrate(sql);
    await bench(sql);
  });
