import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table config_jobs (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      profile_slug text not null,
      profile_snapshot jsonb not null,
      rollout jsonb,
      current_stage smallint not null default 1,
      stage_count smallint not null default 1,
      status text not null default 'running',
      target_count integer not null,
      target_counts jsonb,
      retry_of_job_id uuid,
      deadline_at timestamptz not null,
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      workflow_checked_at timestamptz,
      constraint config_jobs_pkey primary key (organization_id, id),
      constraint config_jobs_organization_fkey foreign key (organization_id) references organizations (id),
      constraint config_jobs_retry_of_job_fkey foreign key (organization_id, retry_of_job_id)
        references config_jobs (organization_id, id),
      constraint config_jobs_status_check check
        (status in ('running', 'succeeded', 'completed_with_failures', 'aborted', 'cancelled')),
      constraint config_jobs_stage_check check (current_stage between 1 and stage_count),
      constraint config_jobs_target_count_check check (target_count >= 0)
    );
    create index config_jobs_running_idx on config_jobs (workflow_checked_at) where status = 'running';
    create index config_jobs_time_zones_idx on config_jobs ((profile_snapshot -> 'schedule' ->> 'timezone'))
      where profile_snapshot -> 'schedule' ->> 'timezone' is not null;
    comment on table config_jobs is
      'Jobs that apply one profile to many devices and run until each device has confirmed, failed or '
      'timed out.';
    comment on column config_jobs.profile_slug is 'Of the profile when it was applied; no reference to it.';
    comment on column config_jobs.profile_snapshot is
      'alerts, schedule and intervals of the profile when it was applied; null for what it does not set.';
    comment on column config_jobs.rollout is
      'Share of the devices that go first and what has to hold of them before the rest begins, in '
      'percent. Null: all at once.';
    comment on column config_jobs.current_stage is 'The stage that is under way, from 1 to stage_count.';
    comment on column config_jobs.target_count is 'Devices of the job, all stages together.';
    comment on column config_jobs.target_counts is
      'Targets per state when the job finished. Null while it runs: then they are counted from '
      'config_targets.';
    comment on column config_jobs.retry_of_job_id is
      'The job whose failed devices this one takes up. Null: no retry.';
    comment on column config_jobs.finished_at is 'Null: the job is running.';
    comment on column config_jobs.workflow_checked_at is
      'When the workflow of the job last read its progress; long ago or null means that it has to be '
      'started (again).';
    comment on index config_jobs_running_idx is
      'Without organization_id: the worker looks for running jobs without a workflow in all '
      'organizations at once.';
    comment on index config_jobs_time_zones_idx is
      'Without organization_id: the worker lists the time zones of all schedules to follow daylight '
      'saving.'`);

export const down = (sql: Knex) => sql.raw('drop table config_jobs');
