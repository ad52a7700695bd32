import type { WithdrawalRef } from '../config-jobs/config-job.ts';
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
import { inTurns } from '../process/keyed-semaphore.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { endedAbnormally } from '../temporal/runs.ts';
import { createMissingWorkflowsSweep } from '../temporal/start-missing-workflows.ts';
import type { composeMutes } from './mutes.ts';
import type { Resources } from './resources.ts';

interface GroupsNeeds {
  desired: DesiredProfiles;
  groupChanges: GroupChanges;
  fleetWideLimit: ConcurrencyLimit;
  mutes: Pick<ReturnType<typeof composeMutes>, 'endAny' | 'onMembersLeft'>;
}

export function composeGroups(
  { sql, listTurns, transact, settings, starter, onRunStarted, onTemporalFault }: Resources,
  { desired, groupChanges, fleetWideLimit, mutes }: GroupsNeeds,
) {
  const groupsIn = createGroupsRepository;
  const membersIn = createMembersRepository;
  const pending = createGroupWithdrawalsRepository(sql);
  const membership = createMembership({
    groupsIn,
    membersIn,
    devicesIn: createPendingChangesRepository,
    desired,
    groupChanges,
    onMembersLeft: mutes.onMembersLeft,
  });
  const withdrawals = createGroupWithdrawals({
    transact,
    groupsIn,
    membersIn,
    withdrawalsIn: createGroupWithdrawalsRepository,
    devicesIn: createPendingChangesRepository,
    groupChanges,
    largeAbove: settings.largeJobDevices,
    chunkSize: settings.applyChunkSize,
  });
  const service = createGroupsService({
    groupsIn,
    profilesIn: createProfilesRepository,
    desired,
    withdrawals,
    endMute: (tx, organizationId, groupId) => mutes.endAny(tx, { organizationId, groupId }),
  });
  return {
    routes: groupsRoutes({
      groups: inTurns(groupsIn(sql), listTurns, 'list', 'find'),
      groupsIn,
      service,
      membership,
      limit: fleetWideLimit,
    }),
    membership,
    withdrawals,
    startMissingWorkflows: createMissingWorkflowsSweep<WithdrawalRef>({
      ...pending,
      findLastRun: starter.findWithdrawalRun,
      start: async (withdrawal, options) =>
        starter.startWithdrawal(withdrawal, await pending.findTitle(withdrawal), options),
      keyOf: ({ withdrawalId }) => withdrawalId,
      checkIntervalMs: settings.runCheckIntervalMs,
      // The sweep is what starts them, so only a run that had failed is remarkable.
      onStarted({ withdrawalId }, last) {
        if (endedAbnormally(last.status)) onRunStarted('withdraw-profile', withdrawalId, last);
      },
      onFault: onTemporalFault('sweep withdrawals'),
    }),
  };
}
