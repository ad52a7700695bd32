/** The operations of customers on groups. Each is one transaction. */
import { NO_SUCH_GROUP } from '../assets/asset.ts';
import { DEADLINE_MINUTES_DEFAULT } from '../config-jobs/config-job.ts';
import type { DesiredProfiles } from '../config-jobs/desired-profile.service.ts';
import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { conflict, notFound, orNotFound } from '../process/errors.ts';
import { NO_SUCH_PROFILE } from '../profiles/profile.ts';
import { type ChangedGroup, type ChangeGroup, type CreateGroup, type Group, NAME_TAKEN } from './group.ts';
import type { GroupWithdrawals } from './group-withdrawals.service.ts';
import type { GroupsRepository } from './groups.repository.ts';

interface GroupsServiceDeps {
  groupsIn(sql: Database): GroupsRepository;
  profilesIn(sql: Database): { find(organizationId: string, slug: string): Promise<unknown> };
  desired: DesiredProfiles;
  withdrawals: Pick<GroupWithdrawals, 'fromMembers' | 'andDelete'>;
  /** Ends the mute of a deleted group, in the transaction. */
  endMute(tx: Transaction, organizationId: string, groupId: string): Promise<void>;
}

export type GroupsService = ReturnType<typeof createGroupsService>;

export function createGroupsService(deps: GroupsServiceDeps) {
  const { groupsIn, profilesIn, desired, withdrawals } = deps;

  async function requireProfile(sql: Database, organizationId: string, slug: string | null): Promise<void> {
    if (slug !== null && !(await profilesIn(sql).find(organizationId, slug))) throw notFound(NO_SUCH_PROFILE);
  }

  async function lockOwn(sql: Database, organizationId: string, id: string): Promise<Group> {
    return orNotFound(await groupsIn(sql).lock(organizationId, id), NO_SUCH_GROUP);
  }

  return {
    /** @throws not found when there is no such profile, conflict when a group has the name. */
    add(transact: Transact, organizationId: string, request: CreateGroup): Promise<Group> {
      const fields = { name: request.name, profileSlug: request.profileSlug ?? null };
      return transact(async ({ sql }) => {
        await requireProfile(sql, organizationId, fields.profileSlug);
        const id = await groupsIn(sql).insert(organizationId, fields);
        return (await groupsIn(sql).find(organizationId, id)) as Group;
      });
    },

    /**
     * Offers the named profile to every member that does not run it, even if the group already had it. Open
     * changes of another profile are withdrawn.
     */
    change(
      transact: Transact,
      organizationId: string,
      groupId: string,
      change: ChangeGroup,
    ): Promise<ChangedGroup> {
      return transact(async (tx) => {
        const before = await lockOwn(tx.sql, organizationId, groupId);
        const { id } = before;
        const { name, profileSlug } = { ...before, ...change };
        await requireProfile(tx.sql, organizationId, profileSlug);
        await groupsIn(tx.sql).update(organizationId, id, { name, profileSlug });
        const isOther = profileSlug !== before.profileSlug;
        if (isOther) await withdrawals.fromMembers(tx, { organizationId, groupId: id });
        const { rollout = null, deadlineMinutes = DEADLINE_MINUTES_DEFAULT } = change;
        const isNamed = change.profileSlug !== undefined && profileSlug !== null;
        const jobId = isNamed
          ? await desired.offerToAll(
              tx,
              { organizationId, groupId: id, profileSlug, rollout, deadlineMinutes },
              { isOther },
            )
          : null;
        return { group: (await groupsIn(tx.sql).find(organizationId, id)) as Group, jobId };
      });
    },

    /** The group after the change, and the offers of its job; changes and locks nothing. */
    preview(
      transact: Transact,
      organizationId: string,
      groupId: string,
      { name, profileSlug }: ChangeGroup,
    ): Promise<ChangedGroup> {
      return transact(async ({ sql }) => {
        const before = orNotFound(await groupsIn(sql).find(organizationId, groupId), NO_SUCH_GROUP);
        const group = { ...before, ...(name !== undefined && { name }) };
        if (await groupsIn(sql).isNameTaken(organizationId, before.id, group.name))
          throw conflict(NAME_TAKEN);
        if (profileSlug === undefined) return { group, jobId: null, preview: [] };
        const preview =
          profileSlug === null
            ? []
            : await desired.preview(
                sql,
                { organizationId, groupId: before.id, profileSlug },
                { isOther: profileSlug !== before.profileSlug },
              );
        return { group: { ...group, profileSlug }, jobId: null, preview };
      });
    },

    /** Removes all members; for customers this is done with the answer. */
    remove(transact: Transact, organizationId: string, groupId: string): Promise<void> {
      return transact(async (tx) => {
        const { id } = await lockOwn(tx.sql, organizationId, groupId);
        await groupsIn(tx.sql).markDeleted(organizationId, id);
        await deps.endMute(tx, organizationId, id);
        await withdrawals.andDelete(tx, { organizationId, groupId: id });
      });
    },
  };
}
