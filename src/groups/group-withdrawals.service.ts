/**
 * Withdraws the change of a group's profile from its members when the group gets another profile, or is
 * deleted. The request does it up to `largeAbove` members; for a larger group it stores the withdrawal, whose run makes
 * the same steps, each in a transaction of its own: no device is locked for longer than a chunk takes.
 */
import type { GroupRef, WithdrawalRef } from '../config-jobs/config-job.ts';
import type { GroupChanges } from '../config-jobs/group-changes.service.ts';
import type { GroupTargetsRef } from '../config-jobs/group-targets.repository.ts';
import type {
  GroupWithdrawal,
  GroupWithdrawalsRepository,
} from '../config-jobs/group-withdrawals.repository.ts';
import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import type { PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { lastOf, stepwise } from '../process/pages.ts';
import { DELETED, OTHER_PROFILE } from './group.ts';
import type { GroupsRepository } from './groups.repository.ts';
import type { MembersRepository } from './members.repository.ts';

interface GroupWithdrawalsDeps {
  transact: Transact;
  groupsIn(sql: Database): Pick<GroupsRepository, 'remove'>;
  membersIn(sql: Database): Pick<MembersRepository, 'list' | 'count' | 'listGroups' | 'assign'>;
  withdrawalsIn(sql: Database): GroupWithdrawalsRepository;
  devicesIn(sql: Database): Pick<PendingChangesRepository, 'lockAssets'>;
  groupChanges: Pick<GroupChanges, 'withdraw'>;
  /** The run of a withdrawal handles groups with more members. */
  largeAbove: number;
  /** Number of members in one transaction. */
  chunkSize: number;
}

export type GroupWithdrawals = ReturnType<typeof createGroupWithdrawals>;

/** The fields of a withdrawal that a chunk of members needs. */
type Withdrawal = GroupTargetsRef & Pick<GroupWithdrawal, 'reason' | 'isDeletion' | 'afterAssetId'>;

export function createGroupWithdrawals(deps: GroupWithdrawalsDeps) {
  const { groupsIn, membersIn, withdrawalsIn, devicesIn, largeAbove, chunkSize } = deps;

  /** Withdraws from the next members, ordered by asset id. Returns the last one; null when all are done. */
  async function withdrawFromNext(
    tx: Transaction,
    { reason, ...withdrawal }: Withdrawal,
  ): Promise<string | null> {
    const { organizationId, groupId, isDeletion, afterAssetId } = withdrawal;
    const page = { after: afterAssetId, limit: chunkSize };
    const assetIds = await membersIn(tx.sql).list(organizationId, groupId, page);
    await deps.groupChanges.withdraw(tx, withdrawal, assetIds, reason);
    if (isDeletion) await removeMembers(tx, withdrawal, assetIds);
    const last = lastOf(assetIds, chunkSize);
    if (last === null && isDeletion) await groupsIn(tx.sql).remove(organizationId, groupId);
    return last;
  }

  /** Removes members from the group, except those that have joined another group since they were listed. */
  async function removeMembers(
    { sql }: Transaction,
    { organizationId, groupId }: GroupRef,
    assetIds: string[],
  ) {
    await devicesIn(sql).lockAssets(organizationId, assetIds);
    const members = await membersIn(sql).listGroups(organizationId, assetIds);
    const leaving = members.filter((member) => member.groupId === groupId);
    await membersIn(sql).assign(
      organizationId,
      leaving.map(({ assetId }) => assetId),
      null,
    );
  }

  async function withdrawAll(tx: Transaction, group: GroupRef, isDeletion: boolean, reason: string) {
    await stepwise((afterAssetId: string | null) =>
      withdrawFromNext(tx, { ...group, lastJobId: null, reason, isDeletion, afterAssetId }),
    );
  }

  /** The caller has locked the group. */
  async function begin(tx: Transaction, group: GroupRef, isDeletion: boolean): Promise<void> {
    const reason = isDeletion ? DELETED : OTHER_PROFILE;
    const members = await membersIn(tx.sql).count(group, largeAbove + 1);
    if (members <= largeAbove) return withdrawAll(tx, group, isDeletion, reason);
    await withdrawalsIn(tx.sql).insert(group, { reason, isDeletion, createdBy: tx.actor ?? null });
  }

  return {
    /** To be called before the group gets another profile, or none. */
    fromMembers: (tx: Transaction, group: GroupRef) => begin(tx, group, false),

    /** Removes all members, and then the group. */
    andDelete: (tx: Transaction, group: GroupRef) => begin(tx, group, true),

    /** The step of a run: withdraws from the next members. Returns the last one; null when all are done. */
    withdrawNext(ref: WithdrawalRef): Promise<string | null> {
      return deps.transact(async (tx) => {
        const withdrawal = await withdrawalsIn(tx.sql).lock(ref);
        if (!withdrawal) return null;
        const last = await withdrawFromNext(tx, withdrawal);
        if (last === null) await withdrawalsIn(tx.sql).remove(withdrawal);
        else await withdrawalsIn(tx.sql).saveCursor(withdrawal, last);
        return last;
      });
    },
  };
}
