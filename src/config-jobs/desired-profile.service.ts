/**
 * Brings the profile of a group to its members: members that do not run it get a job, and members that leave
 * the group lose the pending part of it (group-changes.service.ts). Whether a member runs the profile is read
 * from the configuration of its device, so the only thing stored is the group of each target. The caller has
 * locked the group (see the table groups).
 */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import { configurationId, type DeviceConfiguration } from '../devices/configuration.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { ApplyPlanner } from './apply-planner.service.ts';
import type { BeginJob } from './begin-job.service.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import type { CompiledDevice, Preview } from './compile-devices.ts';
import type { GroupRef, JobScope, Rollout } from './config-job.ts';
import type { GroupChanges } from './group-changes.service.ts';
import type { GroupTargetsRepository } from './group-targets.repository.ts';

interface DesiredProfileDeps {
  pendingIn(sql: Database): Pick<PendingChangesRepository, 'listPages'>;
  groupTargetsIn(sql: Database): Pick<GroupTargetsRepository, 'listActive'>;
  planner: ApplyPlanner;
  beginJob: BeginJob;
  changes: Pick<ChangesService, 'planWithdrawal'>;
  groupChanges: Pick<GroupChanges, 'lockAssets'>;
  /** Number of devices that are read or locked at a time. */
  chunkSize: number;
}

/** The profile of a group, with the settings of the job that applies it. */
interface DesiredProfile extends GroupRef {
  profileSlug: string;
  rollout: Rollout | null;
  deadlineMinutes: number;
}

type ScopedProfile = DesiredProfile & Pick<JobScope, 'scope'>;

export type DesiredProfiles = ReturnType<typeof createDesiredProfiles>;

