/**
 * Checks whether this release can run on the schema that it finds: its own, or the one of the next release.
 */
import { migrations } from '../../migrations/index.ts';
import type { Database } from './database.ts';
import { isUndefinedTable } from './faults.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    schema_migrations: { name: string };
    schema_support: { needed_migration: string };
  }
}

const KNOWN: readonly string[] = Object.keys(migrations);

/**
 * Exists in every database from before the first release, and in no other, because later migrations have
 * other names.
 */
const UNRELEASED = '015-measurements';
const UNRELEASED_FAULT =
  'The database was made by a version before the first release, which no release can upgrade: create a new database ' +
  '(for "npm start", name another DATA_DIR or remove the folder), and export readings that you need with the version ' +
  'that made it';

/** Why no release can run on this database; null when one can. */
export async function findUnreleasedFault(sql: Database): Promise<string | null> {
  return (await unlessMissing(listApplied(sql))).includes(UNRELEASED) ? UNRELEASED_FAULT : null;
}

/** The fault with its remedy; null when the schema fits. @throws when the database cannot be reached. */
export async function findSchemaFault(sql: Database, known = KNOWN): Promise<string | null> {
  const applied = new Set(await unlessMissing(listApplied(sql)));
  if (applied.has(UNRELEASED)) return UNRELEASED_FAULT;
  if (applied.size === 0) return 'The database has no schema yet: run "migrate" first';
  const missing = known.filter((name) => !applied.has(name));
  if (missing.length > 0) {
    return `The schema of the database is older than this release, it lacks ${missing[0]}: run "migrate" first`;
  }
  const needed = await unlessMissing(listNeeded(sql));
  if (needed.every((name) => known.includes(name))) return null;
  return `The schema of the database is too new for this release, which does not know ${needed[0]}: run a later release`;
}

const listApplied = (sql: Database): Promise<string[]> => sql('schema_migrations').pluck('name');

/** Migrations that a release has to know to run on the schema. */
const listNeeded = (sql: Database): Promise<string[]> => sql('schema_support').pluck('needed_migration');

async function unlessMissing(names: Promise<string[]>): Promise<string[]> {
  try {
    return await names;
  } catch (error) {
    if (isUndefinedTable(error)) return [];
    throw error;
  }
}
