import type { OpenPageRoute } from '../http/page-route.ts';
import type { KeyedSemaphore } from '../process/keyed-semaphore.ts';
import type { Layout } from './layout.ts';
import { toOwnPath } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { Sessions } from './sessions.service.ts';
import { SIGN_IN_PATH, signInHtml } from './sign-in-html.ts';

export interface SignInDeps {
  layout: Layout;
  /** The host of the identity provider; null when there is none. */
  provider: string | null;
  /** One look-up per address at a time, so that made-up links do not cost others their connections. */
  lookUps: KeyedSemaphore;
  /** @throws when this address has sent too many wrong links. */
  countFailure(address: string): void;
  sessions: Pick<Sessions, 'findLink' | 'signIn' | 'signOut'>;
}

export function signInRoutes({
  layout,
  sessions,
  provider,
  countFailure,
  lookUps,
}: SignInDeps): Array<OpenPageRoute<Session>> {
  const page = (token: string, found: Session | null, back: string | null = null) =>
    layout({ title: 'Sign in', session: null }, signInHtml({ token, found, provider, back }));
  return [
    {
      method: 'GET',
      path: SIGN_IN_PATH,
      role: null,
      // Opening the link does not use it up, because mail and chat programs open links as well.
      async handle({ query, address }) {
        const token = query.get('link') ?? '';
        const found = await lookUps.run(address, () => sessions.findLink(token));
        if (!found && token !== '') countFailure(address);
        const back = toOwnPath(query.get('return'));
        return {
          page: page(token, found, back),
          status: found || token === '' ? 200 : 404,
          // A provider keeps the page in its own attempt, which this would replace.
          ...(back !== null && provider === null && { handoff: back }),
        };
      },
    },
    {
      method: 'POST',
      path: SIGN_IN_PATH,
      role: null,
      async handle({ form, address, visitor, handoff }) {
        const token = form.get('link') ?? '';
        const signedIn = await lookUps.run(address, () => sessions.signIn(token));
        if (!signedIn) countFailure(address);
        if (!signedIn) return { page: page(token, null), status: 404 };
        // The session that this one replaces is no longer used, and that of an own invitation ends with it.
        if (visitor && visitor.id !== signedIn.session.invitedBy) await sessions.signOut(visitor);
        const back = toOwnPath(handoff ?? null);
        const used = back !== null && { handoff: null };
        return { location: back ?? OPERATOR_PATH, cookie: signedIn.cookie, ...used };
      },
    },
    {
      method: 'POST',
      path: `${OPERATOR_PATH}/sign-out`,
      role: null,
      async handle({ visitor }) {
        if (visitor) await sessions.signOut(visitor);
        return { location: SIGN_IN_PATH, cookie: null };
      },
    },
  ];
}
