import type { Knex } from 'knex';

/**
 * What a device's contacts change, apart from the asset that customers edit: one narrow row that every frame rewrites.
 * No index but the key and half-empty pages, so that each rewrite stays on its page.
 *
 * `expected_by` is when silence begins to count, null while nobody knows; `judged` the newest reading of each channel
 * in unix milliseconds; `channel_types` the layout as frames showed it.
 */
export const up = (sql: Knex) =>
  sql.raw(`
    create table device_states (
      asset_id uuid not null,
      organization_id uuid not null,
      status text not null default 'new',
      signal_strength text not null default 'unknown',
      battery_status text not null default 'unknown',
      last_reading_at timestamptz,
      last_contact_at timestamptz,
      expected_by timestamptz,
      channel_types smallint[],
      judged jsonb not null default '{}',
      open_alerts jsonb not null default '[]',
      info jsonb,
      constraint device_states_pkey primary key (asset_id),
      constraint device_states_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint device_states_status_check check (status in ('new', 'online', 'offline'))
    ) with (fillfactor = 50);
    insert into device_states
      (asset_id, organization_id, status, signal_strength, battery_status, last_reading_at, last_contact_at)
    select id, organization_id,
      case when status <> 'archived' then status when last_reading_at is null then 'new' else 'online' end,
      signal_strength, battery_status, last_reading_at, last_reading_at
    from assets;
    alter table assets drop column status, drop column signal_strength, drop column battery_status,
      drop column last_reading_at`);

export const down = (sql: Knex) =>
  sql.raw(`
    alter table assets
      add column status text not null default 'new',
      add column signal_strength text not null default 'unknown',
      add column battery_status text not null default 'unknown',
      add column last_reading_at timestamptz,
      add constraint assets_status_check check (status in ('new', 'online', 'offline', 'archived'));
    update assets a set
      status = case when a.archived_at is null then s.status else 'archived' end,
      signal_strength = s.signal_strength, battery_status = s.battery_status, last_reading_at = s.last_reading_at
    from device_states s where s.asset_id = a.id;
    drop table device_states`);
