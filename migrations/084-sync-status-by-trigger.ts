import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * Processes of the version before change devices without writing sync_status and has_drifted, which lists are filtered
 * by. A trigger writes both for them. It looks at rows whose status an update left as it was, so for processes that write
 * it themselves it seldom has anything to do, and then finds the same.
 */
export async function up(sql: Knex): Promise<void> {
  if (await isDistributed(sql)) return;
  await sql.transaction(async (trx) => {
    await trx.raw(`set local lock_timeout = '5s'`);
    for (const statement of [COMPARABLE, HAS_DRIFTED, SYNC_STATUS, TRIGGER]) await trx.raw(statement);
  });
  for (let after: string | null = FIRST; after !== null; ) after = await repairBatch(sql, after);
}

export const down = (sql: Knex) =>
  sql.raw(`
    drop trigger if exists device_configs_sync_status on device_configs;
    drop function if exists write_sync_status, device_sync_status, device_has_drifted, comparable_setting`);

/** Citus refuses triggers on distributed tables. */
async function isDistributed(sql: Knex): Promise<boolean> {
  const { rows } = await sql.raw(`select to_regclass('pg_dist_partition') is not null as "hasCitus"`);
  if (!rows[0].hasCitus) return false;
  const found = await sql.raw(
    `select from pg_dist_partition where logicalrelid = 'device_configs'::regclass`,
  );
  return found.rowCount > 0;
}

/** Entries of a list that do nothing make no difference at its end; before others they keep them in their places. */
const COMPARABLE = `
  create or replace function comparable_setting(setting jsonb) returns jsonb language sql immutable as $$
    select case when jsonb_typeof(setting) <> 'array' then setting else (
      select coalesce(jsonb_agg(entry order by place) filter (where place <= last), '[]') from (
        select entry, place, max(place) filter (
          where (entry ->> 'condition') is distinct from 'DISABLED' and (entry ->> 'type') is distinct from 'DISABLED'
        ) over () as last
        from jsonb_array_elements(setting) with ordinality as entries (entry, place)
      ) as placed
    ) end
  $$`;

const HAS_DRIFTED = `
  create or replace function device_has_drifted(d record) returns boolean language plpgsql stable as $$
  begin
    return d.reported_config_id is not null and ((d.observed_hash <> d.reported_hash) is true
      or coalesce(d.reported_config_id <> d.confirmed_config_id and exists (
        select from configurations r
        join configurations c on c.organization_id = r.organization_id
        cross join json_each(r.content) as reported
        join json_each(c.content) as confirmed on confirmed.key = reported.key
        where r.organization_id = d.organization_id and r.id = d.reported_config_id and c.id = d.confirmed_config_id
          and comparable_setting(reported.value::jsonb) <> comparable_setting(confirmed.value::jsonb)
      ), false));
  end $$`;

const SYNC_STATUS = `
  create or replace function device_sync_status(d record) returns text language plpgsql stable as $$
  begin
    return case
      when d.reported_config_id is null then 'no_device_report'
      when d.pending_config_id is null then case when d.has_drifted then 'drifted' else 'applied' end
      when d.failure_reason is not null and (d.refused_keys is null or not exists (
        select from configurations p cross join json_object_keys(p.content) as key
        where p.organization_id = d.organization_id and p.id = d.pending_config_id and key <> all (d.refused_keys)
      )) then 'failed'
      when d.fetched_at is null then 'pending' else 'sent' end;
  end $$`;

const TRIGGER = `
  create or replace function write_sync_status() returns trigger language plpgsql as $$
  begin
    new.has_drifted := device_has_drifted(new);
    new.sync_status := device_sync_status(new);
    return new;
  end $$;
  create or replace trigger device_configs_sync_status before update on device_configs for each row
    when (old.sync_status = new.sync_status and old.has_drifted = new.has_drifted and (
      old.reported_config_id is distinct from new.reported_config_id
      or old.confirmed_config_id is distinct from new.confirmed_config_id
      or old.pending_config_id is distinct from new.pending_config_id
      or old.fetched_at is distinct from new.fetched_at
      or old.failure_reason is distinct from new.failure_reason
      or old.refused_keys is distinct from new.refused_keys
      or old.reported_hash is distinct from new.reported_hash
      or old.observed_hash is distinct from new.observed_hash))
    execute function write_sync_status()`;

/** Before the key of any device. */
const FIRST = '(00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000000)';

/** What was written before the trigger was there. Answers with the key to go on after; null when there is no more. */
async function repairBatch(sql: Knex, after: string): Promise<string | null> {
  const { rows } = await sql.raw(REPAIR, after.slice(1, -1).split(','));
  return rows[0]?.last ?? null;
}

const REPAIR = `
  with batch as materialized (
    select organization_id, asset_id from device_configs
    where (organization_id, asset_id) > (?::uuid, ?::uuid) order by organization_id, asset_id limit 5000
  ), locked as materialized (
    select d as device from device_configs d join batch using (organization_id, asset_id)
    order by d.organization_id, d.asset_id for no key update of d
  ), evaluated as materialized (
    select device, device_has_drifted(device) as has_drifted from locked
  ), repaired as (
    update device_configs d set has_drifted = evaluated.has_drifted, sync_status = device_sync_status(
      json_populate_record(evaluated.device, json_build_object('has_drifted', evaluated.has_drifted)))
    from evaluated
    where d.organization_id = (evaluated.device).organization_id and d.asset_id = (evaluated.device).asset_id
  )
  select row(organization_id, asset_id)::text as last from batch order by organization_id desc, asset_id desc limit 1`;
