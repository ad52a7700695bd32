import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * What lists of devices are filtered by. Columns that frames write are not indexed, because each frame would then write
 * every index of the table: `last_reading_from` moves twice a day, and the others when a device changes its state.
 */
export async function up(sql: Knex): Promise<void> {
  await sql.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = '5s'`);
    await trx.raw(COLUMNS);
  });
  for (const batch of [ARCHIVED, READING_HOURS, SYNC_STATUSES]) await repeat(sql, batch);
}

export const down = (sql: Knex) =>
  sql.raw(`
    drop trigger assets_archive on assets;
    drop function end_device_state;
    alter table device_states drop column is_active, drop column last_reading_from;
    alter table device_configs drop column sync_status, drop column has_drifted`);

const COLUMNS = `
  alter table device_states
    add column is_active boolean not null default true,
    add column last_reading_from timestamptz not null default '-infinity';
  comment on column device_states.is_active is
    'False: the asset is archived. Repeated from assets by a trigger, so that indexes and counts leave it out.';
  comment on column device_states.last_reading_from is
    'last_reading_at is not before this hour, and at most 13 hours after it, so that few frames change the column. '
    '-infinity: no reading yet.';

  alter table device_configs
    add column sync_status text not null default 'no_device_report'
      constraint device_configs_sync_status_check
      check (sync_status in ('no_device_report', 'pending', 'sent', 'failed', 'applied', 'drifted')),
    add column has_drifted boolean not null default false;
  comment on column device_configs.sync_status is
    'As the API shows it. It follows from the other columns and the configurations that they refer to.';
  comment on column device_configs.has_drifted is
    'True: the device reports something else than it confirmed last, so sync_status is drifted once nothing is pending.';

  create function end_device_state() returns trigger language plpgsql as $$
  begin
    update device_states set is_active = false where organization_id = new.organization_id and asset_id = new.id;
    return null;
  end $$;
  create trigger assets_archive after update of archived_at on assets for each row
    when (old.archived_at is null and new.archived_at is not null) execute function end_device_state()`;

const ARCHIVED = `
  update device_states s set is_active = false
  from (
    select a.organization_id, a.id from assets a
    join device_states d on d.organization_id = a.organization_id and d.asset_id = a.id
    where a.archived_at is not null and d.is_active limit 10000
  ) as archived
  where s.organization_id = archived.organization_id and s.asset_id = archived.id`;

const READING_HOURS = `
  update device_states s set last_reading_from = date_trunc('hour', s.last_reading_at)
  from (
    select organization_id, asset_id from device_states
    where last_reading_at is not null and last_reading_from = '-infinity' limit 10000
  ) as unknown
  where s.organization_id = unknown.organization_id and s.asset_id = unknown.asset_id`;

/** Lists of rules are compared without the entries that do nothing. */
const HAS_DRIFTED = `
  (d.observed_hash <> d.reported_hash) is true or coalesce(d.reported_config_id <> d.confirmed_config_id and exists (
    select from configurations r
    join configurations c on c.organization_id = r.organization_id
    cross join json_each(r.content) as reported
    join json_each(c.content) as confirmed on confirmed.key = reported.key
    where r.organization_id = d.organization_id and r.id = d.reported_config_id and c.id = d.confirmed_config_id
      and jsonb_path_query_array(reported.value::jsonb, '$[*] \\? (!(@.condition == "DISABLED" || @.type == "DISABLED"))')
        <> jsonb_path_query_array(confirmed.value::jsonb, '$[*] \\? (!(@.condition == "DISABLED" || @.type == "DISABLED"))')
  ), false)`;

const SYNC_STATUSES = `
  with unknown as materialized (
    select d.organization_id, d.asset_id, ${HAS_DRIFTED} as has_drifted from device_configs d
    where d.reported_config_id is not null and d.sync_status = 'no_device_report' limit 10000
  )
  update device_configs d set has_drifted = unknown.has_drifted, sync_status = case
    when d.pending_config_id is null then case when unknown.has_drifted then 'drifted' else 'applied' end
    when d.failure_reason is not null and (d.refused_keys is null or not exists (
      select from configurations p cross join json_object_keys(p.content) as key
      where p.organization_id = d.organization_id and p.id = d.pending_config_id and key <> all (d.refused_keys)
    )) then 'failed'
    when d.fetched_at is null then 'pending' else 'sent' end
  from unknown where d.organization_id = unknown.organization_id and d.asset_id = unknown.asset_id`;

/** In batches: no row stays locked for long. */
async function repeat(sql: Knex, batch: string): Promise<void> {
  while ((await sql.raw(batch)).rowCount > 0);
}
