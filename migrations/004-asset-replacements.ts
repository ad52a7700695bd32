import type { Knex } from 'knex';

export const up = (sql: Knex) =>
  sql.raw(`
    create table asset_replacements (
      id uuid not null default uuidv7(),
      organization_id uuid not null,
      asset_id uuid not null,
      serial_number text not null,
      replaced_at timestamptz not null default now(),
      constraint asset_replacements_pkey primary key (id),
      constraint asset_replacements_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id)
    );
    create index asset_replacements_asset on asset_replacements (asset_id, id)`);

export const down = (sql: Knex) => sql.raw('drop table asset_replacements');
