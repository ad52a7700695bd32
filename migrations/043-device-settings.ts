import type { Knex } from 'knex';

/**
 * Rows are only ever added: a period lasts until the next one of its device begins, so the settings of a past
 * moment stay as they are.
 *
 * Existing devices begin with the settings that they run: since their last report, or from now on where the service
 * knows only the applied ones.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.raw(`
    create table device_settings (
      organization_id uuid not null,
      asset_id uuid not null,
      from_at timestamptz not null,
      config_id uuid,
      measurement_period_seconds integer,
      transmission_interval_seconds integer,
      profile_slug text,
      source text,
      constraint device_settings_pkey primary key (organization_id, asset_id, from_at),
      constraint device_settings_asset_fkey foreign key (organization_id, asset_id)
        references assets (organization_id, id),
      constraint device_settings_source_check check (source in ('report', 'confirmed', 'frame', 'applied'))
    );
    comment on table device_settings is
      'What each device ran and when: a row for each period, which lasts until the next row of the asset. Rows are '
      'added and never changed.';
    comment on column device_settings.from_at is 'When the period began, to the millisecond.';
    comment on column device_settings.config_id is
      'Id of the configuration (in configurations) whose alert rules and calendars applied. Null: no alert rules are '
      'known.';
    comment on column device_settings.measurement_period_seconds is 'Between two readings. Null: unknown.';
    comment on column device_settings.transmission_interval_seconds is 'Between two transmissions. Null: unknown.';
    comment on column device_settings.profile_slug is
      'The profile that was applied last. Null: none, or the device reported settings that no profile brought.';
    comment on column device_settings.source is
      'How the service learned of it. Null: from then on nothing is known, for example because the asset was '
      'archived.'`);
  await sql.raw(`
    insert into device_settings
      (organization_id, asset_id, from_at, config_id, measurement_period_seconds, transmission_interval_seconds, source)
    select d.organization_id, d.asset_id, date_trunc('milliseconds', coalesce(d.reported_at, now())),
      coalesce(d.confirmed_config_id, d.pending_config_id),
      (c.content ->> 'measurementPeriodBase')::integer * coalesce((c.content ->> 'measurementPeriodFactor')::integer, 1),
      (c.content ->> 'transmissionInterval')::integer,
      case when d.reported_config_id is null then 'applied' else 'report' end
    from device_configs d
    join configurations c on c.organization_id = d.organization_id
      and c.id = coalesce(d.reported_config_id, d.confirmed_config_id, d.pending_config_id)
    where d.is_active`);
}

export const down = (sql: Knex) => sql.raw('drop table device_settings');
