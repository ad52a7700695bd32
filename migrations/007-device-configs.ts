import type { Knex } from 'knex';

/**
 * Only the key is indexed and pages are left half empty, so that merges, fetches and reports update rows within
 * their page (HOT) and touch no index.
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
      constraint device_configs_pkey primary key (organization_id, asset_id),
      constraint device_configs_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint device_configs_revision_check check (revision >= 0),
      constraint device_configs_contradiction_count_check check (contradiction_count >= 0),
      constraint device_configs_rule_slots_check check (rule_slots in (12, 16))
    ) with (fillfactor = 50);
    comment on table device_configs is
      'How far a device and the service agree on its configuration, one row per asset. The columns '
      '..._config_id hold ids of configurations.';
    comment on column device_configs.is_active is
      'False: the asset is archived. Repeated from assets, so that a transaction that waited for the '
      'lock on this row sees the change in the row itself.';
    comment on column device_configs.reported_config_id is
      'What the device runs, as far as its reports say. Null: no report yet.';
    comment on column device_configs.reported_at is 'When the last report arrived. Null: no report yet.';
    comment on column device_configs.reported_hash is
      'The number that the device gave its configuration in the last report. Null: the report had none.';
    comment on column device_configs.observed_hash is
      'The same number as in the latest frame since that report. Null: no frame since then. Where it '
      'differs from reported_hash, somebody else has changed the device.';
    comment on column device_configs.confirmed_config_id is
      'What the device confirmed last; a report that differs from it is drift. Null: nothing confirmed '
      'yet.';
    comment on column device_configs.pending_config_id is
      'The change that is offered to the device until it confirms it. Null: nothing is pending.';
    comment on column device_configs.revision is
      'Number of the pending change, as the device sees it; grows with each.';
    comment on column device_configs.fetched_at is
      'When the device fetched this revision. Null: it has not, or nothing is pending.';
    comment on column device_configs.contradiction_count is
      'How often the device fetched this revision and then reported something else; the third time it '
      'counts as refused.';
    comment on column device_configs.failure_reason is
      'Why the device refused the pending change, which is then not offered any more. Null: not refused.';
    comment on column device_configs.reported_channel_types is
      'Measurement type per channel, from channel 1 on; 0: none. Null: unknown. From reports; while '
      'there is none, from frames.';
    comment on column device_configs.channels_reported is
      'True: reported_channel_types comes from a report. False: from frames, and later frames may add '
      'channels.';
    comment on column device_configs.rule_slots is
      'Alarm rules that the firmware holds: 16 from version 07.02, before 12.'`);

export const down = (sql: Knex) => sql.raw('drop table device_configs');
