import type { Knex } from 'knex';

/** Frames rewrite the row of `device_states`; device information, which they never change, is kept apart. */
export const up = (sql: Knex) =>
  sql.raw(`
    create table device_infos (
      organization_id uuid not null,
      asset_id uuid not null,
      info jsonb not null,
      constraint device_infos_pkey primary key (organization_id, asset_id),
      constraint device_infos_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id)
    );
    comment on table device_infos is
      'The last device information message of an asset''s logger; no row: none received from this logger.';
    comment on column device_infos.info is 'Firmware, battery, modem, as decoded.'`);

export const down = (sql: Knex) => sql.raw('drop table device_infos');
