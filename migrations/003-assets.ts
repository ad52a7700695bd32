import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table assets (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      serial_number text not null collate "C",
      name text not null,
      model text,
      water_type text,
      floor integer,
      building_id text,
      space_id text,
      status text not null default 'new',
      signal_strength text not null default 'unknown',
      battery_status text not null default 'unknown',
      last_reading_at timestamptz,
      created_at timestamptz not null default now(),
      archived_at timestamptz,
      constraint assets_pkey primary key (id),
      constraint assets_organization_id_key unique (organization_id, id),
      constraint assets_organization_fkey foreign key (organization_id) references organizations (id),
      constraint assets_status_check check (status in ('new', 'online', 'offline', 'archived'))
    ) with (fillfactor = 80);
    create unique index assets_active_serial on assets (organization_id, lower(serial_number))
      where archived_at is null;
    create index assets_active on assets (organization_id, id) where archived_at is null;
    create index assets_active_model on assets (organization_id, model, id) where archived_at is null`);

export const down = (sql: Knex) => sql.raw('drop table assets');
