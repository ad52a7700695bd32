/**
 * Joining and leaving groups. Locks the groups for share first, and then the devices in order: a change of a
 * group's profile waits for assets that are joining, or these wait and get the new profile.
 */
import { NO_SUCH_GROUP } from '../assets/asset.ts';
import { DEADLINE_MINUTES_DEFAULT } from '../config-jobs/config-job.ts';
import type { DesiredProfiles } from '../config-jobs/desired-profile.service.ts';
import type { GroupChanges } from '../config-jobs/group-changes.service.ts';
import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { inOrderOf } from '../devices/serial-number.ts';
import { orNotFound } from '../process/errors.ts';
import { LEFT } from './group.ts';
import type { GroupsRepository, SharedGroup } from './groups.repository.ts';
import type { Member, MembersRepository } from './members.repository.ts';

/** Locks the devices of assets while they join or leave. */
interface MemberDevices {
  lockAssets(organizationId: string, assetIds: string[]): Promise<unknown>;
  listSerials(
    organizationId: string,
    serials: string[],
  ): Promise<Array<{ assetId: string; serialNumber: string }>>;
}

interface MembershipDeps {
  groupsIn(sql: Database): Pick<GroupsRepository, 'findByNames' | 'lockShared'>;
  membersIn(sql: Database): Pick<MembersRepository, 'listGroups' | 'assign'>;
  devicesIn(sql: Database): MemberDevices;
  desired: Pick<DesiredProfiles, 'offerTo'>;
  groupChanges: Pick<GroupChanges, 'withdraw'>;
  /**
   * Called in the transaction for groups that members have left: notifications postponed by a mute of the
   * group are due.
   */
  onMembersLeft(tx: Transaction, organizationId: string, groupIds: string[]): Promise<void>;
}

interface Joined {
  /** Assets that were not in the group before. */
  assetIds: string[];
  /** The job for new members that do not run the profile of the group; null when there is none. */
  jobId: string | null;
}

/** Devices that have joined a group. */
interface NewMembers extends Pick<Joined, 'jobId'> {
  /** Those that were in the group before are left out. */
  serialNumbers: string[];
}

export type Membership = ReturnType<typeof createMembership>;

