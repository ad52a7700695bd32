import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table unregistered_devices (
      organization_id uuid not null,
      serial_number text not null collate "C",
      contact_count bigint not null default 1,
      first_contact_at timestamptz not null default now(),
      last_contact_at timestamptz not null default now(),
      constraint unregistered_devices_pkey primary key (organization_id, serial_number),
      constraint unregistered_devices_organization_fkey foreign key (organization_id) references organizations (id),
      constraint unregistered_devices_contact_count_check check (contact_count >= 1)
    );
    comment on table unregistered_devices is
      'Devices that sent with a valid token of the organization but are not registered there, for the operator to '
      'look into. The number of rows per organization is limited.';
    comment on column unregistered_devices.serial_number is 'In lower case.'`);

export const down = (sql: Knex) => sql.raw('drop table unregistered_devices');
