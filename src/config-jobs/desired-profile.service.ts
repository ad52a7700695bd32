/**
 * What the profile of a group means for its members: who does not run it gets a job, and who leaves the group loses what
 * is pending for it. Whether a member runs the profile is read from the configuration of its device, so nothing more is
 * stored than which targets are for a group. The caller has locked the group (see the table groups).
 */
import type { Sql } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import { configurationId } from '../devices/configuration-id.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';
import type { ApplyPlanner } from './apply-planner.service.ts';
import type { BeginJob } from './begin-job.service.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import { type CompiledDevice, lacksConfig, type Preview, previewCompiled } from './compile-devices.ts';
import { type GroupRef, isLarge, type Rollout } from './config-job.ts';
import type { GroupTarget, GroupTargetsRepository } from './group-targets.repository.ts';
import type { LargeJobs } from './large-jobs.service.ts';

export interface DesiredProfileDeps {
  pendingIn(sql: Sql): Pick<PendingChangesRepository, 'lockAssets' | 'listActive'>;
  groupTargetsIn(sql: Sql): GroupTargetsRepository;
  planner: ApplyPlanner;
  beginJob: BeginJob;
  largeJobs: Pick<LargeJobs, 'queue'>;
  changes: Pick<ChangesService, 'withdraw'>;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
  /** Devices that are read or locked at a time. */
  chunkSize: number;
}

/** The profile of a group, and how its job goes about it. */
export interface DesiredProfile extends GroupRef {
  profileSlug: string;
  rollout: Rollout | null;
  deadlineMinutes: number;
}

export type DesiredProfiles = ReturnType<typeof createDesiredProfiles>;

