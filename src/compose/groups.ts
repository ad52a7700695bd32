import type { DesiredProfiles } from '../config-jobs/desired-profile.service.ts';
import { createPendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import { groupsRoutes } from '../groups/groups.routes.ts';
import { createGroupsService } from '../groups/groups.service.ts';
import { createMembersRepository } from '../groups/members.repository.ts';
import { createMembership } from '../groups/membership.service.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import type { Resources } from './resources.ts';

export function composeGroups({ sql, settings }: Resources, { desired }: { desired: DesiredProfiles }) {
  const groupsIn = createGroupsRepository;
  const membersIn = createMembersRepository;
  const membership = createMembership({
    groupsIn,
    membersIn,
    devicesIn: createPendingChangesRepository,
    desired,
  });
  const service = createGroupsService({
    groupsIn,
    membersIn,
    profilesIn: createProfilesRepository,
    desired,
    chunkSize: settings.applyChunkSize,
  });
  return {
    routes: groupsRoutes({ groups: groupsIn(sql), groupsIn, service, membership }),
    membership,
  };
}
