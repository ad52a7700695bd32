import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table asset_replacements (
      organization_id uuid not null,
      id uuid not null default uuidv7(),
      asset_id uuid not null,
      serial_number text not null,
      replaced_at timestamptz not null default now(),
      constraint asset_replacements_pkey primary key (organization_id, id),
      constraint asset_replacements_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id)
    );
    create index asset_replacements_asset_idx on asset_replacements (organization_id, asset_id, id);
    comment on table asset_replacements is
      'Loggers that monitored an asset before they were replaced, oldest first by id.';
    comment on column asset_replacements.serial_number is 'Of the logger that was taken out of service.'`);

export const down = (sql: Knex) => sql.raw('drop table asset_replacements');
