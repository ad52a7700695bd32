import type { Knex } from 'knex';

const statuses = (...names: string[]) => names.map((name) => `'${name}'`).join(', ');
const BEFORE = ['running', 'succeeded', 'completed_with_failures', 'aborted', 'cancelled'];

/** A run of the version before ends where it meets a scheduled job; the sweep starts another one when it is due. */
export const up = (sql: Knex) =>
  sql.raw(`
    alter table config_jobs add column start_at timestamptz;
    alter table config_jobs drop constraint config_jobs_status_check;
    alter table config_jobs add constraint config_jobs_status_check
      check (status in (${statuses('scheduled', ...BEFORE)})) not valid;
    alter table config_jobs validate constraint config_jobs_status_check;
    create index config_jobs_scheduled_idx on config_jobs (start_at) where status = 'scheduled';
    comment on column config_jobs.start_at is
      'From when on the change is offered. Null: at once.';
    comment on column config_jobs.finished_at is 'Null: the job is scheduled or running.';
    comment on column config_targets.is_active is
      'True: the device may still come to run the change, so fetches, reports and later changes have to '
      'look at this row. It may stay true after the target has failed or timed out, and is false before '
      'the start of a scheduled job.';
    comment on index config_jobs_scheduled_idx is
      'Without organization_id: the worker looks for scheduled jobs that are due in all organizations at '
      'once.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    update config_jobs set status = 'running' where status = 'scheduled';
    drop index config_jobs_scheduled_idx;
    alter table config_jobs drop column start_at;
    alter table config_jobs drop constraint config_jobs_status_check;
    alter table config_jobs add constraint config_jobs_status_check
      check (status in (${statuses(...BEFORE)}));
    comment on column config_jobs.finished_at is 'Null: the job is running.';
    comment on column config_targets.is_active is
      'True: the device may still come to run the change, so fetches, reports and later changes have to '
      'look at this row. It may stay true after the target has failed or timed out.'`);
