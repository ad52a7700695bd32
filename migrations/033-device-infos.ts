import type { Knex } from 'knex';

/**
 * Frames rewrite the row of `device_states`, so what they never change is kept apart. `device_states.device_info` stays
 * for processes of the version before; each frame clears it.
 */
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
    comment on column device_infos.info is 'Firmware, battery, modem, as decoded.';
    insert into device_infos (organization_id, asset_id, info)
    select organization_id, asset_id, device_info from device_states where device_info is not null;
    comment on column device_states.device_info is
      'Replaced by device_infos. Null: not written by the version before, or cleared.'`);

export const down = (sql: Knex) =>
  sql.raw(`
    update device_states s set device_info = i.info
    from device_infos i where i.organization_id = s.organization_id and i.asset_id = s.asset_id;
    comment on column device_states.device_info is
      'The last device information message: firmware, battery, modem. Null: none received.';
    drop table device_infos`);
