import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table config_jobs (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      profile_slug text not null,
      parts jsonb not null,
      rollout jsonb,
      stage smallint not null default 1,
      stages smallint not null default 1,
      status text not null default 'running',
      total integer not null,
      counts jsonb,
      retry_of uuid,
      deadline_at timestamptz not null,
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      workflow_seen_at timestamptz,
      constraint config_jobs_pkey primary key (id),
      constraint config_jobs_organization_id_key unique (organization_id, id),
      constraint config_jobs_organization_fkey foreign key (organization_id) references organizations (id),
      constraint config_jobs_status_check check
        (status in ('running', 'succeeded', 'completed_with_failures', 'aborted', 'cancelled'))
    );
    create index config_jobs_running on config_jobs (workflow_seen_at) where status = 'running'`);

export const down = (sql: Knex) => sql.raw('drop table config_jobs');
