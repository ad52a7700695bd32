import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table idempotency_keys (
      organization_id uuid not null,
      key text not null,
      fingerprint bytea not null,
      status smallint not null,
      body bytea not null,
      location text,
      created_at timestamptz not null default now(),
      constraint idempotency_keys_pkey primary key (organization_id, key),
      constraint idempotency_keys_organization_fkey foreign key (organization_id) references organizations (id)
    );
    create index idempotency_keys_age on idempotency_keys (created_at)`);

export const down = (sql: Knex) => sql.raw('drop table idempotency_keys');
