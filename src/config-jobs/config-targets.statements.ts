/** Text: the targets of a chunk of a job, from arrays; parts of other statements. */

export const OPEN = `state in ('queued', 'waiting', 'sent')`;

/** Condition over `config_targets`: the job has not ended. */
export const OF_RUNNING_JOB = `exists (
    select from config_jobs j
    where j.organization_id = config_targets.organization_id and j.id = config_targets.job_id
      and j.finished_at is null
  )`;

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
