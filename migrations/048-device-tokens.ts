import type { Knex } from 'knex';

/** The index is over no row at first. */
export const up = (sql: Knex) =>
  sql.raw(`
    set local lock_timeout = '5s';
    alter table api_keys add column if not exists serial_key text collate "C"
      constraint api_keys_serial_key_check check (serial_key is null or kind = 'device');
    comment on column api_keys.serial_key is
      'The serial number in lower case that a device token is good for. Null: for all of the organization.';
    create index api_keys_serial_idx on api_keys (organization_id, serial_key)
      where serial_key is not null and revoked_at is null;
    alter table organizations add column if not exists requires_device_tokens boolean not null default false;
    comment on column organizations.requires_device_tokens is
      'True: tokens that are good for all devices of the organization are refused.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table organizations drop column requires_device_tokens;
    alter table api_keys drop column serial_key`);
