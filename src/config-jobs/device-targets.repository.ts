/** Targets of devices, across jobs. Writers have locked the rows of the devices, so states never race. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { AssetRef } from '../devices/asset-ref.ts';
import type { ConfigurationKey } from '../devices/configuration.ts';
import { toKeysText } from '../devices/device-row.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { TemperatureAlert } from '../profiles/profile.ts';
import type { Conflict } from './changes.ts';
import type { ChangesOwner, JobRef, TargetState } from './config-job.ts';
import type { TargetChange } from './config-targets.repository.ts';
import { OPEN } from './config-targets.statements.ts';

/**
 * A change that the device may still come to run, in whole or without the keys that other changes took over.
 */
export interface ActiveChange extends TargetChange {
  /** Settings of the change that it no longer owns; null: it owns all. */
  lostKeys: ConfigurationKey[] | null;
}

export interface OtherChange extends ActiveChange {
  /** Why the device refused the change; null: not refused. */
  refusalReason: string | null;
}

export interface Supersession {
  assetIds: string[];
  /** The incoming change of each asset, in the order of `assetIds`. */
  changeIds: string[];
  conflicts: Conflict[];
}

interface SettledRow extends AssetRef {
  jobId: string;
  profileSlug: string;
  isNew: boolean;
}

interface ActiveSnapshot extends AssetRef {
  jobId: string;
  profileSnapshot: ProfileSnapshot;
  isOffered: boolean;
  lostKeys: ConfigurationKey[] | null;
}

const SETTLED = `t.organization_id as "organizationId", t.job_id as "jobId", t.asset_id as "assetId", (
    select profile_slug from config_jobs where organization_id = t.organization_id and id = t.job_id
  ) as "profileSlug"`;
const BEGUN = `state in ('waiting', 'sent')`;
const OFFERED = `state in ('waiting', 'sent', 'timed_out', 'superseded')`;
const isOfOther = (owner: ChangesOwner) =>
  'jobId' in owner ? 'job_id <> ?' : 'group_id is distinct from ?::uuid';
const idOf = (owner: ChangesOwner) => ('jobId' in owner ? owner.jobId : owner.groupId);
/** The active targets of given devices, joined so that an index serves the whole key of each. */
const OF_DEVICES = `from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
  where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active`;

/**
 * The rules of a device come from one of the last profiles with alerts; this many are compared with its
 * rules.
 */
const ALERTS_COMPARED_MAX = 10;

const keysOf = (devices: AssetRef[]): [string[], string[]] => [
  devices.map(({ organizationId }) => organizationId),
  devices.map(({ assetId }) => assetId),
];
const jobIdsOf = (rows: Array<{ jobId: string }>) => [...new Set(rows.map(({ jobId }) => jobId))];

export type DeviceTargetsRepository = ReturnType<typeof createDeviceTargetsRepository>;

