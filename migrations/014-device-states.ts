import type { Knex } from 'knex';

/**
 * Pages are left half empty, so that each rewrite stays on its page (HOT). A column that every frame writes must
 * not be indexed, because each frame would then write every index of the table. Indexed are copies that move
 * seldom: `overdue_check_at` when the sweep looks at the row, `last_reading_from` twice a day, `uncompacted_from`
 * once a day.
 *
 * `latest` is json: jsonb of the same readings is twice as wide.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table device_states (
      organization_id uuid not null,
      asset_id uuid not null,
      status text not null default 'new',
      signal_strength text not null default 'unknown',
      sends_signal boolean not null default false,
      battery_status text not null default 'unknown',
      last_reading_at timestamptz,
      latest_measured_at timestamptz,
      last_contact_at timestamptz,
      expected_by timestamptz,
      observed_channel_types smallint[],
      newest_reading_at jsonb not null default '{}',
      open_alerts jsonb not null default '[]',
      overdue_check_at timestamptz not null default '-infinity',
      uncompacted_from timestamptz,
      latest json,
      is_active boolean not null default true,
      last_reading_from timestamptz not null default '-infinity',
      constraint device_states_pkey primary key (organization_id, asset_id),
      constraint device_states_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint device_states_battery_status_check check (battery_status in ('ok', 'low', 'unknown')),
      constraint device_states_signal_strength_check check (signal_strength in ('good', 'fair', 'poor', 'unknown')),
      constraint device_states_status_check check (status in ('new', 'online', 'offline'))
    ) with (fillfactor = 50);
    create index device_states_overdue_idx on device_states (overdue_check_at) where status = 'online';
    create index device_states_uncompacted_idx on device_states (uncompacted_from) where uncompacted_from is not null;
    create index device_states_status_idx on device_states (organization_id, status, asset_id) where is_active;
    create index device_states_battery_idx on device_states (organization_id, battery_status, asset_id)
      where is_active;
    create index device_states_last_reading_idx on device_states (organization_id, last_reading_from, asset_id)
      where is_active;
    comment on table device_states is
      'What the contacts of a device change, apart from the asset that customers edit; one narrow row per asset '
      'that every frame rewrites.';
    comment on column device_states.status is 'new: no contact yet; offline: no contact by expected_by.';
    comment on column device_states.sends_signal is
      'signal_strength is of a frame: a later one that leaves out the signal, as proto3 does with 0, has none. False: of '
      'the device info, or not known.';
    comment on column device_states.last_reading_at is
      'Time of the newest reading, as the device measured it. Null: no reading yet.';
    comment on column device_states.latest_measured_at is
      'No stored reading of the asset is newer, on any channel, sensor errors included: a reading with a later time '
      'is new without a look-up in measurement_blocks. Null: unknown.';
    comment on column device_states.last_contact_at is
      'Arrival of the latest frame, or of the message by which the device came back online. Null: none yet.';
    comment on column device_states.expected_by is
      'Deadline of the next contact; later the device counts as offline. Null: not known, so no deadline.';
    comment on column device_states.observed_channel_types is
      'Measurement type per channel as frames showed it, from channel 1 on; 0: none. Null: not shown.';
    comment on column device_states.newest_reading_at is
      'Per channel (as the key), the time of its newest reading in unix milliseconds; sensor errors do not count.';
    comment on column device_states.open_alerts is
      'The alerts that are open for the device, so that readings are evaluated under the lock of this row, without '
      'a look-up in alerts.';
    comment on column device_states.overdue_check_at is
      'When the sweep looks whether the device is overdue: never later than expected_by. Contacts bring it forward '
      'only; the sweep moves it on, to infinity where there is no deadline.';
    comment on column device_states.uncompacted_from is
      'Time of the oldest reading that was stored since the blocks of its day were last compacted. Null: none.';
    comment on column device_states.latest is
      'The newest sample of each channel: [channel, type, unix milliseconds, value, error]. Null: no frame yet.';
    comment on column device_states.is_active is
      'False: the asset is archived. Repeated from assets, so that indexes and counts leave it out.';
    comment on column device_states.last_reading_from is
      'last_reading_at is not before this hour, and at most 13 hours after it, so that few frames change the '
      'column. -infinity: no reading yet.';
    comment on index device_states_overdue_idx is
      'Without organization_id: a sweep of the worker over all organizations.';
    comment on index device_states_uncompacted_idx is
      'Without organization_id: the sweep compacts the devices of all organizations.';
    create function record_device_states_insert() returns trigger language plpgsql as $$
    begin
      insert into list_changes (organization_id, list, key, change)
      select organization_id, 'devices', counted.key, count(*) from added
      cross join lateral (values ('status:' || status), ('battery:' || battery_status)) as counted (key)
      where is_active group by organization_id, counted.key;
      return null;
    end $$;
    create trigger device_states_insert_changes after insert on device_states
      referencing new table as added for each statement execute function record_device_states_insert();
    create function record_device_states_change() returns trigger language plpgsql as $$
    begin
      insert into list_changes (organization_id, list, key, change)
      select new.organization_id, 'devices', counted.key, sum(counted.change) from (
        select 'status:' || old.status as key, -1 as change where old.is_active
        union all select 'battery:' || old.battery_status, -1 where old.is_active
        union all select 'status:' || new.status, 1 where new.is_active
        union all select 'battery:' || new.battery_status, 1 where new.is_active
      ) as counted
      group by counted.key having sum(counted.change) <> 0;
      return null;
    end $$;
    create trigger device_states_update_changes after update on device_states for each row
      when (old.status <> new.status or old.battery_status <> new.battery_status or old.is_active <> new.is_active)
      execute function record_device_states_change()`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table device_states;
    drop function record_device_states_insert, record_device_states_change`);
