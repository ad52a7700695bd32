import type { Knex } from 'knex';

/** Created while devices go on, so outside of a transaction. */
export const config = { transaction: false };

export async function up(sql: Knex): Promise<void> {
  // A run that broke off leaves an index that is not valid.
  await sql.raw('drop index concurrently if exists device_settings_profile_idx');
  await sql.raw(`
    create index concurrently device_settings_profile_idx on device_settings (organization_id, profile_slug, asset_id)
      where profile_slug is not null`);
}

export const down = (sql: Knex) => sql.raw('drop index concurrently if exists device_settings_profile_idx');
