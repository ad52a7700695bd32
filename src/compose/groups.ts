import type { DesiredProfiles } from '../config-jobs/desired-profile.service.ts';
import type { GroupChanges } from '../config-jobs/group-changes.service.ts';
import { createGroupWithdrawalsRepository } from '../config-jobs/group-withdrawals.repository.ts';
import { createPendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { createGroupWithdrawals } from '../groups/group-withdrawals.service.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import { groupsRoutes } from '../groups/groups.routes.ts';
import { createGroupsService } from '../groups/groups.service.ts';
import { createMembersRepository } from '../groups/members.repository.ts';
import { createMembership } from '../groups/membership.service.ts';
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import type { composeMutes } from './mutes.ts';
import type { Resources } from './resources.ts';

export interface GroupsNeeds {
  desired: DesiredProfiles;
  groupChanges: GroupChanges;
  fleetWideLimit: ConcurrencyLimit;
  mutes: Pick<ReturnType<typeof composeMutes>, 'endAny' | 'onMembersLeft'>;
}

export function composeGroups(
  { sql, transact, settings, log }: Resources,
  { desired, groupChanges, fleetWideLimit, mutes }: GroupsNeeds,
) {
  const groupsIn = createGroupsRepository;
  const membersIn = createMembersRepository;
  const membership = createMembership({
    groupsIn,
    membersIn,
    devicesIn: createPendingChangesRepository,
    desired,
    groupChanges,
    onMembersLeft: mutes.onMembersLeft,
  });
  const withdrawals = createGroupWithdrawals({
    groupsIn,
    membersIn,
    withdrawalsIn: createGroupWithdrawalsRepository,
    devicesIn: createPendingChangesRepository,
    groupChanges,
    largeAbove: settings.largeJobDevices,
    chunkSize: settings.applyChunkSize,
    onFault: (err) => log.warn({ err }, 'A change of a group was not withdrawn: it is tried again'),
  });
  const service = createGroupsService({
    groupsIn,
    profilesIn: createProfilesRepository,
    desired,
    withdrawals,
    endMute: (tx, organizationId, groupId) => mutes.endAny(tx, { organizationId, groupId }),
  });
  return {
    routes: groupsRoutes({ groups: groupsIn(sql), groupsIn, service, membership, limit: fleetWideLimit }),
    membership,
    processWithdrawals: (shouldContinue: () => boolean) =>
      withdrawals.processPending(sql, transact, shouldContinue),
  };
}
