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
      is_beginning_stage boolean not null default false,
      purge_checked_at timestamptz,
      start_at timestamptz,
      cancel_requested_at timestamptz,
      reason text,
      constraint config_jobs_pkey primary key (organization_id, id),
      constraint config_jobs_organization_fkey foreign key (organization_id) references organizations (id),
      constraint config_jobs_stage_check check (current_stage >= 1 and current_stage <= stage_count),
      constraint config_jobs_status_check check
        (status in ('scheduled', 'running', 'succeeded', 'completed_with_failures', 'aborted', 'cancelled')),
      constraint config_jobs_target_count_check check (target_count >= 0)
    );
    create index config_jobs_without_workflow_idx on config_jobs (coalesce(workflow_checked_at, '-infinity'))
      where status = 'running';
    create index config_jobs_ended_idx on config_jobs (coalesce(purge_checked_at, finished_at))
      where finished_at is not null;
    create index config_jobs_scheduled_idx on config_jobs (start_at) where status = 'scheduled';
    comment on table config_jobs is
      'Jobs that apply one profile to many devices and run until each device has confirmed, failed or timed out.';
    comment on column config_jobs.profile_slug is 'Of the profile when it was applied; no reference to it.';
    comment on column config_jobs.profile_snapshot is
      'alerts, schedule and intervals of the profile when it was applied; null for what it does not set.';
    comment on column config_jobs.rollout is
      'Share of the devices that go first and what has to hold of them before the rest begins, in percent. Null: '
      'all at once.';
    comment on column config_jobs.current_stage is 'The stage that is under way, from 1 to stage_count.';
    comment on column config_jobs.target_count is 'Devices of the job, all stages together.';
    comment on column config_jobs.target_counts is
      'Targets per state when the job finished. Null while it runs: then they are counted from config_targets.';
    comment on column config_jobs.retry_of_job_id is
      'The job whose failed devices this one takes up; it may have been removed since. Null: no retry.';
    comment on column config_jobs.finished_at is 'Null: the job is scheduled or running.';
    comment on column config_jobs.workflow_checked_at is
      'When the workflow of the job last read its progress; long ago or null means that it has to be started '
      '(again).';
    comment on column config_jobs.is_beginning_stage is
      'True: the stage after current_stage has begun for part of its devices; the others follow in chunks.';
    comment on column config_jobs.purge_checked_at is
      'When the retention last kept targets of the job, because they tell what their devices run. Null: never.';
    comment on column config_jobs.start_at is 'From when on the change is offered. Null: at once.';
    comment on column config_jobs.cancel_requested_at is
      'When a customer cancelled the job: a large one is running until all its changes are withdrawn. Null: nobody '
      'has.';
    comment on column config_jobs.reason is 'Why the job was aborted, as text for the customer. Else null.';
    comment on index config_jobs_ended_idx is
      'Without organization_id: a sweep of the worker over all organizations.';
    comment on index config_jobs_scheduled_idx is
      'Without organization_id: the worker looks for scheduled jobs that are due in all organizations at once.';
    comment on index config_jobs_without_workflow_idx is
      'Without organization_id: a sweep of the worker over all organizations.'`);

export const down = (sql: Knex) => sql.raw('drop table config_jobs');
