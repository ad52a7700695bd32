import type { Knex } from 'knex';

/**
 * Only the key is indexed and pages are left half empty, so that each rewrite stays on its page (HOT). The sweep
 * for overdue devices reads the whole table: an index on expected_by would have to change with every frame.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table device_states (
      organization_id uuid not null,
      asset_id uuid not null,
      status text not null default 'new',
      signal_strength text not null default 'unknown',
      battery_status text not null default 'unknown',
      last_reading_at timestamptz,
      latest_measured_at timestamptz,
      last_contact_at timestamptz,
      expected_by timestamptz,
      observed_channel_types smallint[],
      newest_reading_at jsonb not null default '{}',
      open_alerts jsonb not null default '[]',
      device_info jsonb,
      constraint device_states_pkey primary key (organization_id, asset_id),
      constraint device_states_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint device_states_status_check check (status in ('new', 'online', 'offline')),
      constraint device_states_signal_strength_check check (signal_strength in ('good', 'fair', 'poor', 'unknown')),
      constraint device_states_battery_status_check check (battery_status in ('ok', 'low', 'unknown'))
    ) with (fillfactor = 50);
    comment on table device_states is
      'What the contacts of a device change, apart from the asset that customers edit; one narrow row '
      'per asset that every frame rewrites.';
    comment on column device_states.status is 'new: no contact yet; offline: no contact by expected_by.';
    comment on column device_states.last_reading_at is
      'Time of the newest reading, as the device measured it. Null: no reading yet.';
    comment on column device_states.latest_measured_at is
      'No stored reading of the asset is newer, on any channel, sensor errors included: a reading with a '
      'later time is new without a look-up in measurements. Null: unknown.';
    comment on column device_states.last_contact_at is
      'Arrival of the latest frame, or of the message by which the device came back online. Null: none yet.';
    comment on column device_states.expected_by is
      'Deadline of the next contact; later the device counts as offline. Null: not known, so no deadline.';
    comment on column device_states.observed_channel_types is
      'Measurement type per channel as frames showed it, from channel 1 on; 0: none. Null: not shown.';
    comment on column device_states.newest_reading_at is
      'Per channel (as the key), the time of its newest reading in unix milliseconds; sensor errors do '
      'not count.';
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, so that readings are evaluated under the lock of this '
      'row, without a look-up in alerts.';
    comment on column device_states.device_info is
      'The last device information message: firmware, battery, modem. Null: none received.'`);

export const down = (sql: Knex) => sql.raw('drop table device_states');