export function createDesiredProfiles(deps: DesiredProfileDeps) {
  const { pendingIn, groupTargetsIn, planner, chunkSize } = deps;

  /**
   * Compiles for members, except those that run the profile, are offered it, have refused it or wait for
   * their stage. After a change of the group's profile (`isOther`), members that still have a change of the earlier one are
   * always included: what they will run is known only after its withdrawal.
   */
  async function compileLacking(
    sql: Database,
    group: GroupRef,
    snapshot: ProfileSnapshot,
    devices: ChangingDevice[],
    { isOther = false } = {},
  ): Promise<CompiledDevice[]> {
    const { organizationId } = group;
    const compiled = await planner.compile(sql, organizationId, snapshot, devices);
    const lacking = await planner.listLacking(sql, organizationId, snapshot, compiled);
    const assetIds = devices.map(({ assetId }) => assetId);
    const ref = { ...group, lastJobId: null };
    const targets = await groupTargetsIn(sql).listActive(ref, assetIds, isOther ? null : snapshot);
    const hasTarget = new Set(targets.map(({ assetId }) => assetId));
    return compiled.filter((each) => (hasTarget.has(each.device.assetId) ? isOther : lacking.has(each)));
  }

  async function storeChanges(
    sql: Database,
    { organizationId, groupId }: GroupRef,
    compiled: CompiledDevice[],
  ): Promise<DeviceChange[]> {
    const changes = await planner.storeChanges(sql, organizationId, compiled);
    return changes.map((change) => ({ ...change, groupId }));
  }

  /**
   * As `compileLacking` will find the members, once the changes of the earlier profile are withdrawn. `others` are those
   * that a large job includes because of such changes.
   */
  async function previewLacking(
    sql: Database,
    group: GroupRef,
    snapshot: ProfileSnapshot,
    { members, unstored }: { members: ChangingDevice[]; unstored: Map<string, DeviceConfiguration> },
  ): Promise<Record<'lacking' | 'others', CompiledDevice[]>> {
    const { organizationId } = group;
    const assetIds = members.map(({ assetId }) => assetId);
    const active = await groupTargetsIn(sql).listActive({ ...group, lastJobId: null }, assetIds);
    const ended = active.filter(({ state }) => state !== 'queued');
    const nextOf = new Map<string, ChangingDevice>();
    for (const next of await deps.changes.planWithdrawal(sql, group, members, { ended })) {
      const pendingConfigId = next.config && configurationId(organizationId, next.config);
      if (next.config && pendingConfigId) unstored.set(pendingConfigId, next.config);
      const refusedKeys = next.refusedKeys.length > 0 ? next.refusedKeys : null;
      nextOf.set(next.device.assetId, { ...next.device, pendingConfigId, refusedKeys });
    }
    const devices = members.map((device) => nextOf.get(device.assetId) ?? device);
    const compiled = await planner.compile(sql, organizationId, snapshot, devices, unstored);
    const lacking = await planner.listLacking(sql, organizationId, snapshot, compiled, unstored);
    const hasTarget = new Set(active.map(({ assetId }) => assetId));
    return {
      lacking: [...lacking],
      others: compiled.filter((each) => hasTarget.has(each.device.assetId) && !lacking.has(each)),
    };
  }

  async function begin(
    tx: Transaction,
    desired: ScopedProfile,
    profileSnapshot: ProfileSnapshot,
    changes: DeviceChange[],
  ): Promise<string | null> {
    if (changes.length === 0) return null;
    const job = { ...desired, profileSnapshot, startAt: null, retryOfJobId: null };
    return (await deps.beginJob.begin(tx, job, changes)).jobId;
  }

  /** Returns the id of the job; null when all run the profile. */
  async function offer(
    tx: Transaction,
    desired: ScopedProfile,
    snapshot: ProfileSnapshot,
    assetIds: string[],
  ): Promise<string | null> {
    const devices = await deps.groupChanges.lockAssets(tx, desired.organizationId, assetIds);
    const lacking = await compileLacking(tx.sql, desired, snapshot, devices);
    return begin(tx, desired, snapshot, await storeChanges(tx.sql, desired, lacking));
  }

  return {
    /** Offers the profile to these members. @throws not found when there is no such profile. */
    async offerTo(tx: Transaction, desired: DesiredProfile, assetIds: string[]): Promise<string | null> {
      const snapshot = await planner.findSnapshot(tx.sql, desired.organizationId, desired.profileSlug);
      return offer(tx, { ...desired, scope: 'members' }, snapshot, assetIds);
    },

    /**
     * Offers the profile to all members. For very many, it queues targets, and the run of the job locks the
     * devices chunk by chunk. `isOther`: the group had another profile, whose changes may not all be
     * withdrawn yet.
     */
    async offerToAll(
      tx: Transaction,
      desired: DesiredProfile,
      options: { isOther: boolean },
    ): Promise<string | null> {
      const snapshot = await planner.findSnapshot(tx.sql, desired.organizationId, desired.profileSlug);
      const changes: DeviceChange[] = [];
      for await (const members of pendingIn(tx.sql).listPages(desired, chunkSize)) {
        const lacking = await compileLacking(tx.sql, desired, snapshot, members, options);
        for (const change of await storeChanges(tx.sql, desired, lacking)) changes.push(change);
      }
      const scoped = { ...desired, scope: 'group' } as const;
      if (deps.beginJob.isLarge(changes.length)) return begin(tx, scoped, snapshot, changes);
      // Reads again under the locks, because a report may have changed the configuration of some devices.
      return offer(
        tx,
        scoped,
        snapshot,
        changes.map(({ device }) => device.assetId),
      );
    },

    /** The result that `offerToAll` would have, one entry per distinct configuration. */
    async preview(
      sql: Database,
      group: GroupRef & { profileSlug: string },
      { isOther }: { isOther: boolean },
    ): Promise<Preview[]> {
      const { organizationId, profileSlug } = group;
      const unstored = new Map<string, DeviceConfiguration>();
      const profileSnapshot = await planner.findSnapshot(sql, organizationId, profileSlug);
      const lacking: CompiledDevice[] = [];
      const others: CompiledDevice[] = [];
      for await (const members of pendingIn(sql).listPages(group, chunkSize)) {
        const found = isOther
          ? await previewLacking(sql, group, profileSnapshot, { members, unstored })
          : { lacking: await compileLacking(sql, group, profileSnapshot, members), others: [] };
        for (const each of found.lacking) lacking.push(each);
        for (const each of found.others) others.push(each);
      }
      const isLarge = deps.beginJob.isLarge(lacking.length + others.length);
      const compiled = isLarge ? [...lacking, ...others] : lacking;
      return planner.preview(sql, organizationId, { profileSnapshot, compiled }, unstored);
    },
  };
}
