/**
 * Configurations that were not used for a week. The columns that refer to them have no index, because every update of a
 * device would have to write it; instead, all rows of an organization are read at once.
 */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';

declare module 'knex/types/tables.js' {
  interface Tables {
    configurations: { organization_id: string; id: string; last_used_at: Date };
  }
}

/** Longer than any transaction takes, and than the age of anything that it has read. */
const UNUSED = `last_used_at < now() - interval '7 days'`;

/** One statement, hence one snapshot: a reference that moves from row to row is found in one of them. */
const LIST_REFERRED = `
  with referred as (
    select reported_config_id as id from device_configs where organization_id = :organizationId
    union select confirmed_config_id from device_configs where organization_id = :organizationId
    union select pending_config_id from device_configs where organization_id = :organizationId
    union select change_config_id from config_targets where organization_id = :organizationId
    union select config_id from device_settings where organization_id = :organizationId
  )
  select c.id from configurations c join referred r on r.id = c.id
  where c.organization_id = :organizationId and c.${UNUSED}`;

export type UnusedConfigurationsRepository = ReturnType<typeof createUnusedConfigurationsRepository>;

export const createUnusedConfigurationsRepository = (sql: Database) => ({
  /** The organizations that have any. */
  listOrganizations: (): Promise<string[]> =>
    acrossOrganizations(sql('configurations')).whereRaw(UNUSED).distinct().pluck('organization_id'),

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
    const own = () => sql('configurations').where({ organization_id: organizationId });
    const free = own().whereRaw(UNUSED).limit(limit).select('id').forUpdate().skipLocked();
    return own().with('free', free).whereIn('id', sql.select('id').from('free')).delete();
  },
});