export function createMembership(deps: MembershipDeps) {
  const { groupsIn, membersIn, devicesIn, desired, groupChanges } = deps;

  /** Locks the groups of the assets, and then the devices. Returns the group of each. */
  async function lockMembers(sql: Database, organizationId: string, assetIds: string[], groupIds: string[]) {
    const before = await membersIn(sql).listGroups(organizationId, assetIds);
    const groups = await groupsIn(sql).lockShared(organizationId, [...groupIds, ...groupsOf(before)]);
    await devicesIn(sql).lockAssets(organizationId, assetIds);
    const members = await membersIn(sql).listGroups(organizationId, assetIds);
    // An asset has joined another group meanwhile. A deadlock here is resolved by running the transaction
    // again.
    const unlocked = groupsOf(members).filter((id) => !groups.some((group) => group.id === id));
    if (unlocked.length > 0) await groupsIn(sql).lockShared(organizationId, unlocked);
    return { groups, members };
  }

  /** The same with another group. @throws not found when there is no such group. */
  async function lockGroup(sql: Database, organizationId: string, assetIds: string[], groupId: string) {
    const { groups, members } = await lockMembers(sql, organizationId, assetIds, [groupId]);
    const found = groups.find(({ id }) => id === groupId);
    return { group: orNotFound(found, NO_SUCH_GROUP), members };
  }

  async function leave(tx: Transaction, organizationId: string, members: Member[]): Promise<void> {
    for (const groupId of groupsOf(members)) {
      const assetIds = members.filter((member) => member.groupId === groupId).map(({ assetId }) => assetId);
      await groupChanges.withdraw(tx, { organizationId, groupId, lastJobId: null }, assetIds, LEFT);
    }
    await membersIn(tx.sql).assign(organizationId, assetsOf(members), null);
    await deps.onMembersLeft(tx, organizationId, groupsOf(members));
  }

  /** @throws not found when there is no such group. */
  async function join(
    tx: Transaction,
    organizationId: string,
    assetIds: string[],
    groupId: string,
  ): Promise<Joined> {
    const { group, members } = await lockGroup(tx.sql, organizationId, assetIds, groupId);
    const joining = members.filter((member) => member.groupId !== group.id);
    const leaving = joining.filter((member) => member.groupId !== null);
    if (leaving.length > 0) await leave(tx, organizationId, leaving);
    await membersIn(tx.sql).assign(organizationId, assetsOf(joining), group.id);
    const joined = assetsOf(joining);
    return { assetIds: joined, jobId: await offer(tx, organizationId, group, joined) };
  }

  async function offer(
    tx: Transaction,
    organizationId: string,
    { id, profileSlug }: SharedGroup,
    assetIds: string[],
  ): Promise<string | null> {
    if (profileSlug === null || assetIds.length === 0) return null;
    const rule = { rollout: null, deadlineMinutes: DEADLINE_MINUTES_DEFAULT };
    return desired.offerTo(tx, { organizationId, groupId: id, profileSlug, ...rule }, assetIds);
  }

  async function findDevices(sql: Database, organizationId: string, serials: string[]) {
    return inOrderOf(serials, await devicesIn(sql).listSerials(organizationId, serials));
  }

  return {
    /** Moves an asset into the group; null: out of its group. Ignores an unknown asset. */
    async move(
      tx: Transaction,
      organizationId: string,
      assetId: string,
      groupId: string | null,
    ): Promise<void> {
      if (groupId !== null) {
        await join(tx, organizationId, [assetId], groupId);
        return;
      }
      const { members } = await lockMembers(tx.sql, organizationId, [assetId], []);
      await leave(tx, organizationId, members);
    },

    /** The ids by the given names; names without a group are left out. */
    async findByNames(
      sql: Database,
      organizationId: string,
      names: string[],
    ): Promise<ReadonlyMap<string, string>> {
      const found = await groupsIn(sql).findByNames(organizationId, names);
      return new Map(found.map(({ name, id }) => [name, id]));
    },

    /** The existing ones of these groups, which stay as they are until the transaction ends. */
    async lock(sql: Database, organizationId: string, groupIds: string[]): Promise<ReadonlySet<string>> {
      const groups = await groupsIn(sql).lockShared(organizationId, groupIds);
      return new Set(groups.map(({ id }) => id));
    },

    /** Handles new assets, which the caller has locked and inserted as members. */
    async offerProfiles(
      tx: Transaction,
      organizationId: string,
      assetsByGroup: ReadonlyMap<string, string[]>,
    ): Promise<void> {
      const joined = await groupsIn(tx.sql).lockShared(organizationId, [...assetsByGroup.keys()]);
      for (const group of joined) await offer(tx, organizationId, group, assetsByGroup.get(group.id) ?? []);
    },

    /** @throws not found when there is no such group, or a serial number has no active device. */
    add(transact: Transact, organizationId: string, groupId: string, serials: string[]): Promise<NewMembers> {
      return transact(async (tx) => {
        const devices = await findDevices(tx.sql, organizationId, serials);
        const { assetIds, jobId } = await join(tx, organizationId, assetsOf(devices), groupId);
        return { serialNumbers: serialsOf(devices, assetIds), jobId };
      });
    },

    /** Ignores devices that are not in the group. Returns the serial numbers of the members removed. */
    remove(
      transact: Transact,
      organizationId: string,
      groupId: string,
      serials: string[],
    ): Promise<string[]> {
      return transact(async (tx) => {
        const devices = await findDevices(tx.sql, organizationId, serials);
        const assetIds = assetsOf(devices);
        const { group, members } = await lockGroup(tx.sql, organizationId, assetIds, groupId);
        const leaving = members.filter((member) => member.groupId === group.id);
        await leave(tx, organizationId, leaving);
        return serialsOf(devices, assetsOf(leaving));
      });
    },
  };
}

const assetsOf = (members: Array<{ assetId: string }>) => members.map(({ assetId }) => assetId);

/** In the order of the devices. */
function serialsOf(devices: Array<{ assetId: string; serialNumber: string }>, assetIds: string[]): string[] {
  const chosen = new Set(assetIds);
  return devices.filter(({ assetId }) => chosen.has(assetId)).map(({ serialNumber }) => serialNumber);
}

const groupsOf = (members: Member[]) => [...new Set(members.flatMap(({ groupId }) => groupId ?? []))];
