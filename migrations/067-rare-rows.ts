import type { Knex } from 'knex';

/** Created while devices go on, so outside of a transaction. */
export const config = { transaction: false };

/** Pages that are drawn every few seconds show these rows, of which there are few among all that are kept. */
const INDEXES = {
  assets_archived_idx: 'assets (organization_id, id) where archived_at is not null',
  config_jobs_status_idx: 'config_jobs (organization_id, status, id)',
  config_jobs_troubled_idx: `config_jobs (organization_id, finished_at)
    where status in ('aborted', 'completed_with_failures')`,
  config_jobs_retries_idx: 'config_jobs (organization_id, retry_of_job_id) where retry_of_job_id is not null',
  mutes_end_idx: 'mutes (organization_id, ends_at)',
};

export async function up(sql: Knex): Promise<void> {
  for (const [name, rows] of Object.entries(INDEXES)) {
    // A run that broke off leaves an index that is not valid.
    await sql.raw(`drop index concurrently if exists ${name}`);
    await sql.raw(`create index concurrently ${name} on ${rows}`);
  }
}

export async function down(sql: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await sql.raw(`drop index concurrently if exists ${name}`);
}
