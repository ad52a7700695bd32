/**
 * Withdraws the pending changes that devices have for the profile of their group, in the transaction of the
 * caller. In a large group, this goes on after the request that changed the group. Until it is done, a
 * transaction that offers another change to a member first finishes the withdrawal for that member.
 */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import type { ChangingDevice, PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import type { ChangesService } from './changes.service.ts';
import type { JobRef } from './config-job.ts';
import type { ActiveTarget } from './config-targets.repository.ts';
import type { GroupTargetsRef, GroupTargetsRepository } from './group-targets.repository.ts';
import type { GroupWithdrawalsRepository } from './group-withdrawals.repository.ts';

interface GroupChangesDeps {
  pendingIn(sql: Database): Pick<PendingChangesRepository, 'lockAssets'>;
  groupTargetsIn(sql: Database): GroupTargetsRepository;
  withdrawalsIn(sql: Database): Pick<GroupWithdrawalsRepository, 'listOf'>;
  changes: Pick<ChangesService, 'withdraw'>;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
}

export type GroupChanges = ReturnType<typeof createGroupChanges>;

export function createGroupChanges(deps: GroupChangesDeps) {
  const { pendingIn, groupTargetsIn } = deps;

  async function withdrawFrom(
    tx: Transaction,
    ref: GroupTargetsRef,
    concerned: string[],
    reason: string,
  ): Promise<void> {
    const { sql, afterCommit } = tx;
    const { organizationId } = ref;
    const devices = await pendingIn(sql).lockAssets(organizationId, concerned);
    // Reads again under the locks, because a report may have settled some targets in between.
    const active = await groupTargetsIn(sql).listActive(ref, concerned);
    await deps.changes.withdraw(
      tx,
      ref,
      devices,
      active.filter(({ state }) => state !== 'queued'),
    );
    const jobIds = await groupTargetsIn(sql).end(ref, concerned, reason);
    afterCommit(() => deps.jobsProgressed(organizationId, jobIds));
  }

  /**
   * Cancels the targets for the group on these devices that are open, or have failed in jobs that run.
   * Returns the devices that had active ones.
   */
  async function withdraw(
    tx: Transaction,
    ref: GroupTargetsRef,
    assetIds: string[],
    reason: string,
  ): Promise<string[]> {
    const { sql, afterCommit } = tx;
    const concerned = assetsOf(await groupTargetsIn(sql).listActive(ref, assetIds));
    if (concerned.length > 0) await withdrawFrom(tx, ref, concerned, reason);
    // Also targets that failed before anything was offered, which are not active.
    const jobIds = await groupTargetsIn(sql).endFailed(ref, assetIds, reason);
    afterCommit(() => deps.jobsProgressed(ref.organizationId, jobIds));
    return concerned;
  }

  /**
   * Finishes withdrawals on devices that the caller has locked and will offer a change. Returns the devices as they
   * are afterwards.
   */
  async function finishWithdrawals(
    tx: Transaction,
    organizationId: string,
    devices: ChangingDevice[],
  ): Promise<ChangingDevice[]> {
    const assetIds = devices.map(({ assetId }) => assetId);
    const changed: string[] = [];
    for (const { reason, ...ref } of await deps.withdrawalsIn(tx.sql).listOf(organizationId)) {
      changed.push(...(await withdraw(tx, ref, assetIds, reason)));
    }
    if (changed.length === 0) return devices;
    const now = await pendingIn(tx.sql).lockAssets(organizationId, changed);
    const byId = new Map(now.map((device) => [device.assetId, device]));
    return devices.map((device) => byId.get(device.assetId) ?? device);
  }

  return {
    withdraw,

    /** Whether changes of this job are still to be withdrawn. */
    async isWithdrawing(sql: Database, { organizationId, jobId }: JobRef): Promise<boolean> {
      const withdrawals = await deps.withdrawalsIn(sql).listOf(organizationId);
      return withdrawals.some(({ lastJobId }) => jobId <= lastJobId);
    },

    finishWithdrawals,

    /** Locks devices that will be offered a change. */
    async lockAssets(tx: Transaction, organizationId: string, assetIds: string[]): Promise<ChangingDevice[]> {
      const locked = await pendingIn(tx.sql).lockAssets(organizationId, assetIds);
      return finishWithdrawals(tx, organizationId, locked);
    },
  };
}

const assetsOf = (targets: ActiveTarget[]) => [...new Set(targets.map(({ assetId }) => assetId))];
