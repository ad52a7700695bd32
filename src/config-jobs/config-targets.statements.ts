/** Text: the targets of a chunk of a job, from arrays, and a recursion over retries; parts of other statements. */

export const OPEN = `state in ('queued', 'waiting', 'sent')`;

/**
 * Start time of a job, by which jobs are ordered. The id of a job contains the time at which its devices were locked;
 * `created_at` is earlier, and may be in the other order where two jobs waited for each other.
 */
export const startOf = (job: string) => `coalesce(${job}.start_at, uuid_extract_timestamp(${job}.id))`;

/** Whether one job counts before the other, both by alias. */
export const startsBefore = (job: string, other: string) =>
  `(${startOf(job)}, ${job}.id) < (${startOf(other)}, ${other}.id)`;

/** Condition over `config_jobs j`: it sets the alert rules of its devices, or their calendars. */
export const SETS_ALERTS = `(j.profile_snapshot -> 'alerts' <> 'null' or j.profile_snapshot -> 'schedule' <> 'null')`;

/** A retry may bring another configuration, so its confirmation does not settle the target of the retried job. */
export const LIST_RETRYABLE = `
  with recursive retries as (
    select id from config_jobs where organization_id = :organizationId and retry_of_job_id = :jobId
    union
    select j.id from retries r
    join config_jobs j on j.organization_id = :organizationId and j.retry_of_job_id = r.id
  )
  select t.asset_id as "assetId", t.change_config_id as "changeId", t.group_id as "groupId"
  from config_targets t
  where t.organization_id = :organizationId and t.job_id = :jobId
    and t.state in ('failed', 'timed_out') and (t.confirmed_at is null or t.lost_keys is not null)
    and t.asset_id not in (
      select c.asset_id from retries r
      join config_targets c on c.organization_id = :organizationId and c.job_id = r.id
      where c.confirmed_at is not null and c.lost_keys is null
    )
    and (t.group_id is null or t.group_id = (
      select a.group_id from assets a
      join groups g on g.organization_id = a.organization_id and g.id = a.group_id and g.deleted_at is null
      where a.organization_id = t.organization_id and a.id = t.asset_id
    ))
  order by t.asset_id`;

export const INSERT = `
  insert into config_targets
    (organization_id, job_id, asset_id, stage, change_config_id, state, group_id, is_active)
  select :organizationId, :jobId, n.asset_id, n.stage, n.change_id, n.state, n.group_id, :isActive
  from unnest(:assetIds::uuid[], :changeIds::uuid[], :stages::smallint[], :states::text[], :groupIds::uuid[])
    as n (asset_id, change_id, stage, state, group_id)`;

/** A message of a device may read all of its active changes. */
const ACTIVE_PER_DEVICE_MAX = 100;

export const FAIL_CROWDED = `
  with crowded as materialized (
    select n.asset_id
    from unnest(:assetIds::uuid[]) as n (asset_id)
    cross join lateral (
      select t.job_id from config_targets t
      where t.organization_id = :organizationId and t.asset_id = n.asset_id and t.is_active
      offset ${ACTIVE_PER_DEVICE_MAX} limit 1
    ) as more
  )
  update config_targets t set
    state = 'failed', is_active = false, updated_at = now(),
    reason = '${ACTIVE_PER_DEVICE_MAX} changes wait for the device already: withdraw them, and retry the job'
  from crowded
  where t.organization_id = :organizationId and t.job_id = :jobId and t.asset_id = crowded.asset_id
    and t.is_active and t.${OPEN}
  returning t.asset_id as "assetId"`;
