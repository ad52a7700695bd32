import type { Database } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import { actorOf, created, noContent, ok, type Route, route } from '../http/route.ts';
import { idParams } from '../http/schemas.ts';
import { type MuteTarget, muteView } from './mute.ts';
import type { MutesRepository } from './mutes.repository.ts';
import { muteBody, muteSchema } from './mutes.schemas.ts';
import type { MutesService } from './mutes.service.ts';

interface MutesRoutesDeps {
  mutesIn(sql: Database): Pick<MutesRepository, 'find'>;
  service: Pick<MutesService, 'begin' | 'end'>;
}

/** Paths and operation names of the things that can be muted. */
const KINDS = [
  {
    path: '/assets/{assetId}/mute',
    subject: 'assetId',
    tag: 'Assets',
    mutes: { operationId: 'muteAsset', summary: 'Mute a device for the time of its maintenance' },
    ends: { operationId: 'unmuteAsset', summary: 'End the maintenance of a device' },
  },
  {
    path: '/groups/{groupId}/mute',
    subject: 'groupId',
    tag: 'Groups',
    mutes: {
      operationId: 'muteGroup',
      summary: 'Mute the members of a group for the time of their maintenance',
    },
    ends: { operationId: 'unmuteGroup', summary: 'End the maintenance of a group' },
  },
] as const;

export function mutesRoutes({ mutesIn, service }: MutesRoutesDeps): Route[] {
  return KINDS.flatMap(({ path, subject, tag, mutes, ends }) => {
    const params = idParams(subject);
    const targetOf = (organizationId: string, id: string) =>
      ({ organizationId, [subject]: id }) as MuteTarget;
    const shown = shownAs(
      muteSchema,
      (sql, organizationId, id) => mutesIn(sql).find(targetOf(organizationId, id)),
      muteView,
    );
    return [
      route({
        method: 'POST',
        path,
        ...mutes,
        description:
          'Readings, alerts and events go on, but nobody is notified and nothing escalates until it ends; alerts that are still open then are notified. With from it begins later: nothing is muted before. A mute takes the place of the one that runs or is planned: 200; 409 when from is given while one runs.',
        tag,
        params,
        body: muteBody,
        responses: { 200: muteSchema, 201: muteSchema },
        errors: [404, 409],
        audit: { subject, shown },
        handle: ({ caller, params, body, transact }) =>
          transact(async (tx) => {
            const target = targetOf(caller.organizationId, params[subject]);
            const { mute, isNew } = await service.begin(tx, target, { ...body, by: actorOf(caller) });
            return isNew ? created(muteView(mute)) : ok(muteView(mute));
          }),
      }),
      route({
        method: 'DELETE',
        path,
        ...ends,
        description:
          'Alerts that are open are notified from now on; a planned one does not begin. 404 when it is not muted by itself.',
        tag,
        params,
        responses: { 204: null },
        errors: [404],
        audit: { subject, shown },
        async handle({ caller, params, transact }) {
          await transact((tx) => service.end(tx, targetOf(caller.organizationId, params[subject])));
          return noContent();
        },
      }),
    ];
  });
}
