import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table profiles (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      slug text not null,
      name text not null,
      temperature_alerts jsonb,
      schedule jsonb,
      intervals jsonb,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint profiles_pkey primary key (organization_id, id),
      constraint profiles_slug_key unique (organization_id, slug),
      constraint profiles_organization_fkey foreign key (organization_id) references organizations (id)
    );
    comment on table profiles is
      'Templates that customers apply to devices. Applying one starts a job (config_jobs), which keeps a snapshot, '
      'so later edits of the profile do not change what was applied.';
    comment on column profiles.temperature_alerts is 'Null: the profile leaves the alerts of a device as they are.';
    comment on column profiles.schedule is 'When the alerts are active. Null: always.';
    comment on column profiles.intervals is 'Null: the profile leaves the intervals of a device as they are.'`);

export const down = (sql: Knex) => sql.raw('drop table profiles');
