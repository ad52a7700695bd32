import { includesRole, type Role } from '../http/role.ts';
import { actorOf, created, type Route, route } from '../http/route.ts';
import { AppError, notFound } from '../process/errors.ts';
import { createdLinkSchema, createLinkBody } from './links.schemas.ts';
import { toLink } from './session.ts';
import type { createLinkIssuer } from './sessions.service.ts';

export interface LinksRoutesDeps {
  /** Null: there is no operators' page. */
  operatorUrl: string | null;
  issue: ReturnType<typeof createLinkIssuer>;
}

export const linksRoutes = ({ operatorUrl, issue }: LinksRoutesDeps): Route[] => [
  route({
    method: 'POST',
    path: '/operator-links',
    operationId: 'createOperatorLink',
    summary: "Make a link that signs in to the operators' page",
    description:
      'The link works once, within 10 minutes, also for a role that is less than that of the key. It and the session that it begins end with the key; those of a person who was signed in without a key end with the session of that person. 404 when the service has no such page.',
    tag: 'Keys',
    body: createLinkBody,
    responses: { 201: createdLinkSchema },
    errors: [404],
    answersSecret: true,
    audit: {
      subject: ({ id }) => id,
      after: ({ name, role, expiresAt }) => ({ name, role, expiresAt }),
    },
    async handle({ caller, body: { name, role = caller.role as Role }, transact }) {
      if (operatorUrl === null) throw notFound("There is no operators' page here");
      if (!includesRole(caller.role as Role, role)) {
        throw new AppError('forbidden', 'role must not be more than that of the API key');
      }
      const { organizationId } = caller;
      const { keyId } = actorOf(caller);
      // Who was signed in without a key has no right that outlives the session.
      const invitedBy = keyId === null ? (caller.sessionId ?? null) : null;
      const link = await transact(({ sql }) => issue(sql, { organizationId, name, role, keyId, invitedBy }));
      const { id, expiresAt } = link;
      return created({
        id,
        recType: 'operator-link',
        name,
        role,
        url: toLink(operatorUrl, link),
        expiresAt: expiresAt.toISOString(),
      });
    },
  }),
];
