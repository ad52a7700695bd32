import type { Knex } from 'knex';

/**
 * Pages are left half empty, so that merges, fetches and reports update rows within their page (HOT). The indexed
 * columns change with the status of a device, or when the sweep looks at it.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table device_configs (
      organization_id uuid not null,
      asset_id uuid not null,
      is_active boolean not null default true,
      reported_config_id uuid,
      reported_at timestamptz,
      reported_hash bigint,
      observed_hash bigint,
      confirmed_config_id uuid,
      pending_config_id uuid,
      revision bigint not null default 0,
      fetched_at timestamptz,
      contradiction_count smallint not null default 0,
      failure_reason text,
      reported_channel_types smallint[],
      channels_reported boolean not null default false,
      rule_slots smallint not null default 12,
      refused_keys text[],
      utc_offset_check_at timestamptz,
      sync_status text not null default 'no_device_report',
      has_drifted boolean not null default false,
      known_errors jsonb,
      has_had_profile boolean not null default false,
      is_inheriting boolean not null default false,
      constraint device_configs_pkey primary key (organization_id, asset_id),
      constraint device_configs_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint device_configs_contradiction_count_check check (contradiction_count >= 0),
      constraint device_configs_revision_check check (revision >= 0),
      constraint device_configs_rule_slots_check check (rule_slots in (12, 16)),
      constraint device_configs_sync_status_check check
        (sync_status in ('no_device_report', 'pending', 'sent', 'failed', 'applied', 'drifted'))
    ) with (fillfactor = 50);
    create index device_configs_utc_offset_idx on device_configs (utc_offset_check_at)
      where utc_offset_check_at is not null;
    create index device_configs_sync_status_idx on device_configs (organization_id, sync_status, asset_id)
      where is_active;
    comment on table device_configs is
      'How far a device and the service agree on its configuration, one row per asset. The columns ..._config_id '
      'hold ids of configurations.';
    comment on column device_configs.is_active is
      'False: the asset is archived. Repeated from assets, so that a transaction that waited for the lock on this '
      'row sees the change in the row itself.';
    comment on column device_configs.reported_config_id is
      'What the device runs, as far as its reports say. Null: no report yet.';
    comment on column device_configs.reported_at is 'When the last report arrived. Null: no report yet.';
    comment on column device_configs.reported_hash is
      'The number that the device gave its configuration in the last report. Null: the report had none.';
    comment on column device_configs.observed_hash is
      'The same number as in the latest frame since that report. Null: no frame since then. Where it differs from '
      'reported_hash, somebody else has changed the device.';
    comment on column device_configs.confirmed_config_id is
      'What the device confirmed last; a report that differs from it is drift. Null: nothing confirmed yet.';
    comment on column device_configs.pending_config_id is
      'The change that is offered to the device until it confirms it. Null: nothing is pending.';
    comment on column device_configs.revision is
      'Number of the pending change, as the device sees it; grows with each.';
    comment on column device_configs.fetched_at is
      'When the device fetched this revision. Null: it has not, or nothing is pending.';
    comment on column device_configs.contradiction_count is
      'How often the device fetched this revision and then reported something else; the third time it counts as '
      'refused.';
    comment on column device_configs.failure_reason is
      'Why the device refused the pending change, or some of its settings. Null: not refused.';
    comment on column device_configs.reported_channel_types is
      'Measurement type per channel, from channel 1 on; 0: none. Null: unknown. From reports; while there is none, '
      'from frames.';
    comment on column device_configs.channels_reported is
      'True: reported_channel_types comes from a report. False: from frames, and later frames may add channels.';
    comment on column device_configs.rule_slots is
      'Alarm rules that the firmware holds: 16 from version 07.02, before 12.';
    comment on column device_configs.refused_keys is
      'The settings of the pending change that the device refused, which are not offered any more. Null: none.';
    comment on column device_configs.utc_offset_check_at is
      'When the sweep compares the calendars with the offset of their time zone: at its next change, at most 30 '
      'days ahead. Null: no calendar follows a time zone.';
    comment on column device_configs.sync_status is
      'As the API shows it. It follows from the other columns and the configurations that they refer to.';
    comment on column device_configs.has_had_profile is
      'True: the change of a profile is pending for the device, or was at some time.';
    comment on column device_configs.is_inheriting is
      'True: the hardware was replaced, and the new one has yet to confirm what the old one had. What is withdrawn of '
      'the pending change goes back to the value in confirmed_config_id.';
    comment on column device_configs.known_errors is
      'ids (codes, or texts) and at (time of the latest one, or null) of the configuration errors that the device reported '
      'before it fetched what is pending; what it repeats of them says nothing of a change, unless that sets refusedKeys, '
      'which it has refused with them before. Null: none.';
    comment on column device_configs.has_drifted is
      'True: the device reports something else than it confirmed last, so sync_status is drifted once nothing is '
      'pending.';
    comment on index device_configs_utc_offset_idx is
      'Without organization_id: a sweep of the worker over all organizations.';
    create function record_device_configs_changes() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'devices', kept.key, count(*) from added
        cross join lateral (
          values ('sync:' || sync_status), (case when not has_had_profile then 'profile:none' end)
        ) as kept (key)
        where is_active and kept.key is not null group by organization_id, kept.key;
      else
        insert into list_changes (organization_id, list, key, change)
        select organization_id, 'devices', kept.key, sum(change)
        from (select *, 1 as change from added union all select *, -1 as change from removed) as changed
        cross join lateral (
          values ('sync:' || sync_status), (case when not has_had_profile then 'profile:none' end)
        ) as kept (key)
        where is_active and kept.key is not null
        group by organization_id, kept.key having sum(change) <> 0;
      end if;
      return null;
    end $$;
    create trigger device_configs_insert_changes after insert on device_configs
      referencing new table as added for each statement execute function record_device_configs_changes();
    create trigger device_configs_update_changes after update on device_configs
      referencing old table as removed new table as added
      for each statement execute function record_device_configs_changes()`);

export const down = (sql: Knex) =>
  sql.raw(`
    drop table device_configs;
    drop function record_device_configs_changes`);
