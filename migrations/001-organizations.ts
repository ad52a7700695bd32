import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table organizations (
      id uuid not null default uuidv7(),
      name text not null,
      created_at timestamptz not null default now(),
      requires_device_tokens boolean not null default false,
      constraint organizations_pkey primary key (id),
      constraint organizations_name_key unique (name)
    );
    comment on table organizations is
      'Customers: each row of a tenant table belongs to one of them. On Citus a reference table: a copy on every '
      'node, so that distributed tables can refer to it.';
    comment on column organizations.requires_device_tokens is
      'True: tokens that are good for all devices of the organization are refused.'`);

export const down = (sql: Knex) => sql.raw('drop table organizations');
