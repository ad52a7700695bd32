import { writeFileSync } from 'node:fs';
import { distribute } from '../db/distribute.ts';
import { migrate } from '../db/migrate.ts';
import { API_DOCUMENT_FILE } from './api-document-file.ts';
import { type Command, print } from './command.ts';
import { withDatabase } from './with-database.ts';

export const schemaCommands: Command[] = [
  {
    words: ['migrate'],
    args: '',
    summary: 'bring the database schema up to date',
    run: () =>
      withDatabase(async (sql) => {
        const names = await migrate(sql);
        return names.length === 0 ? 'The schema is up to date' : `Migrated: ${names.join(', ')}`;
      }),
  },
  {
    words: ['distribute'],
    args: '',
    summary: 'distribute the tables over the nodes of Citus, by organization; while the service is stopped',
    run: () =>
      withDatabase(async (sql) => {
        await distribute(sql, print);
        return 'All tables are distributed. Start every process with DATABASE_DISTRIBUTED=true';
      }),
  },
  {
    words: ['openapi'],
    args: '[--write]',
    summary: 'print the OpenAPI document; --write refreshes openapi.json',
    run: async ({ options }) => {
      // Loaded here, because loading the whole service takes a second.
      const { documentedApi } = await import('../compose/service.ts');
      const value = documentedApi();
      const text = `${JSON.stringify(value, null, 2)}\n`;
      if (!options.write) return { text, value };
      writeFileSync(API_DOCUMENT_FILE, text);
      return 'openapi.json is up to date';
    },
  },
];
