import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table assets (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      serial_number text not null collate "C",
      name text not null,
      model text,
      water_type text,
      floor integer,
      building_id text,
      space_id text,
      created_at timestamptz not null default now(),
      archived_at timestamptz,
      constraint assets_pkey primary key (organization_id, id),
      constraint assets_organization_fkey foreign key (organization_id) references organizations (id)
    ) with (fillfactor = 80);
    create unique index assets_active_serial_idx on assets (organization_id, lower(serial_number))
      where archived_at is null;
    create index assets_active_idx on assets (organization_id, id) where archived_at is null;
    create index assets_active_model_idx on assets (organization_id, model, id) where archived_at is null;
    create index assets_active_serial_anywhere_idx on assets (lower(serial_number)) where archived_at is null;
    comment on table assets is
      'Places that are monitored, each by one logger. What the customer edits is here; what changes with '
      'every contact of the device is in device_states. Archived assets stay: their readings and alerts '
      'refer to them.';
    comment on column assets.serial_number is
      'Of the logger that monitors the asset now; compared without case, unique among active assets of '
      'an organization.';
    comment on column assets.model is 'Product line of the logger, as registered. Null: not given.';
    comment on column assets.water_type is 'As registered. Null: not given.';
    comment on column assets.floor is 'As registered. Null: not given.';
    comment on column assets.building_id is 'In the customer''s own system. Null: not given, or archived.';
    comment on column assets.space_id is 'In the customer''s own system. Null: not given, or archived.';
    comment on column assets.archived_at is 'Null: the asset is active.';
    comment on index assets_active_serial_anywhere_idx is
      'Without organization_id: a device that sends over CoAP without a token is identified by its '
      'serial number alone.'`);

export const down = (sql: Knex) => sql.raw('drop table assets');
