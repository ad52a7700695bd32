import type { Knex } from 'knex';

/** A large job is cancelled by its run, chunk by chunk, so the request is kept. */
export async function up(sql: Knex): Promise<void> {
  await sql.raw('alter table config_jobs add column cancel_requested_at timestamptz');
  await sql.raw(
    `comment on column config_jobs.cancel_requested_at is
       'When a customer cancelled the job: a large one is running until all its changes are withdrawn. Null: nobody has.'`,
  );
}

export const down = (sql: Knex) => sql.raw('alter table config_jobs drop column cancel_requested_at');
