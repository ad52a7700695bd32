/** Targets of devices, across jobs. Writers have locked the rows of the devices, so states never race. */
import { oneOf } from '../db/builder.ts';
import type { Database, Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import { type AssetRef, assetKeys } from '../devices/asset-ref.ts';
import type { ConfigurationKey } from '../devices/configuration.ts';
import type { SettledTarget } from '../devices/device-exchange.ts';
import { toKeysText } from '../devices/device-row.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { TemperatureAlert } from '../profiles/profile.ts';
import type { ChangesOwner, JobRef, TargetState } from './config-job.ts';
import { ACTIVE_CHANGE, type ActiveChange, cancelFailed, cancelOpen } from './config-targets.repository.ts';
import { OPEN } from './config-targets.statements.ts';
import {
  CONFIRM,
  CONFIRM_PARTS,
  FAIL,
  LIST_ACTIVE_SNAPSHOTS,
  LIST_ALERTS,
  LIST_MEETING,
  MARK_SENT,
  REOFFER,
  REPLACE_CHANGES,
  SUPERSEDE,
} from './device-targets.statements.ts';

export interface OtherChange extends ActiveChange {
  /** Why the device refused the change; null: not refused. */
  refusalReason: string | null;
}

interface Incoming {
  assetIds: string[];
  /** The incoming change of each asset, in the order of `assetIds`. */
  changeIds: string[];
}

interface Supersession extends Incoming {
  conflicts: Conflict[];
}

interface ActiveSnapshot extends AssetRef {
  jobId: string;
  profileSnapshot: ProfileSnapshot;
  isOffered: boolean;
  lostKeys: ConfigurationKey[] | null;
}

export interface BroughtAlerts {
  assetId: string;
  alerts: TemperatureAlert[];
  /** The device may still come to run them. */
  isPending: boolean;
}

/** Two changes on one device, by their configuration ids. */
export interface Meeting {
  existing: string;
  incoming: string;
}

/** An incoming change that sets keys of an existing one to other values, and so takes them over. */
export interface Conflict extends Meeting {
  overwritten: ConfigurationKey[];
  /** All keys that the existing change sets. */
  existingKeys: ConfigurationKey[];
}

export type DeviceTargetsRepository = ReturnType<typeof createDeviceTargetsRepository>;

/** In batches of messages, too. */
export function createMessageTargetsRepository(sql: Sql) {
  /**
   * Other changes may have brought keys of a refused change; these keys are confirmed with the other changes.
   */
  async function confirmParts(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<void> {
    if (devices.length === 0) return;
    await query(sql, CONFIRM_PARTS, {
      ...assetKeys(devices),
      pendingKeys: devices.map(({ pendingKeys }) => toKeysText(pendingKeys)),
    });
  }

  return {
    /** The profiles whose changes are active on these devices, the earliest job first. */
    listActiveSnapshots(devices: AssetRef[]): Promise<ActiveSnapshot[]> {
      return query(sql, LIST_ACTIVE_SNAPSHOTS, assetKeys(devices));
    },

    /**
     * The alerts that jobs brought to each device, the last job first, as far back as its rules may come
     * from.
     */
    listAlerts(devices: AssetRef[]): Promise<BroughtAlerts[]> {
      return query(sql, LIST_ALERTS, assetKeys(devices));
    },

    async replaceChanges(changes: Array<AssetRef & { jobId: string; changeId: string }>): Promise<void> {
      if (changes.length === 0) return;
      await query(sql, REPLACE_CHANGES, {
        ...assetKeys(changes),
        jobIds: changes.map(({ jobId }) => jobId),
        changeIds: changes.map(({ changeId }) => changeId),
      });
    },

    /** Sets sent targets back to waiting, because devices have to fetch the new revision. */
    async reoffer(devices: AssetRef[]): Promise<void> {
      if (devices.length === 0) return;
      await queryPrepared(sql, 'targets_reoffer', REOFFER, assetKeys(devices));
    },

    async markSent(devices: AssetRef[]): Promise<void> {
      if (devices.length === 0) return;
      await queryPrepared(sql, 'targets_mark_sent', MARK_SENT, assetKeys(devices));
    },

    /**
     * Settles targets whose keys the devices run now, that is, keys that are no longer pending: open ones are
     * applied; failed, timed out and superseded ones get the time of the confirmation. Returns them without
     * the superseded ones, whose jobs asked for something else.
     */
    async confirm(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<SettledTarget[]> {
      if (devices.length === 0) return [];
      const settled = await queryPrepared<SettledTarget & { state: TargetState }>(
        sql,
        'targets_confirm',
        CONFIRM,
        { ...assetKeys(devices), pendingKeys: devices.map(({ pendingKeys }) => toKeysText(pendingKeys)) },
      );
      await confirmParts(devices.filter(({ pendingKeys }) => pendingKeys.length > 0));
      return settled.filter(({ state }) => state !== 'superseded');
    },

    async fail(failures: Array<AssetRef & { reason: string }>): Promise<SettledTarget[]> {
      if (failures.length === 0) return [];
      return queryPrepared(sql, 'targets_fail', FAIL, {
        ...assetKeys(failures),
        reasons: failures.map(({ reason }) => reason),
      });
    },
  };
}

export function createDeviceTargetsRepository(sql: Database) {
  const active = (organizationId: string, assetIds: string[]) =>
    sql('config_targets')
      .where({ organization_id: organizationId, is_active: true })
      .where(oneOf('asset_id', assetIds));
  /** A queued target was offered to no device yet. */
  const notQueued = (organizationId: string, assetIds: string[]) =>
    active(organizationId, assetIds).where('state', '<>', 'queued');

  return {
    ...createMessageTargetsRepository(sql),

    /** The distinct pairs of an incoming change and an active one of another job on the same device. */
    listMeeting({ organizationId, jobId }: JobRef, { assetIds, changeIds }: Incoming): Promise<Meeting[]> {
      const organizationIds = assetIds.map(() => organizationId);
      return query(sql, LIST_MEETING, { organizationIds, assetIds, changeIds, jobId });
    },

    /** The chain of retried jobs: the job that this one retries, the job that one retries, and so on. */
    async listRetriedJobs(owner: ChangesOwner): Promise<string[]> {
      if (!('jobId' in owner)) return [];
      const jobs = () => sql({ j: 'config_jobs' }).where({ 'j.organization_id': owner.organizationId });
      const first = jobs().where({ 'j.id': owner.jobId }).select('j.retry_of_job_id');
      const next = jobs().join('retried', 'retried.id', 'j.id').select('j.retry_of_job_id');
      return sql
        .withRecursive('retried', ['id'], first.union(next))
        .from('retried')
        .whereNotNull('id')
        .pluck('id');
    },

    /** Pending changes of the retried jobs on these devices. */
    async listRetriedChanges(
      organizationId: string,
      retriedJobs: string[],
      assetIds: string[],
    ): Promise<ActiveChange[]> {
      if (retriedJobs.length === 0) return [];
      return notQueued(organizationId, assetIds).whereIn('job_id', retriedJobs).select(ACTIVE_CHANGE);
    },

    /** Pending changes of others, except changes of jobs that the owner retries, which end with its own. */
    async listOthers(owner: ChangesOwner, retriedJobs: string[], assetIds: string[]): Promise<OtherChange[]> {
      const others = notQueued(owner.organizationId, assetIds).whereNotIn('job_id', retriedJobs);
      if ('jobId' in owner) others.whereNot({ job_id: owner.jobId });
      else others.whereRaw('group_id is distinct from ?::uuid', [owner.groupId]);
      return others
        .orderBy(['asset_id', 'job_id'])
        .select(ACTIVE_CHANGE)
        .select(sql.raw(`case when state = 'failed' then reason end as "refusalReason"`));
    },

    /** Ends the pending changes of these jobs; a later confirmation does not count for them. */
    async release(organizationId: string, jobIds: string[], assetIds: string[]): Promise<void> {
      if (jobIds.length === 0) return;
      await notQueued(organizationId, assetIds).whereIn('job_id', jobIds).update({ is_active: false });
    },

    /**
     * Takes the keys that incoming changes overwrite from the changes of other jobs. Open targets end as
     * superseded; a change stays active while it owns any key. Queued targets of a job that started later stay: they
     * are newer than a stage of an earlier job that begins only now. Returns the ids of the jobs.
     */
    async supersede(
      { organizationId, jobId }: JobRef,
      { assetIds, changeIds, conflicts }: Supersession,
    ): Promise<string[]> {
      if (conflicts.length === 0) return [];
      const rows = await query<{ jobId: string }>(sql, SUPERSEDE, {
        jobId,
        reason: `job ${jobId} replaced the same settings`,
        assetIds,
        changeIds,
        organizationIds: conflicts.map(() => organizationId),
        existing: conflicts.map(({ existing }) => existing),
        incoming: conflicts.map(({ incoming }) => incoming),
        overwritten: conflicts.map(({ overwritten }) => toKeysText(overwritten)),
        existingKeys: conflicts.map(({ existingKeys }) => toKeysText(existingKeys)),
      });
      return [...new Set(rows.map(({ jobId }) => jobId))];
    },

    /** Running jobs with the open target of this device as their only target. */
    listOnlyTargetJobs: (organizationId: string, assetId: string): Promise<string[]> =>
      sql({ t: 'config_targets' })
        .join({ j: 'config_jobs' }, { 'j.organization_id': 't.organization_id', 'j.id': 't.job_id' })
        .where({ 't.organization_id': organizationId, 't.asset_id': assetId, 't.is_active': true })
        .where({ 'j.target_count': 1, 'j.status': 'running' })
        .whereRaw(`t.${OPEN}`)
        .orderBy('t.job_id')
        .pluck('t.job_id'),

    /** As `cancelOpen`. */
    cancelByAsset: (organizationId: string, assetId: string, reason: string): Promise<string[]> =>
      cancelOpen(sql, () => active(organizationId, [assetId]), reason),

    /** As `cancelFailed`. */
    cancelFailedByAsset: (organizationId: string, assetId: string, reason: string): Promise<string[]> =>
      cancelFailed(
        sql,
        () => sql('config_targets').where({ organization_id: organizationId, asset_id: assetId }),
        reason,
      ),
  };
}
