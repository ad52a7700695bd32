import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { profilesRoutes } from '../profiles/profiles.routes.ts';
import type { Resources } from './resources.ts';

export const composeProfiles = ({ sql }: Resources) => ({
  routes: profilesRoutes({
    profiles: createProfilesRepository(sql),
    profilesIn: createProfilesRepository,
  }),
});
