/**
 * Configurations that were not used for a week. The columns that refer to them have no index, because every update of a
 * device would have to write it; instead, all rows of an organization are read at once.
 */
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import { LIST_ORGANIZATIONS, LIST_REFERRED, REMOVE_UNUSED } from './unused-configurations.statements.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    configurations: { organization_id: string; id: string; last_used_at: Date };
  }
}

export type UnusedConfigurationsRepository = ReturnType<typeof createUnusedConfigurationsRepository>;

export const createUnusedConfigurationsRepository = (sql: Database) => ({
  /** The organizations that have any. */
  async listOrganizations(): Promise<string[]> {
    const rows = await query<{ organizationId: string }>(sql, LIST_ORGANIZATIONS);
    return rows.map(({ organizationId }) => organizationId);
  },

  /** Those to which rows refer. */
  async listReferred(organizationId: string): Promise<string[]> {
    const rows = await query<{ id: string }>(sql, LIST_REFERRED, { organizationId });
    return rows.map(({ id }) => id);
  },

  async markUsed(organizationId: string, configIds: string[]): Promise<void> {
    await sql('configurations')
      .where({ organization_id: organizationId })
      .whereIn('id', configIds)
      .update({ last_used_at: sql.fn.now() });
  },

  /** Leaves out rows that another transaction is about to use. Returns the number of removed ones. */
  async remove(organizationId: string, limit: number): Promise<number> {
    return (await query(sql, REMOVE_UNUSED, { organizationId, limit })).length;
  },
});
