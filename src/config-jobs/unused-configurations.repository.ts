/**
 * Configurations that were not used for a week. The columns that refer to them have no index, because every update of a
 * device would have to write it; instead, all rows of an organization are read at once.
 */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    configurations: { organization_id: string; id: string; last_used_at: Date };
  }
}

/** Longer than any transaction takes, and than the age of anything that it has read. */
const UNUSED = `last_used_at < now() - interval '7 days'`;

export type UnusedConfigurationsRepository = ReturnType<typeof createUnusedConfigurationsRepository>;

export const createUnusedConfigurationsRepository = (sql: Database) => ({
  /** The organizations that have any. */
  listOrganizations: (): Promise<string[]> =>
    acrossOrganizations(sql('configurations')).whereRaw(UNUSED).distinct().pluck('organization_id'),

  /**
   * Those to which rows refer. One statement, hence one snapshot: a reference that moves from row to row is found in one of
   * them.
   */
  listReferred(organizationId: string): Promise<string[]> {
    const rowsOf = (table: string) => sql(table).where({ organization_id: organizationId });
    const referred = sql.union([
      rowsOf('device_configs').select('reported_config_id'),
      rowsOf('device_configs').select('confirmed_config_id'),
      rowsOf('device_configs').select('pending_config_id'),
      rowsOf('config_targets').select('change_config_id'),
      rowsOf('device_settings').select('config_id'),
    ]);
    return rowsOf('configurations').whereRaw(UNUSED).whereIn('id', referred).pluck('id');
  },

  async markUsed(organizationId: string, configIds: string[]): Promise<void> {
    await sql('configurations')
      .where({ organization_id: organizationId })
      .whereIn('id', configIds)
      .update({ last_used_at: sql.fn.now() });
  },

  /** Leaves out rows that another transaction is about to use. Returns the number of removed ones. */
  async remove(organizationId: string, limit: number): Promise<number> {
    const own = () => sql('configurations').where({ organization_id: organizationId });
    const free = own().whereRaw(UNUSED).limit(limit).select('id').forUpdate().skipLocked();
    return own().with('free', free).whereIn('id', sql.select('id').from('free')).delete();
  },
});
