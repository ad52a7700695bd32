import type { Knex } from 'knex';

/** `concurrently` does not run in a transaction. */
export const config = { transaction: false };

/**
 * The few targets of a large job that people look for: those that still wait, and those that went wrong, which have a
 * reason. An index by the state would be written with each of its changes; these are not, but for the last one.
 */
const INDEXES: Record<string, string> = {
  config_targets_unsettled_idx: 'config_targets (organization_id, job_id, asset_id) where is_active',
  config_targets_reason_idx: 'config_targets (organization_id, job_id, asset_id) where reason is not null',
};

export async function up(sql: Knex): Promise<void> {
  for (const [name, on] of Object.entries(INDEXES)) {
    // A build that was interrupted leaves an invalid index behind.
    await sql.raw(`drop index concurrently if exists ${name}`);
    await sql.raw(`create index concurrently ${name} on ${on}`);
  }
}

export async function down(sql: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await sql.raw(`drop index concurrently if exists ${name}`);
}
