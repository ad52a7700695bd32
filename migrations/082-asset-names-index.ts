import type { Knex } from 'knex';

/** `concurrently` does not run in a transaction. */
export const config = { transaction: false };

/** Lists by name: the built-in collation orders in the same way on every server. */
export async function up(sql: Knex): Promise<void> {
  // A build that was interrupted leaves an invalid index behind.
  await sql.raw('drop index concurrently if exists assets_active_name_idx');
  await sql.raw(`create index concurrently assets_active_name_idx
    on assets (organization_id, lower(name collate pg_c_utf8), id) where archived_at is null`);
}

export const down = (sql: Knex) => sql.raw('drop index concurrently if exists assets_active_name_idx');
