/** Targets that devices have for the profile of their group. Writers have locked the rows of the devices. */
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { GroupRef } from './config-job.ts';
import { ACTIVE_TARGET, type ActiveTarget, cancelFailed, cancelOpen } from './config-targets.repository.ts';

/** Targets that jobs have made for the profile of a group. */
export interface GroupTargetsRef extends GroupRef {
  /** Targets of later jobs are left out; null: none are. */
  lastJobId: string | null;
}

const HAS_SNAPSHOT = `exists (
    select from config_jobs j
    where j.organization_id = config_targets.organization_id and j.id = config_targets.job_id
      and j.profile_snapshot = ?::jsonb
  )`;

export type GroupTargetsRepository = ReturnType<typeof createGroupTargetsRepository>;

export function createGroupTargetsRepository(sql: Database) {
  const ofGroup = ({ organizationId, groupId, lastJobId }: GroupTargetsRef, assetIds: string[]) =>
    sql('config_targets')
      .where({ organization_id: organizationId, group_id: groupId })
      .where(oneOf('asset_id', assetIds))
      .where((target) => void (lastJobId !== null && target.where('job_id', '<=', lastJobId)));
  const active = (ref: GroupTargetsRef, assetIds: string[]) =>
    ofGroup(ref, assetIds).where({ is_active: true });

  return {
    /**
     * Targets whose change the device may still come to run, the earliest job first. `queuedFor`: only those that wait
     * for their stage of a job with this profile, whatever it will compile to by then.
     */
    async listActive(
      ref: GroupTargetsRef,
      assetIds: string[],
      queuedFor: ProfileSnapshot | null = null,
    ): Promise<ActiveTarget[]> {
      const targets = active(ref, assetIds).orderBy(['asset_id', 'job_id']);
      if (queuedFor) targets.where({ state: 'queued' }).whereRaw(HAS_SNAPSHOT, [JSON.stringify(queuedFor)]);
      return targets.select(ACTIVE_TARGET);
    },

    /** As `cancelOpen`. */
    end: (ref: GroupTargetsRef, assetIds: string[], reason: string): Promise<string[]> =>
      cancelOpen(sql, () => active(ref, assetIds), reason),

    /** As `cancelFailed`. */
    endFailed: (ref: GroupTargetsRef, assetIds: string[], reason: string): Promise<string[]> =>
      cancelFailed(sql, () => ofGroup(ref, assetIds), reason),
  };
}
