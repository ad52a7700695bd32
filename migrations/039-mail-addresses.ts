import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table mail_addresses (
      organization_id uuid not null,
      address_key text not null,
      link_hash bytea,
      link_expires_at timestamptz,
      confirmed_at timestamptz,
      constraint mail_addresses_pkey primary key (organization_id, address_key),
      constraint mail_addresses_link_check check ((link_hash is null) = (link_expires_at is null))
    );
    create index mail_addresses_link_idx on mail_addresses (organization_id, link_hash) where link_hash is not null;
    comment on table mail_addresses is
      'Addresses of notification channels, and whether their owners have confirmed that they want mail.';
    comment on column mail_addresses.address_key is 'The address in lower case.';
    comment on column mail_addresses.link_hash is
      'SHA-256 of the secret in the link that confirms. Null: there is none that works.';
    comment on column mail_addresses.link_expires_at is 'Null: there is no link that works.';
    comment on column mail_addresses.confirmed_at is 'Null: not confirmed, so it gets the link alone.'`);

export const down = (sql: Knex) => sql.raw('drop table mail_addresses');
