/** The targets of devices, of whatever jobs. Writers have locked the rows of the devices, so states never race. */
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
import {
  CANCEL_BY_ASSET,
  CONFIRM,
  CONFIRM_PARTS,
  FAIL,
  LIST_ACTIVE_CHANGE_IDS,
  LIST_ACTIVE_SNAPSHOTS,
  LIST_ALERTS,
  LIST_ONLY_TARGET_JOBS,
  LIST_OTHERS_THAN_GROUP,
  LIST_OTHERS_THAN_JOB,
  LIST_RETRIED_JOBS,
  MARK_SENT,
  RELEASE,
  REOFFER,
  REPLACE_CHANGES,
  SUPERSEDE,
} from './device-targets.statements.ts';

/** A change that the device may still come to run, all of it or what other changes have left of it. */
export interface ActiveChange extends TargetChange {
  /** Settings of it that are not pending on its account any more; null: none. */
  lostKeys: ConfigurationKey[] | null;
}

export interface OtherChange extends ActiveChange {
  /** Why the device refused it; null: it did not. */
  refusalReason: string | null;
}

export interface Supersession {
  assetIds: string[];
  /** Per asset: the incoming change. */
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

const keysOf = (devices: AssetRef[]) => ({
  organizationIds: devices.map(({ organizationId }) => organizationId),
  assetIds: devices.map(({ assetId }) => assetId),
});
const jobIdsOf = (rows: Array<{ jobId: string }>) => [...new Set(rows.map(({ jobId }) => jobId))];

export type DeviceTargetsRepository = ReturnType<typeof createDeviceTargetsRepository>;

export function createDeviceTargetsRepository(sql: Sql) {
  async function confirmParts(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<void> {
    if (devices.length === 0) return;
    await query(sql, CONFIRM_PARTS, {
      ...keysOf(devices),
      pendingKeys: devices.map(({ pendingKeys }) => toKeysText(pendingKeys)),
    });
  }

  return {
    /** The distinct active changes of other jobs. */
    async listActiveChangeIds({ organizationId, jobId }: JobRef, assetIds: string[]): Promise<string[]> {
      const rows = await query<{ changeId: string }>(sql, LIST_ACTIVE_CHANGE_IDS, {
        organizationId,
        jobId,
        assetIds,
      });
      return rows.map(({ changeId }) => changeId);
    },

    /** The job that this one retries, the one which that retries, and so on. */
    async listRetriedJobs(owner: ChangesOwner): Promise<string[]> {
      if (!('jobId' in owner)) return [];
      const rows = await query<{ jobId: string }>(sql, LIST_RETRIED_JOBS, { ...owner });
      return jobIdsOf(rows);
    },

    /** All changes of others that are pending, but for those that the owner retries: these end with its own. */
    listOthers(owner: ChangesOwner, retriedJobs: string[], assetIds: string[]): Promise<OtherChange[]> {
      const { organizationId } = owner;
      return 'jobId' in owner
        ? query(sql, LIST_OTHERS_THAN_JOB, { organizationId, ownerId: owner.jobId, assetIds, retriedJobs })
        : query(sql, LIST_OTHERS_THAN_GROUP, {
            organizationId,
            ownerId: owner.groupId,
            assetIds,
            retriedJobs,
          });
    },

    /** The profiles whose changes are active on these devices, the earliest job first. */
    listActiveSnapshots(devices: AssetRef[]): Promise<ActiveSnapshot[]> {
      return query(sql, LIST_ACTIVE_SNAPSHOTS, keysOf(devices));
    },

    /** The alerts that jobs brought to each device, the last job first, as far back as its rules may come from. */
    listAlerts(devices: AssetRef[]): Promise<Array<{ assetId: string; alerts: TemperatureAlert[] }>> {
      return query(sql, LIST_ALERTS, keysOf(devices));
    },

    async replaceChanges(changes: Array<AssetRef & { jobId: string; changeId: string }>): Promise<void> {
      if (changes.length === 0) return;
      await query(sql, REPLACE_CHANGES, {
        ...keysOf(changes),
        jobIds: changes.map(({ jobId }) => jobId),
        changeIds: changes.map(({ changeId }) => changeId),
      });
    },

    /** What is pending for these jobs ends, whoever confirms it later. */
    async release(organizationId: string, jobIds: string[], assetIds: string[]): Promise<void> {
      if (jobIds.length === 0) return;
      await query(sql, RELEASE, { organizationId, jobIds, assetIds });
    },

    /**
     * The changes of other jobs lose what the incoming ones overwrite, and stay active while anything is left of them;
     * targets that are open end. Answers with the ids of the jobs. Queued targets of a later job stay: they are newer than
     * a stage of an earlier job that begins only now.
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
      return jobIdsOf(rows);
    },

    /** A new revision has to be fetched again: targets that were sent wait for it. */
    async reoffer(devices: AssetRef[]): Promise<void> {
      if (devices.length === 0) return;
      await queryPrepared(sql, 'targets_reoffer', REOFFER, keysOf(devices));
    },

    async markSent(devices: AssetRef[]): Promise<void> {
      if (devices.length === 0) return;
      await queryPrepared(sql, 'targets_mark_sent', MARK_SENT, keysOf(devices));
    },

    /**
     * The devices run what was pending, but for the keys that still are: applies what waited for it, and marks what had
     * failed or timed out before, or what is left of what was superseded. Answers without the latter: the device does not
     * run what those jobs asked for.
     */
    async confirm(devices: Array<AssetRef & { pendingKeys: ConfigurationKey[] }>): Promise<SettledRow[]> {
      if (devices.length === 0) return [];
      const settled = await queryPrepared<SettledRow & { state: TargetState }>(
        sql,
        'targets_confirm',
        CONFIRM,
        { ...keysOf(devices), pendingKeys: devices.map(({ pendingKeys }) => `{${pendingKeys.join()}}`) },
      );
      await confirmParts(devices.filter(({ pendingKeys }) => pendingKeys.length > 0));
      return settled.filter(({ state }) => state !== 'superseded');
    },

    async fail(failures: Array<AssetRef & { reason: string }>): Promise<SettledRow[]> {
      if (failures.length === 0) return [];
      return queryPrepared(sql, 'targets_fail', FAIL, {
        ...keysOf(failures),
        reasons: failures.map(({ reason }) => reason),
      });
    },

    /** Running jobs whose only target is that of this device, and open. */
    async listOnlyTargetJobs(organizationId: string, assetId: string): Promise<string[]> {
      const rows = await query<{ jobId: string }>(sql, LIST_ONLY_TARGET_JOBS, { organizationId, assetId });
      return jobIdsOf(rows);
    },

    /** Answers with the ids of the jobs concerned. */
    async cancelByAsset(organizationId: string, assetId: string, reason: string): Promise<string[]> {
      const rows = await query<{ jobId: string }>(sql, CANCEL_BY_ASSET, { organizationId, assetId, reason });
      return jobIdsOf(rows);
    },
  };
}
