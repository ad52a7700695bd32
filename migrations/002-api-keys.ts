import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table api_keys (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      kind text not null,
      hash bytea not null,
      display text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      constraint api_keys_pkey primary key (id),
      constraint api_keys_hash_key unique (hash),
      constraint api_keys_kind_check check (kind in ('customer', 'device')),
      constraint api_keys_organization_fkey foreign key (organization_id) references organizations (id)
    );
    create index api_keys_organization on api_keys (organization_id, id)`);

export const down = (sql: Knex) => sql.raw('drop table api_keys');
