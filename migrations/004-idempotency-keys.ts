import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table idempotency_keys (
      organization_id uuid not null,
      key text not null,
      fingerprint bytea not null,
      status_code smallint not null,
      body bytea not null,
      location text,
      created_at timestamptz not null default now(),
      constraint idempotency_keys_pkey primary key (organization_id, key),
      constraint idempotency_keys_organization_fkey foreign key (organization_id) references organizations (id),
      constraint idempotency_keys_status_code_check check (status_code between 100 and 599)
    );
    create index idempotency_keys_age_idx on idempotency_keys (created_at);
    comment on table idempotency_keys is
      'Answers to requests with an Idempotency-Key, stored in the transaction of the request and kept for 24 hours.';
    comment on column idempotency_keys.fingerprint is
      'SHA-256 of method, path and body: a key that comes with another one is refused.';
    comment on column idempotency_keys.body is 'Body of the answer, encrypted, because it may hold a secret.';
    comment on column idempotency_keys.location is 'Location header of the answer. Null: it had none.';
    comment on index idempotency_keys_age_idx is
      'Without organization_id: the worker deletes expired answers of all organizations.'`);

export const down = (sql: Knex) => sql.raw('drop table idempotency_keys');
