import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table organizations (
      id uuid not null default uuidv7(),
      name text not null,
      created_at timestamptz not null default now(),
      constraint organizations_pkey primary key (id),
      constraint organizations_name_key unique (name)
    )`);

export const down = (sql: Knex) => sql.raw('drop table organizations');