export function createDesiredProfiles(deps: DesiredProfileDeps) {
  const { pendingIn, groupTargetsIn, planner, chunkSize } = deps;

  /** Leaves out who runs the profile, is offered it, has refused it, or waits for its stage. */
  async function compileLacking(
    sql: Sql,
    group: GroupRef,
    snapshot: ProfileSnapshot,
    devices: ChangingDevice[],
  ): Promise<CompiledDevice[]> {
    const { organizationId } = group;
    const compiled = await planner.compile(sql, organizationId, snapshot, devices);
    const known = await planner.findKnown(sql, organizationId, devices);
    const lacking = compiled.filter(lacksConfig(known));
    const queued = await listQueued(sql, group, lacking);
    return lacking.filter(
      ({ device, config }) => !queued.has(`${device.assetId} ${configurationId(organizationId, config)}`),
    );
  }

  async function listQueued(sql: Sql, group: GroupRef, compiled: CompiledDevice[]): Promise<Set<string>> {
    const assetIds = compiled.map(({ device }) => device.assetId);
    const targets = assetIds.length > 0 ? await groupTargetsIn(sql).listActive(group, assetIds) : [];
    const queued = targets.filter(({ state }) => state === 'queued');
    return new Set(queued.map(({ assetId, changeId }) => `${assetId} ${changeId}`));
  }

  async function storeChanges(
    sql: Sql,
    { organizationId, groupId }: GroupRef,
    compiled: CompiledDevice[],
  ): Promise<DeviceChange[]> {
    const changes = await planner.storeChanges(sql, organizationId, compiled);
    return changes.map((change) => ({ ...change, groupId }));
  }

  /** Of all members, as they are, without locks: page by page. */
  async function* listLacking(sql: Sql, group: GroupRef, snapshot: ProfileSnapshot) {
    for (let after: string | null = null; ; ) {
      const page: ChangingDevice[] = await pendingIn(sql).listActive(group, { after, limit: chunkSize });
      yield await compileLacking(sql, group, snapshot, page);
      if (page.length < chunkSize) return;
      after = (page.at(-1) as ChangingDevice).assetId;
    }
  }

  async function begin(
    tx: Transaction,
    desired: DesiredProfile,
    profileSnapshot: ProfileSnapshot,
    changes: DeviceChange[],
  ): Promise<string | null> {
    if (changes.length === 0) return null;
    const { groupId: _, ...request } = desired;
    const job = { ...request, profileSnapshot, startAt: null, retryOfJobId: null };
    const run = isLarge(changes.length, chunkSize) ? deps.largeJobs.queue : deps.beginJob;
    return (await run(tx, job, changes)).jobId;
  }

  /** Answers with the id of the job; null when all run the profile. */
  async function offer(
    tx: Transaction,
    desired: DesiredProfile,
    snapshot: ProfileSnapshot,
    assetIds: string[],
  ): Promise<string | null> {
    const devices = await pendingIn(tx.sql).lockAssets(desired.organizationId, assetIds);
    const lacking = await compileLacking(tx.sql, desired, snapshot, devices);
    return begin(tx, desired, snapshot, await storeChanges(tx.sql, desired, lacking));
  }

  return {
    /** To these members. @throws not found when there is no such profile. */
    async offerTo(tx: Transaction, desired: DesiredProfile, assetIds: string[]): Promise<string | null> {
      const snapshot = await planner.findSnapshot(tx.sql, desired.organizationId, desired.profileSlug);
      return offer(tx, desired, snapshot, assetIds);
    },

    /** To all members; where they are very many, they are queued, and locked chunk by chunk by the run of the job. */
    async offerToAll(tx: Transaction, desired: DesiredProfile): Promise<string | null> {
      const snapshot = await planner.findSnapshot(tx.sql, desired.organizationId, desired.profileSlug);
      const changes: DeviceChange[] = [];
      for await (const lacking of listLacking(tx.sql, desired, snapshot)) {
        for (const change of await storeChanges(tx.sql, desired, lacking)) changes.push(change);
      }
      if (isLarge(changes.length, chunkSize)) return begin(tx, desired, snapshot, changes);
      // Read again under the locks: a report may have changed what some of them run.
      return offer(
        tx,
        desired,
        snapshot,
        changes.map(({ device }) => device.assetId),
      );
    },

    /** What `offerToAll` would do, one entry per distinct configuration. */
    async preview(sql: Sql, group: GroupRef, profileSlug: string): Promise<Preview[]> {
      const { organizationId } = group;
      const profileSnapshot = await planner.findSnapshot(sql, organizationId, profileSlug);
      const compiled: CompiledDevice[] = [];
      for await (const lacking of listLacking(sql, group, profileSnapshot)) {
        for (const each of lacking) compiled.push(each);
      }
      const contents = await planner.findForWarnings(sql, organizationId, { profileSnapshot, compiled });
      return previewCompiled(profileSnapshot, compiled, contents);
    },

    /** Cancels what is open for the group on these devices, and takes its keys out of what is pending. */
    async withdraw(
      { sql, afterCommit }: Transaction,
      group: GroupRef,
      assetIds: string[],
      reason: string,
    ): Promise<void> {
      const { organizationId } = group;
      const concerned = assetsOf(await groupTargetsIn(sql).listActive(group, assetIds));
      if (concerned.length === 0) return;
      await pendingIn(sql).lockAssets(organizationId, concerned);
      // Read again under the locks: a report may have settled some in between.
      const active = await groupTargetsIn(sql).listActive(group, concerned);
      for (const round of toRounds(active.filter(({ state }) => state !== 'queued'))) {
        const devices = await pendingIn(sql).lockAssets(organizationId, [...round.keys()]);
        const changes = devices.map((device) => ({ device, changeId: round.get(device.assetId) as string }));
        await deps.changes.withdraw(sql, group, changes);
      }
      const jobIds = await groupTargetsIn(sql).end(group, concerned, reason);
      afterCommit(() => deps.jobsProgressed(organizationId, jobIds));
    },
  };
}

const assetsOf = (targets: GroupTarget[]) => [...new Set(targets.map(({ assetId }) => assetId))];

/** A device may have several changes for its group; each round has one of each device. */
function toRounds(targets: GroupTarget[]): Array<Map<string, string>> {
  const rounds: Array<Map<string, string>> = [];
  for (const { assetId, changeId } of targets) {
    const free = rounds.find((round) => !round.has(assetId));
    if (free) free.set(assetId, changeId);
    else rounds.push(new Map([[assetId, changeId]]));
  }
  return rounds;
}
