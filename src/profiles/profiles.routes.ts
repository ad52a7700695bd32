import type { Database } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import { created, ok, type Route, route } from '../http/route.ts';
import { orNotFound } from '../process/errors.ts';
import { changedProfile, NO_SUCH_PROFILE, newProfile, profileDetailView, profileView } from './profile.ts';
import type { ProfilesRepository } from './profiles.repository.ts';
import {
  createProfileBody,
  profileDetailResponse,
  profileDetailSchema,
  profileListResponse,
  profileResponse,
  slugParam,
  updateProfileBody,
} from './profiles.schemas.ts';

const tag = 'Configuration profiles';

interface ProfilesRoutesDeps {
  profiles: ProfilesRepository;
  profilesIn(sql: Database): ProfilesRepository;
}

export function profilesRoutes({ profiles, profilesIn }: ProfilesRoutesDeps): Route[] {
  const shown = shownAs(
    profileDetailSchema,
    (sql, organizationId, slug) => profilesIn(sql).find(organizationId, slug),
    profileDetailView,
  );
  return [
    route({
      method: 'GET',
      path: '/devices/config-profiles',
      operationId: 'listProfiles',
      summary: 'List configuration profiles',
      description: 'All profiles of the organization in one answer, 1,000 at most, ordered by slug.',
      tag,
      responses: { 200: profileListResponse },
      async handle({ caller }) {
        return ok({ profiles: (await profiles.list(caller.organizationId)).map(profileView) });
      },
    }),
    route({
      method: 'POST',
      path: '/devices/config-profiles',
      operationId: 'createProfile',
      summary: 'Create a configuration profile',
      description:
        'Give a slug or a name, and at least one of temperatureAlerts, schedule and intervals. 409 when a profile has the slug, and beyond 1,000 profiles.',
      tag,
      body: createProfileBody,
      responses: { 201: profileDetailResponse },
      errors: [409],
      audit: { subject: ({ profile }) => profile.slug, shown },
      async handle({ caller, body, transact }) {
        const profile = newProfile(body);
        await transact(({ sql }) => profilesIn(sql).insert(caller.organizationId, profile));
        return created({ profile: profileDetailView(profile) });
      },
    }),
    route({
      method: 'GET',
      path: '/devices/config-profiles/{slug}',
      operationId: 'getProfile',
      summary: 'Get a configuration profile',
      description:
        'The profile as it was saved last. Devices run what was applied to them, which may be an earlier text.',
      tag,
      params: slugParam,
      responses: { 200: profileResponse },
      errors: [404],
      async handle({ caller, params: { slug } }) {
        const profile = orNotFound(await profiles.find(caller.organizationId, slug), NO_SUCH_PROFILE);
        return ok({ profile: profileView(profile) });
      },
    }),
    route({
      method: 'PUT',
      path: '/devices/config-profiles/{slug}',
      operationId: 'updateProfile',
      summary: 'Change a configuration profile',
      description: 'Devices take a changed profile when it is applied, not before.',
      tag,
      params: slugParam,
      body: updateProfileBody,
      responses: { 200: profileDetailResponse },
      errors: [404],
      audit: { subject: 'slug', shown },
      async handle({ caller, params: { slug }, body, transact }) {
        const changed = await transact(async ({ sql }) => {
          const profile = orNotFound(
            await profilesIn(sql).lock(caller.organizationId, slug),
            NO_SUCH_PROFILE,
          );
          const next = changedProfile(profile, body);
          await profilesIn(sql).update(caller.organizationId, next);
          return next;
        });
        return ok({ profile: profileDetailView(changed) });
      },
    }),
  ];
}
