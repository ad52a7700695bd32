import type { Database } from '../db/database.ts';
import { createOrganizationsRepository, type Organization } from '../keys/organizations.repository.ts';
import { orNotFound } from '../process/errors.ts';
import { type Change, changing } from './changing.ts';
import { type Command, type CommandInput, required, UsageError } from './command.ts';
import { parseName } from './names.ts';
import { withDatabase } from './with-database.ts';

export const organizationName = (typed: string): string => parseName(typed, 'NAME');

/** @throws not found */
export const findOrganization = async (sql: Database, name: string): Promise<Organization> =>
  orNotFound(
    await createOrganizationsRepository(sql).findByName(name),
    `There is no organization "${name}": see org list`,
  );

export interface Ensured {
  organization: Organization;
  /** Empty when the organization already existed. */
  changes: Change[];
}

/** Finds or creates the organization with that name. */
export async function ensured(sql: Database, name: string): Promise<Ensured> {
  const organizations = createOrganizationsRepository(sql);
  const found = await organizations.findByName(name);
  if (found) return { organization: found, changes: [] };
  const organization = await organizations.ensure(name);
  const { id } = organization;
  const created = { organizationId: id, subject: id, before: null, after: { name } };
  return { organization, changes: [{ action: 'createOrganization', ...created }] };
}

export const organizationCommands: Command[] = [
  {
    words: ['org', 'create'],
    args: 'NAME',
    summary: 'make an organization and print its id',
    ...changing('createOrganization', async (input, { sql }) => {
      const { organization, changes } = await ensured(sql, organizationName(required(input, 0, 'NAME')));
      return { changes, output: organization.id };
    }),
  },
  {
    words: ['org', 'list'],
    args: '',
    summary: 'list organizations',
    run: () =>
      withDatabase(async (sql) => {
        const organizations = await createOrganizationsRepository(sql).list();
        const rows = organizations.map(({ id, name, createdAt }) => [id, name, createdAt.toISOString()]);
        return { headings: ['ID', 'NAME', 'CREATED'], rows };
      }),
  },
  {
    words: ['org', 'set'],
    args: 'NAME [--require-device-tokens] [--allow-fleet-token]',
    summary: 'say whether loggers need a token each; every process knows within 5 s',
    ...changing('updateOrganization', async (input, { sql }) => {
      const name = required(input, 0, 'NAME');
      const isRequired = requiresDeviceTokens(input);
      const { id, requiresDeviceTokens: before } = await findOrganization(sql, name);
      await createOrganizationsRepository(sql).setRequiresDeviceTokens(id, isRequired);
      const change = {
        organizationId: id,
        subject: id,
        before: { name, requiresDeviceTokens: before },
        after: { name, requiresDeviceTokens: isRequired },
      };
      return {
        changes: before === isRequired ? [] : [change],
        output: `${name}: ${isRequired ? 'each logger needs its own token' : 'the fleet-wide token is allowed'}`,
      };
    }),
  },
];

function requiresDeviceTokens({ options }: CommandInput): boolean {
  const isRequired = options['require-device-tokens'] === true;
  if (isRequired === (options['allow-fleet-token'] === true))
    throw new UsageError('Give either --require-device-tokens or --allow-fleet-token');
  return isRequired;
}