export function createDeviceTargetsRepository(sql: Sql) {
  /**
   * Other changes may have brought keys of a refused change; these keys are confirmed with the other changes.
   */
  async function confirmParts(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<void> {
    if (devices.length === 0) return;
    await query(
      sql,
      `update config_targets t set lost_keys = nullif(array(
         select k.key from configurations c cross join lateral json_object_keys(c.content) as k (key)
         where c.organization_id = t.organization_id and c.id = t.change_config_id
           and (k.key <> all(n.pending_keys::text[]) or k.key = any(t.lost_keys))
         order by k.key
       ), '{}')
       from unnest(?::uuid[], ?::uuid[], ?::text[]) as n (organization_id, asset_id, pending_keys)
       where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active and t.state <> 'queued'`,
      [...keysOf(devices), devices.map(({ pendingKeys }) => toKeysText(pendingKeys))],
    );
  }

  return {
    /** The distinct active changes of other jobs. */
    async listActiveChangeIds({ organizationId, jobId }: JobRef, assetIds: string[]): Promise<string[]> {
      const rows = await query<{ changeId: string }>(
        sql,
        `select distinct change_config_id as "changeId" from config_targets
         where organization_id = ? and asset_id = any(?::uuid[]) and is_active and job_id <> ?`,
        [organizationId, assetIds, jobId],
      );
      return rows.map(({ changeId }) => changeId);
    },

    /** The chain of retried jobs: the job that this one retries, the job that one retries, and so on. */
    async listRetriedJobs(owner: ChangesOwner): Promise<string[]> {
      if (!('jobId' in owner)) return [];
      const rows = await query<{ jobId: string }>(
        sql,
        `with recursive retried as (
           select retry_of_job_id as id from config_jobs where organization_id = ? and id = ?
           union
           select j.retry_of_job_id from retried join config_jobs j on j.organization_id = ? and j.id = retried.id
         )
         select id as "jobId" from retried where id is not null`,
        [owner.organizationId, owner.jobId, owner.organizationId],
      );
      return jobIdsOf(rows);
    },

    /** Pending changes of others, except changes of jobs that the owner retries, which end with its own. */
    listOthers(owner: ChangesOwner, retriedJobs: string[], assetIds: string[]): Promise<OtherChange[]> {
      return query(
        sql,
        `select asset_id as "assetId", change_config_id as "changeId", lost_keys as "lostKeys",
           case when state = 'failed' then reason end as "refusalReason"
         from config_targets
         where organization_id = ? and asset_id = any(?::uuid[]) and is_active and ${isOfOther(owner)}
           and state <> 'queued' and job_id <> all(?::uuid[])
         order by asset_id, job_id`,
        [owner.organizationId, assetIds, idOf(owner), retriedJobs],
      );
    },

    /** The profiles whose changes are active on these devices, the earliest job first. */
    listActiveSnapshots(devices: AssetRef[]): Promise<ActiveSnapshot[]> {
      return query(
        sql,
        `select t.organization_id as "organizationId", t.job_id as "jobId", t.asset_id as "assetId",
           j.profile_snapshot as "profileSnapshot", t.${OFFERED} as "isOffered", t.lost_keys as "lostKeys"
         from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
         join config_targets t on t.organization_id = n.organization_id and t.asset_id = n.asset_id
         join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
         where t.is_active and t.state in ('queued', 'waiting', 'sent', 'timed_out', 'superseded', 'failed')
         order by t.job_id`,
        keysOf(devices),
      );
    },

    /**
     * The alerts that jobs brought to each device, the last job first, as far back as its rules may come
     * from.
     */
    listAlerts(devices: AssetRef[]): Promise<Array<{ assetId: string; alerts: TemperatureAlert[] }>> {
      return query(
        sql,
        `select n.asset_id as "assetId", brought.alerts
         from unnest(?::uuid[], ?::uuid[]) as n (organization_id, asset_id)
         cross join lateral (
           select t.job_id, j.profile_snapshot -> 'alerts' as alerts
           from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
           where t.organization_id = n.organization_id and t.asset_id = n.asset_id
             and t.state <> 'queued' and j.profile_snapshot -> 'alerts' <> 'null'
           order by t.job_id desc limit ${ALERTS_COMPARED_MAX}
         ) as brought
         order by brought.job_id desc`,
        keysOf(devices),
      );
    },

    async replaceChanges(changes: Array<AssetRef & { jobId: string; changeId: string }>): Promise<void> {
      if (changes.length === 0) return;
      await query(
        sql,
        `update config_targets t set change_config_id = n.change_id
         from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[]) as n (organization_id, asset_id, job_id, change_id)
         where t.organization_id = n.organization_id and t.job_id = n.job_id and t.asset_id = n.asset_id`,
        [...keysOf(changes), changes.map(({ jobId }) => jobId), changes.map(({ changeId }) => changeId)],
      );
    },

    /** Ends the pending changes of these jobs; a later confirmation does not count for them. */
    async release(organizationId: string, jobIds: string[], assetIds: string[]): Promise<void> {
      if (jobIds.length === 0) return;
      await query(
        sql,
        `update config_targets set is_active = false
         where organization_id = ? and asset_id = any(?::uuid[]) and is_active and job_id = any(?::uuid[])
           and state <> 'queued'`,
        [organizationId, assetIds, jobIds],
      );
    },

    /**
     * Takes the keys that incoming changes overwrite from the changes of other jobs. Open targets end as
     * superseded; a change stays active while it owns any key. Queued targets of a later job stay: they are
     * newer than a stage of an earlier job that begins only now. Returns the ids of the jobs.
     */
    async supersede(
      { organizationId, jobId }: JobRef,
      { assetIds, changeIds, conflicts }: Supersession,
    ): Promise<string[]> {
      if (conflicts.length === 0) return [];
      const rows = await query<{ jobId: string }>(
        sql,
        `update config_targets t set
           state = case when t.${OPEN} then 'superseded' else t.state end,
           reason = case when t.${OPEN} then ? else t.reason end,
           lost_keys = array(
             select distinct lost.key from unnest(t.lost_keys || c.overwritten::text[]) as lost (key) order by lost.key
           ),
           is_active = t.state <> 'queued' and not c.existing_keys::text[] <@ (t.lost_keys || c.overwritten::text[]),
           updated_at = now()
         from unnest(?::uuid[], ?::uuid[]) as n (asset_id, change_id)
         join unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[], ?::text[])
             as c (organization_id, existing, incoming, overwritten, existing_keys)
           on c.incoming = n.change_id
         where t.organization_id = c.organization_id and t.asset_id = n.asset_id and t.is_active and t.job_id <> ?
           and t.change_config_id = c.existing and (t.state <> 'queued' or t.job_id < ?)
           and not c.overwritten::text[] <@ coalesce(t.lost_keys, '{}')
         returning t.job_id as "jobId"`,
        [
          `job ${jobId} replaced the same settings`,
          assetIds,
          changeIds,
          conflicts.map(() => organizationId),
          conflicts.map(({ existing }) => existing),
          conflicts.map(({ incoming }) => incoming),
          conflicts.map(({ overwritten }) => toKeysText(overwritten)),
          conflicts.map(({ existingKeys }) => toKeysText(existingKeys)),
          jobId,
          jobId,
        ],
      );
      return jobIdsOf(rows);
    },

    /** Sets sent targets back to waiting, because devices have to fetch the new revision. */
    async reoffer(devices: AssetRef[]): Promise<void> {
      if (devices.length === 0) return;
      await queryPrepared(
        sql,
        'targets_reoffer',
        `update config_targets t set state = 'waiting', updated_at = now() ${OF_DEVICES} and t.state = 'sent'`,
        keysOf(devices),
      );
    },

    async markSent(devices: AssetRef[]): Promise<void> {
      if (devices.length === 0) return;
      await queryPrepared(
        sql,
        'targets_mark_sent',
        `update config_targets t set state = 'sent', updated_at = now() ${OF_DEVICES} and t.state = 'waiting'`,
        keysOf(devices),
      );
    },

    /**
     * Settles targets whose keys the devices run now, that is, keys that are no longer pending: open ones are
     * applied; failed, timed out and superseded ones get the time of the confirmation. Returns them without
     * the superseded ones, whose jobs asked for something else.
     */
    async confirm(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<SettledRow[]> {
      if (devices.length === 0) return [];
      const settled = await queryPrepared<SettledRow & { state: TargetState }>(
        sql,
        'targets_confirm',
        `update config_targets t set
           state = case when t.${BEGUN} then 'applied' else t.state end,
           is_active = false, confirmed_at = now(), updated_at = now()
         from unnest(?::uuid[], ?::uuid[], ?::text[]) as n (organization_id, asset_id, pending_keys)
         where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active
           and t.state <> 'queued'
           and (n.pending_keys = '{}' or not exists (
             select from configurations c cross join lateral json_object_keys(c.content) as k (key)
             where c.organization_id = t.organization_id and c.id = t.change_config_id
               and k.key = any(n.pending_keys::text[]) and k.key <> all(coalesce(t.lost_keys, '{}'))
           ))
         returning ${SETTLED}, t.state, t.state = 'applied' as "isNew"`,
        [...keysOf(devices), devices.map(({ pendingKeys }) => `{${pendingKeys.join()}}`)],
      );
      await confirmParts(devices.filter(({ pendingKeys }) => pendingKeys.length > 0));
      return settled.filter(({ state }) => state !== 'superseded');
    },

    async fail(failures: Array<AssetRef & { reason: string }>): Promise<SettledRow[]> {
      if (failures.length === 0) return [];
      return queryPrepared(
        sql,
        'targets_fail',
        `update config_targets t set state = 'failed', reason = n.reason, updated_at = now()
         from unnest(?::uuid[], ?::uuid[], ?::text[]) as n (organization_id, asset_id, reason)
         where t.organization_id = n.organization_id and t.asset_id = n.asset_id and t.is_active and t.${BEGUN}
         returning ${SETTLED}, true as "isNew"`,
        [...keysOf(failures), failures.map(({ reason }) => reason)],
      );
    },

    /** Running jobs with the open target of this device as their only target. */
    async listOnlyTargetJobs(organizationId: string, assetId: string): Promise<string[]> {
      const rows = await query<{ jobId: string }>(
        sql,
        `select t.job_id as "jobId"
         from config_targets t join config_jobs j on j.organization_id = t.organization_id and j.id = t.job_id
         where t.organization_id = ? and t.asset_id = ? and t.is_active and t.${OPEN}
           and j.target_count = 1 and j.status = 'running'
         order by t.job_id`,
        [organizationId, assetId],
      );
      return jobIdsOf(rows);
    },

    /** Cancels the targets of an asset. Returns the ids of the jobs. */
    async cancelByAsset(organizationId: string, assetId: string, reason: string): Promise<string[]> {
      const rows = await query<{ jobId: string }>(
        sql,
        `update config_targets set
           state = case when ${OPEN} then 'cancelled' else state end,
           reason = case when ${OPEN} then ? else reason end,
           is_active = false, updated_at = now()
         where organization_id = ? and asset_id = ? and is_active returning job_id as "jobId"`,
        [reason, organizationId, assetId],
      );
      return jobIdsOf(rows);
    },
  };
}
