import type { Sql } from '../db/database.ts';
import { createOrganizationsRepository, type Organization } from '../keys/organizations.repository.ts';
import { type Change, changing } from './changing.ts';
import { type Command, print, required, table, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

const NAME_MAX = 128;

export function organizationName(name: string): string {
  if (name.trim() === '' || name.length > NAME_MAX)
    throw new UsageError(`NAME must have 1 to ${NAME_MAX} characters`);
  return name;
}

/** Finds or creates the organization of that name. */
export async function ensured(
  sql: Sql,
  name: string,
): Promise<{ organization: Organization; changes: Change[] }> {
  const organizations = createOrganizationsRepository(sql);
  const found = await organizations.findByName(name);
  if (found) return { organization: found, changes: [] };
  const organization = await organizations.ensure(name);
  const created = {
    organizationId: organization.id,
    subject: organization.id,
    before: null,
    after: { name },
  };
  return { organization, changes: [{ action: 'createOrganization', ...created }] };
}

export const organizationCommands: Command[] = [
  {
    words: ['org', 'create'],
    args: 'NAME',
    summary: 'makes an organization and prints its id',
    ...changing('createOrganization', async (input, { sql }) => {
      const { organization, changes } = await ensured(sql, organizationName(required(input, 0, 'NAME')));
      return { changes, output: organization.id };
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
