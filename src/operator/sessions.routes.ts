/** Sessions at the operators' page, for admins, who may end each of them. */
import type { Sql } from '../db/database.ts';
import { shownAs } from '../http/audit.ts';
import { noContent, ok, pageOf, type Route, route } from '../http/route.ts';
import { idParams, listQuery } from '../http/schemas.ts';
import { orNotFound } from '../process/errors.ts';
import type { ActiveSession, SessionsRepository } from './sessions.repository.ts';
import { sessionListSchema, sessionSchema } from './sessions.schemas.ts';

export interface SessionsRoutesDeps {
  sessions: Pick<SessionsRepository, 'listActive'>;
  sessionsIn(sql: Sql): Pick<SessionsRepository, 'findShown' | 'remove'>;
  now(): Date;
}

const tag = 'Keys';
const role = 'admin' as const;
const path = '/operator-sessions';

export function sessionsRoutes({ sessions, sessionsIn, now }: SessionsRoutesDeps): Route[] {
  const shown = shownAs(
    sessionSchema,
    (sql, organizationId, id) => sessionsIn(sql).findShown({ organizationId, id }, now()),
    sessionView,
  );
  return [
    route({
      method: 'GET',
      path,
      operationId: 'listOperatorSessions',
      summary: "List who is signed in to the operators' page, newest first",
      description:
        'By link or by identity provider. At most 200 at once: the oldest session ends with the next one.',
      tag,
      role,
      query: listQuery,
      responses: { 200: sessionListSchema },
      async handle({ caller, query: { limit, cursor: before = null } }) {
        const found = await sessions.listActive(caller.organizationId, {
          now: now(),
          before,
          limit: limit + 1,
        });
        return ok(pageOf(found, limit, ({ id }) => id, sessionView));
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/{sessionId}`,
      operationId: 'endOperatorSession',
      summary: 'End a session, as if the person had signed out',
      description: 'The next request of the browser is answered with the page for signing in.',
      tag,
      role,
      params: idParams('sessionId'),
      responses: { 204: null },
      errors: [404],
      audit: { subject: 'sessionId', shown },
      async handle({ caller: { organizationId }, params: { sessionId }, transact }) {
        await transact(async ({ sql }) => {
          const ref = { organizationId, id: sessionId };
          orNotFound(await sessionsIn(sql).findShown(ref, now()), 'No session has this id');
          await sessionsIn(sql).remove(ref);
        });
        return noContent();
      },
    }),
  ];
}

export const sessionView = ({ startedAt, expiresAt, ...session }: ActiveSession) => ({
  ...session,
  recType: 'operator-session',
  startedAt: startedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
