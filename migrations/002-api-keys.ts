import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table api_keys (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      kind text not null,
      hash bytea not null,
      token_preview text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      name text,
      role text,
      serial_key text collate "C",
      constraint api_keys_pkey primary key (id),
      constraint api_keys_hash_key unique (hash),
      constraint api_keys_organization_fkey foreign key (organization_id) references organizations (id),
      constraint api_keys_kind_check check (kind in ('customer', 'device')),
      constraint api_keys_role_check check
        ((kind = 'customer') = (role is not null) and role in ('admin', 'write', 'read')),
      constraint api_keys_serial_key_check check (serial_key is null or kind = 'device')
    );
    create index api_keys_organization_idx on api_keys (organization_id, id)
      where serial_key is null and revoked_at is null;
    create index api_keys_serial_idx on api_keys (organization_id, serial_key)
      where serial_key is not null and revoked_at is null;
    comment on table api_keys is
      'API keys of organizations. On Citus a reference table: a key is looked up by its hash before the '
      'organization is known, and the hash has to be unique across organizations.';
    comment on column api_keys.kind is 'customer: for the API; device: for loggers and gateways that send readings.';
    comment on column api_keys.hash is
      'SHA-256 of the token. The token is random, so a fast hash is enough; the token itself is not stored.';
    comment on column api_keys.token_preview is
      'The first characters of the token, for people to tell their keys apart.';
    comment on column api_keys.expires_at is 'Null: the key does not expire.';
    comment on column api_keys.revoked_at is 'Null: the key has not been revoked.';
    comment on column api_keys.name is
      'What people call the key. Null: it was made without a name, and its first characters stand for it.';
    comment on column api_keys.role is
      'What a customer key may do: read, write, or admin, which also manages keys. Null on device keys.';
    comment on column api_keys.serial_key is
      'The serial number in lower case that a device token is good for. Null: for all of the organization.'`);

export const down = (sql: Knex) => sql.raw('drop table api_keys');
