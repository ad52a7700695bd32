import { createAssetsRepository } from '../assets/assets.repository.ts';
import type { Database } from '../db/database.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import type { MuteTarget } from '../mutes/mute.ts';
import { createMutesRepository } from '../mutes/mutes.repository.ts';
import { mutesRoutes } from '../mutes/mutes.routes.ts';
import { createMutesService, type MutesServiceDeps } from '../mutes/mutes.service.ts';
import type { Resources } from './resources.ts';

type MutesNeeds = Pick<MutesServiceDeps, 'onMuteEnded'>;

export function composeMutes({ now }: Resources, { onMuteEnded }: MutesNeeds) {
  const mutesIn = createMutesRepository;
  const service = createMutesService({ mutesIn, lock, onMuteEnded, now });
  return {
    routes: mutesRoutes({ mutesIn, service }),
    endAny: service.endAny,
    onMembersLeft: service.onMembersLeft,
  };
}

async function lock(sql: Database, target: MuteTarget): Promise<boolean> {
  const found =
    'assetId' in target
      ? await createAssetsRepository(sql).lock(target.organizationId, target.assetId)
      : await createGroupsRepository(sql).lock(target.organizationId, target.groupId);
  return found !== null;
}
