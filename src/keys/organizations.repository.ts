import { oneOf } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { toName } from '../http/one-line.ts';

export interface Organization {
  id: string;
  name: string;
  createdAt: Date;
  requiresDeviceTokens: boolean;
}

type OrganizationRow = Columns<Organization>;

declare module 'knex/types/tables.js' {
  interface Tables {
    organizations: OrganizationRow;
  }
}

const toOrganization = (row: OrganizationRow): Organization => ({
  id: row.id,
  name: row.name,
  createdAt: row.created_at,
  requiresDeviceTokens: row.requires_device_tokens,
});

export function createOrganizationsRepository(sql: Database) {
  return {
    async list(): Promise<Organization[]> {
      return (await sql('organizations').orderBy('name')).map(toOrganization);
    },

    /** Names are stored in the form of `toName`. */
    async findByName(name: string): Promise<Organization | null> {
      const row = await sql('organizations')
        .where({ name: toName(name) })
        .first();
      return row ? toOrganization(row) : null;
    },

    /** The organization of the first of these names that exists. */
    async findFirstByName(names: readonly string[]): Promise<Organization | null> {
      const wanted = names.map(toName);
      const row = await sql('organizations')
        .where(oneOf('name', wanted, 'text'))
        .orderByRaw('array_position(?::text[], name)', [wanted])
        .first();
      return row ? toOrganization(row) : null;
    },

    async findName(id: string): Promise<string | null> {
      return (await sql('organizations').where({ id }).first('name'))?.name ?? null;
    },

    /** Finds or creates the organization of that name. */
    async ensure(name: string): Promise<Organization> {
      const [row] = await sql('organizations').insert({ name }).onConflict('name').merge().returning('*');
      return toOrganization(row as OrganizationRow);
    },

    /** Sets whether tokens for all devices are refused. */
    async setRequiresDeviceTokens(id: string, isRequired: boolean): Promise<void> {
      await sql('organizations').where({ id }).update({ requires_device_tokens: isRequired });
    },
  };
}
