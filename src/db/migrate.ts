import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { migrations } from '../../migrations/index.ts';
import type { Database } from './database.ts';
import { createPartitions, PARTITIONED_TABLES } from './partitions.ts';
import { query } from './query.ts';

type Name = keyof typeof migrations;

const source: Knex.MigrationSource<Name> = {
  getMigrations: async () => Object.keys(migrations) as Name[],
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name] as Knex.Migration,
};
const config: Knex.MigratorConfig = { migrationSource: source, tableName: 'schema_migrations' };

/** An arbitrary number that nothing else uses. */
const LOCK = 714_201_118;
const LOCK_PAUSE_MS = 200;

/** Brings the schema up to date; several processes may call it at once. Returns the migrations that were run. */
export function migrate(database: Database): Promise<string[]> {
  return withMigrationLock(database, async () => {
    const [, names] = (await database.migrate.latest(config)) as [number, string[]];
    for (const table of PARTITIONED_TABLES) await createPartitions(database, table, new Date());
    return names;
  });
}

/** Those that the database does not have yet. */
export async function listPendingMigrations(database: Database): Promise<string[]> {
  const [, pending] = (await database.migrate.list(config)) as [unknown, Array<{ name: string } | string>];
  return pending.map((each) => (typeof each === 'string' ? each : each.name));
}

/** Reverts every migration. */
export function rollbackAll(database: Database): Promise<void> {
  return withMigrationLock(database, () => database.migrate.rollback(config, true));
}

/**
 * Knex's own lock is a row, which a killed process would leave behind; an advisory lock ends with the connection. It is
 * tried again and again: a statement that waited for it would hold a snapshot, for whose end `create index concurrently`
 * waits in turn.
 */
function withMigrationLock<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.transaction(async (trx) => {
    // This transaction is idle while others migrate, for however long that takes.
    await query(trx, 'set local idle_in_transaction_session_timeout = 0');
    while (!(await tryLock(trx))) await delay(LOCK_PAUSE_MS);
    await database.migrate.forceFreeMigrationsLock(config);
    return work();
  });
}

/** Without bindings: PostgreSQL keeps the snapshot of a statement with bindings until the next one. */
async function tryLock(trx: Knex.Transaction): Promise<boolean> {
  const text = `select pg_try_advisory_xact_lock(${LOCK}) as locked`;
  const [row] = await query<{ locked: boolean }>(trx, text);
  return row?.locked ?? false;
}
