/** Text: sets of devices, most of them in batches of reports and frames, which run no other kind. */
import { OPEN, startOf, startsBefore } from './config-targets.statements.ts';

const BEGUN = `state in ('waiting', 'sent')`;
const OFFERED = `state in ('waiting', 'sent', 'timed_out', 'superseded')`;
const SETTLED = `t.organization_id as "organizationId", t.job_id as "jobId", t.asset_id as "assetId", (
    select profile_slug from config_jobs where organization_id = t.organization_id and id = t.job_id
  ) as "profileSlug"`;
/** The active targets of given devices, joined so that the planner has the whole key of each. */
const OF_DEVICES = `from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active`;

/**
 * The rules of a device come from the last profiles with rules: this many are compared with the running
 * rules.
 */
const ALERTS_COMPARED_MAX = 10;

/** Other changes may have brought parts of a change that the device refused; these are confirmed with them. */
export const CONFIRM_PARTS = `
  update config_targets t set lost_keys = nullif(array(
    select k.key from configurations c cross join lateral json_object_keys(c.content) as k (key)
    where c.organization_id = t.organization_id and c.id = t.change_config_id
      and (k.key <> all(n.pending_keys::text[]) or k.key = any(t.lost_keys))
    order by k.key
  ), '{}')
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :pendingKeys::text[])
    as n (organization_id, asset_id, pending_keys)
  where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active and t.state <> 'queued'`;

export const LIST_MEETING = `
  select distinct t.change_config_id as existing, n.change_id as incoming
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :changeIds::uuid[]) as n (organization_id, asset_id, change_id)
  join config_targets t on t.organization_id = n.organization_id and t.asset_id = n.asset_id
  where t.is_active and t.job_id <> :jobId::uuid`;

export const LIST_ACTIVE_SNAPSHOTS = `
  select t.organization_id as "organizationId", t.job_id as "jobId", t.asset_id as "assetId",
    j.profile_snapshot as "profileSnapshot", t.${OFFERED} as "isOffered", t.lost_keys as "lostKeys"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  join config_targets t on t.organization_id = n.organization_id and t.asset_id = n.asset_id
  join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
  where t.is_active and t.state in ('queued', 'waiting', 'sent', 'timed_out', 'superseded', 'failed')
  order by ${startOf('j')}, t.job_id`;

/** A change that lost its rules to another interval counts, too: that one took them over with other samples. */
export const LIST_ALERTS = `
  select n.asset_id as "assetId", brought.alerts, brought.is_active as "isPending"
  from unnest(:organizationIds::uuid[], :assetIds::uuid[]) as n (organization_id, asset_id)
  cross join lateral (
    select t.job_id, t.is_active, ${startOf('j')} as starts_at, j.profile_snapshot -> 'alerts' as alerts
    from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
    where t.organization_id = n.organization_id and t.asset_id = n.asset_id
      and t.state <> 'queued' and (t.is_active or t.confirmed_at is not null or 'alarmRules' = any(t.lost_keys))
      and j.profile_snapshot -> 'alerts' <> 'null'
    order by starts_at desc, t.job_id desc limit ${ALERTS_COMPARED_MAX}
  ) as brought
  order by brought.starts_at desc, brought.job_id desc`;

export const REPLACE_CHANGES = `
  update config_targets t set change_config_id = n.change_id
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :jobIds::uuid[], :changeIds::uuid[])
    as n (organization_id, asset_id, job_id, change_id)
  where t.organization_id = n.organization_id and t.job_id = n.job_id and t.asset_id = n.asset_id`;

/**
 * Settled targets keep the time at which they settled. Arrays are read from text in a CTE, as is the time, because Citus
 * refuses an update with a STABLE function of columns, or with `now()` in a condition.
 */
export const SUPERSEDE = `
  with c as materialized (
    select organization_id, existing, incoming, overwritten::text[] as overwritten, existing_keys::text[] as existing_keys,
      now() as at
    from unnest(:organizationIds::uuid[], :existing::uuid[], :incoming::uuid[], :overwritten::text[], :existingKeys::text[])
      as c (organization_id, existing, incoming, overwritten, existing_keys)
  )
  update config_targets t set
    state = case when t.${OPEN} then 'superseded' else t.state end,
    reason = case when t.${OPEN} then :reason else t.reason end,
    lost_keys = array(
      select distinct lost.key from unnest(t.lost_keys || c.overwritten) as lost (key) order by lost.key
    ),
    is_active = t.state <> 'queued' and not c.existing_keys <@ (t.lost_keys || c.overwritten),
    updated_at = case when t.${OPEN} then c.at else t.updated_at end
  from unnest(:assetIds::uuid[], :changeIds::uuid[]) as n (asset_id, change_id)
  join c on c.incoming = n.change_id
  where t.organization_id = c.organization_id and t.asset_id = n.asset_id and t.is_active and t.job_id <> :jobId
    and t.change_config_id = c.existing and (t.state <> 'queued' or (
      select ${startsBefore('j', 'own')} from config_jobs j
      join config_jobs own on own.organization_id = j.organization_id and own.id = :jobId
      where j.organization_id = t.organization_id and j.id = t.job_id
    ))
    and not c.overwritten <@ coalesce(t.lost_keys, '{}')
  returning t.job_id as "jobId"`;

const moving = (from: string, to: string) => `
  update config_targets t set state = '${to}', updated_at = now() ${OF_DEVICES} and t.state = '${from}'`;

export const REOFFER = moving('sent', 'waiting');
export const MARK_SENT = moving('waiting', 'sent');

export const CONFIRM = `
  update config_targets t set
    state = case when t.${BEGUN} then 'applied' else t.state end,
    is_active = false, confirmed_at = now(), updated_at = now()
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :pendingKeys::text[])
    as n (organization_id, asset_id, pending_keys)
  where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active
    and t.state <> 'queued'
    and (n.pending_keys = '{}' or not exists (
      select from configurations c cross join lateral json_object_keys(c.content) as k (key)
      where c.organization_id = t.organization_id and c.id = t.change_config_id
        and k.key = any(n.pending_keys::text[]) and k.key <> all(coalesce(t.lost_keys, '{}'))
    ))
  returning ${SETTLED}, t.state, t.state = 'applied' as "isNew"`;

export const FAIL = `
  update config_targets t set state = 'failed', reason = n.reason, updated_at = now()
  from unnest(:organizationIds::uuid[], :assetIds::uuid[], :reasons::text[]) as n (organization_id, asset_id, reason)
  where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active and t.${BEGUN}
  returning ${SETTLED}, true as "isNew"`;
