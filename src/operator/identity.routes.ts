import type { OpenPageRoute } from '../http/page-route.ts';
import { AppError } from '../process/errors.ts';
import { type IdentityRules, toIdentity } from './identity.ts';
import type { IdentityProvider } from './identity-provider.service.ts';
import { toOwnPath } from './page-deps.ts';
import { OPERATOR_PATH, type Session, type SessionRef } from './session.ts';
import type { LinkRequest } from './sessions.service.ts';
import type { createAttemptSigner } from './sign-in-attempt.ts';
import { PROVIDER_PATH } from './sign-in-html.ts';

export interface IdentityRoutesDeps {
  provider: IdentityProvider;
  rules: IdentityRules;
  attempts: ReturnType<typeof createAttemptSigner>;
  /** @throws when this address has sent too many requests. */
  admit(address: string): void;
  /** The first of these names that exists. */
  findOrganization(names: readonly string[]): Promise<{ id: string } | null>;
  /** Returns the cookie of a new session. */
  begin(request: LinkRequest): Promise<string>;
  /** Ends the session that the new one replaces. */
  signOut(session: SessionRef): Promise<void>;
  now(): Date;
}

export const CALLBACK_PATH = `${PROVIDER_PATH}/callback`;
const NO_ORGANIZATION = 'The identity provider names no organization of this service for you';

export function identityRoutes(deps: IdentityRoutesDeps): Array<OpenPageRoute<Session>> {
  const { provider, rules, attempts, findOrganization, admit, now } = deps;

  return [
    {
      method: 'GET',
      path: PROVIDER_PATH,
      role: null,
      async handle({ query, address }) {
        admit(address);
        const { url, attempt } = await provider.begin();
        const back = toOwnPath(query.get('return')) ?? OPERATOR_PATH;
        return { location: url, handoff: attempts.seal({ ...attempt, back }, now()) };
      },
    },
    {
      method: 'GET',
      path: CALLBACK_PATH,
      role: null,
      async handle({ query, handoff, address, visitor }) {
        admit(address);
        const attempt = handoff === undefined ? null : attempts.open(handoff, now());
        if (!attempt) throw new AppError('forbidden', 'This sign-in was not begun here, or too long ago');
        const identity = toIdentity(await provider.finish(query, attempt), rules);
        const organization = await findOrganization(identity.organizations);
        if (!organization) throw new AppError('forbidden', NO_ORGANIZATION);
        const { name, role } = identity;
        const cookie = await deps.begin({ organizationId: organization.id, name, role, keyId: null });
        if (visitor) await deps.signOut(visitor);
        return { location: attempt.back, cookie, handoff: null };
      },
    },
  ];
}
