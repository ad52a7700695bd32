/** Commands for backups: one file of pg_dump, of one moment, made while the service runs. */
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { createEndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { type Command, required, UsageError } from './command.ts';
import { requireProgram, runProgram } from './postgres-programs.ts';
import { findDatabaseUrl, serverVersion, withDatabase } from './with-database.ts';
import { writeWhole } from './write-whole.ts';

/** Stands for the standard output or input. */
const STANDARD = '-';
const REMINDER = 'Keep SECRETS_KEYS, too: without them the secrets of webhooks cannot be read';
/** Roles of another server may have other names. */
const OF_ANY_OWNER = ['--no-owner', '--no-privileges'];
const DUMP = ['--format=custom', ...OF_ANY_OWNER];

export const backupCommands: Command[] = [
  {
    words: ['backup'],
    args: 'FILE',
    summary: 'write the whole database to a file, or to the standard output where FILE is -',
    run: async (input) => {
      const file = required(input, 0, 'FILE');
      await requireProgram('pg_dump', await withDatabase(serverVersion));
      if (file === STANDARD) {
        await runProgram('pg_dump', findDatabaseUrl(), DUMP, { ownFiles: true });
        process.stderr.write(`Backed up. ${REMINDER}\n`);
        return;
      }
      await writeWhole(file, (path) => runProgram('pg_dump', findDatabaseUrl(), [...DUMP, '--file', path]), {
        isPrivate: true,
      });
      return `Backed up to ${file}. ${REMINDER}`;
    },
  },
  {
    words: ['restore'],
    args: 'FILE',
    summary: 'fill an empty database from the file of a backup, or from the standard input where FILE is -',
    run: async (input) => {
      const file = required(input, 0, 'FILE');
      await requireProgram('pg_restore', await withDatabase(versionOfEmpty));
      const isStandard = file === STANDARD;
      await runProgram(
        'pg_restore',
        findDatabaseUrl(),
        ['--single-transaction', '--exit-on-error', ...OF_ANY_OWNER, ...(isStandard ? [] : [file])],
        { ownFiles: isStandard },
      );
      await withDatabase(resume);
      return `Restored${isStandard ? '' : ` from ${file}`}. Run "migrate" if this release is later than the backup, then start the service`;
    },
  },
];

async function versionOfEmpty(sql: Database): Promise<number> {
  const table = await sql('pg_tables').where({ schemaname: 'public' }).first('tablename');
  if (table) {
    throw new UsageError('The database is not empty: create a new one, and name it with DATABASE_URL');
  }
  return serverVersion(sql);
}

async function resume(sql: Database): Promise<void> {
  // A poll that a lost run had planned would keep failed deliveries from starting another one.
  await createEndpointHealthRepository(sql).forgetWorkflows();
  // A backup contains no statistics.
  await query(sql, 'analyze');
}
