import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { type Command, print, required, table, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const NAME_MAX = 128;

export function organizationName(name: string): string {
  if (name.trim() === '' || name.length > NAME_MAX)
    throw new UsageError(`NAME must have 1 to ${NAME_MAX} characters`);
  return name;
}

export const organizationCommands: Command[] = [
  {
    words: ['org', 'create'],
    args: 'NAME',
    summary: 'makes an organization and prints its id',
    run: (input) =>
      withDatabase(async (sql) => {
        const name = organizationName(required(input, 0, 'NAME'));
        print((await createOrganizationsRepository(sql).ensure(name)).id);
      }),
  },
  {
    words: ['org', 'list'],
    args: '',
    summary: 'lists organizations',
    run: () =>
      withDatabase(async (sql) => {
        const organizations = await createOrganizationsRepository(sql).list();
        const rows = organizations.map(({ id, name, createdAt }) => [id, name, createdAt.toISOString()]);
        print(table(['ID', 'NAME', 'CREATED'], rows));
      }),
  },
];
