import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { migrations } from '../../migrations/index.ts';
import { PARTITIONED_TABLES } from '../../migrations/partitioned-tables.ts';
import type { Database } from './database.ts';
import { isLockTimeout } from './faults.ts';
import { createPartitions } from './partitions.ts';
import { query } from './query.ts';
import { findUnreleasedFault } from './schema-check.ts';

type Migration = Knex.Migration & { config?: { transaction?: boolean } };
/** Migrations by name, in order. */
export type Migrations = Readonly<Record<string, Migration>>;

/**
 * A statement that waits for a lock makes all others wait behind it, so it gives up soon and is repeated.
 * Migrations that run outside a transaction bound their statements themselves.
 */
const LOCK_TIMEOUT_MS = 1_000;
const RETRY_PAUSE_MS = 1_000;
const ATTEMPTS_MAX = 300;

const configOf = (known: Migrations): Knex.MigratorConfig => ({
  migrationSource: {
    getMigrations: async () => Object.keys(known),
    getMigrationName: (name: string) => name,
    getMigration: async (name: string) => withLockTimeout(known[name] as Migration),
  },
  tableName: 'schema_migrations',
  // A release may run on the schema of the next one, and does not know its migrations.
  disableMigrationsListValidation: true,
});
const config = configOf(migrations);

function withLockTimeout(migration: Migration): Knex.Migration {
  if (migration.config?.transaction === false) return migration;
  return {
    ...migration,
    async up(sql) {
      await query(sql, `set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await migration.up(sql);
    },
  };
}

/** An arbitrary number that nothing else uses. */
const LOCK = 714_201_118;
const LOCK_PAUSE_MS = 200;

/**
 * Brings the schema up to date; several processes may call it at once. Returns the migrations that were run.
 * @throws for a database from before the first release.
 */
export const migrate = (database: Database): Promise<string[]> => migrateTo(database, migrations);

/** The same for a release with these migrations. */
export function migrateTo(database: Database, known: Migrations): Promise<string[]> {
  return withMigrationLock(database, async () => {
    const fault = await findUnreleasedFault(database);
    if (fault !== null) throw new Error(fault);
    const names = await runMissing(database, configOf(known));
    for (const table of PARTITIONED_TABLES) await createPartitions(database, table, new Date());
    return names;
  });
}

/** Each in its own transaction, so that no lock is held while the others run. */
async function runMissing(database: Database, wanted: Knex.MigratorConfig): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const [, run] = (await retried(() => database.migrate.up(wanted))) as [number, string[]];
    if (run.length === 0) return names;
    names.push(...run);
  }
}

async function retried<T>(migrateOne: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateOne();
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isLockTimeout(error)) throw error;
      await delay(RETRY_PAUSE_MS);
    }
  }
}

/**
 * Knex's own lock is a row, which a killed process would leave behind; an advisory lock ends with the
 * connection. The lock is polled: a statement that waits for it would hold a snapshot, and `create index
 * concurrently` would in turn wait for the end of that snapshot.
 */
function withMigrationLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (trx) => {
    // This transaction is idle while others migrate, for any length of time.
    await query(trx, 'set local idle_in_transaction_session_timeout = 0');
    while (!(await tryLock(trx))) await delay(LOCK_PAUSE_MS);
    await database.migrate.forceFreeMigrationsLock(config);
    return work();
  });
}

/** Without bindings: PostgreSQL keeps the snapshot of a statement with bindings until the next one. */
async function tryLock(trx: Knex.Transaction): Promise<boolean> {
  const [{ locked }] = await trx.select(trx.raw(`pg_try_advisory_xact_lock(${LOCK}) as locked`));
  return locked;
}
