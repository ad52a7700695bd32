import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table unknown_devices (
      organization_id uuid not null,
      serial_number text not null collate "C",
      sightings bigint not null default 1,
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      constraint unknown_devices_pkey primary key (organization_id, serial_number),
      constraint unknown_devices_organization_fkey foreign key (organization_id) references organizations (id)
    )`);

export const down = (sql: Knex) => sql.raw('drop table unknown_devices');
