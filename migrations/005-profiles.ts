import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table profiles (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      slug text not null,
      name text not null,
      temperature_alerts jsonb,
      schedule jsonb,
      intervals jsonb,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      constraint profiles_pkey primary key (id),
      constraint profiles_slug_key unique (organization_id, slug),
      constraint profiles_organization_fkey foreign key (organization_id) references organizations (id)
    )`);

export const down = (sql: Knex) => sql.raw('drop table profiles');
