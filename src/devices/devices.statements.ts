/** As text, because batches of messages run them for many devices at once. */
import type { Locking } from '../db/locking-commit.ts';
import {
  ACTIVE_BY_SERIAL,
  DEVICE_COLUMNS,
  LOCKED_IN_ORDER,
  REPLACE_SETTINGS,
  RUNNING_COLUMNS,
  SETTINGS_ARRAYS,
  SETTINGS_COLUMNS,
  WITH_ASSET,
  WITH_RUNNING,
  WRITTEN_ARRAYS,
  WRITTEN_COLUMNS,
} from './device-row.ts';

export const FIND_BY_SERIAL = `
  select ${DEVICE_COLUMNS}, ${RUNNING_COLUMNS}
  from ${ACTIVE_BY_SERIAL} as a
  cross join lateral (
    select * from device_configs where organization_id = a.organization_id and asset_id = a.id and is_active limit 1
  ) as d
  ${WITH_RUNNING}`;

export const lockBySerial = (locking: Locking) => `
  select a.organization_id as "organizationId", a.serial_number as "serialNumber", d.asset_id is null as "isLocked"
  from (select * from ${ACTIVE_BY_SERIAL} as found order by organization_id, id) as a
  ${locking === 'skip' ? 'left' : 'inner'} join lateral (
    select asset_id from device_configs
    where organization_id = a.organization_id and asset_id = a.id and is_active
    for no key update ${locking === 'skip' ? 'skip locked' : ''}
  ) as d on true`;

export const LOCK_BY_ASSET = `
  select ${DEVICE_COLUMNS}, ${RUNNING_COLUMNS}
  from device_configs d ${WITH_ASSET} ${WITH_RUNNING}
  where d.organization_id = :organizationId and d.asset_id = any(:assetIds::uuid[]) and d.is_active
  ${LOCKED_IN_ORDER}`;

export const INSERT = `
  with d as materialized (
    select :organizationId::uuid as organization_id, unnest(:assetIds::uuid[]) as asset_id
  ), states as (
    insert into device_states (organization_id, asset_id) select organization_id, asset_id from d
  )
  insert into device_configs (organization_id, asset_id) select organization_id, asset_id from d`;

export const UPDATE = `
  with written as (
    update device_configs d set
      reported_config_id = n.reported_config_id, reported_at = n.reported_at,
      reported_hash = n.reported_hash, confirmed_config_id = n.confirmed_config_id,
      pending_config_id = n.pending_config_id, revision = n.revision, fetched_at = n.fetched_at,
      contradiction_count = n.contradiction_count, failure_reason = n.failure_reason,
      refused_keys = string_to_array(btrim(n.refused_keys, '{}'), ','), observed_hash = n.observed_hash,
      is_inheriting = n.is_inheriting, known_errors = n.known_errors::jsonb, channels_reported = n.channels_reported,
      reported_channel_types = string_to_array(btrim(n.reported_channel_types, '{}'), ',')::smallint[],
      rule_slots = n.rule_slots, sync_status = n.sync_status, has_drifted = n.has_drifted,
      utc_offset_check_at = case
        when (d.pending_config_id, d.confirmed_config_id, d.failure_reason, d.refused_keys)
          is not distinct from
          (n.pending_config_id, n.confirmed_config_id, n.failure_reason, string_to_array(btrim(n.refused_keys, '{}'), ','))
          then d.utc_offset_check_at
        when n.follows_time_zone or d.utc_offset_check_at is not null then '-infinity' end
    from unnest(${WRITTEN_ARRAYS}) as n (${WRITTEN_COLUMNS})
    where d.organization_id = n.organization_id and d.asset_id = n.asset_id
    returning d.organization_id, d.asset_id, d.pending_config_id is null as is_whole
  )
  insert into device_settings (${SETTINGS_COLUMNS})
  select n.organization_id, n.asset_id, n.from_at, n.config_id, n.measurement_period_seconds,
    n.transmission_interval_seconds, coalesce(brought.profile_slug, n.profile_slug, known.profile_slug), n.source
  from unnest(${SETTINGS_ARRAYS}) as n (${SETTINGS_COLUMNS}, is_confirmation, is_as_confirmed)
  join written on written.organization_id = n.organization_id and written.asset_id = n.asset_id
  left join lateral (
    select j.profile_slug from config_targets t
    join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
    where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active
      and (t.state in ('waiting', 'sent', 'timed_out', 'superseded') or t.state = 'failed' and written.is_whole)
      and n.source = 'confirmed'
    order by coalesce(j.start_at, uuid_extract_timestamp(j.id)) desc, j.id desc limit 1
  ) as brought on true
  left join lateral (
    select profile_slug from device_settings s
    where s.organization_id = n.organization_id and s.asset_id = n.asset_id and n.is_as_confirmed
      and s.source = 'confirmed' and s.profile_slug is not null
    order by s.from_at desc limit 1
  ) as known on true
  where not n.is_confirmation or brought.profile_slug is distinct from n.profile_slug
  ${REPLACE_SETTINGS}`;

export const STORE_INFOS = `
  insert into device_infos (organization_id, asset_id, info)
  select n.* from unnest(:organizationIds::uuid[], :assetIds::uuid[], :infos::jsonb[]) as n (organization_id, asset_id, info)
  on conflict (organization_id, asset_id) do update set info = excluded.info`;
