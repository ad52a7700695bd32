import type { Knex } from 'knex';
import { migrations } from '../../migrations/index.ts';
import type { Sql } from './database.ts';

type Name = keyof typeof migrations;

const source: Knex.MigrationSource<Name> = {
  getMigrations: async () => Object.keys(migrations) as Name[],
  getMigrationName: (name) => name,
  getMigration: async (name) => ({ up: migrations[name].up, down: migrations[name].down }) as Knex.Migration,
};
const config: Knex.MigratorConfig = { migrationSource: source, tableName: 'schema_migrations' };

/** Brings the schema up to date; several processes may do so at once. Returns the migrations that were run. */
export async function migrate(sql: Sql): Promise<string[]> {
  const [, names] = (await sql.migrate.latest(config)) as [number, string[]];
  return names;
}

/** Takes every migration back. */
export async function rollbackAll(sql: Sql): Promise<void> {
  await sql.migrate.rollback(config, true);
}
