import { type Html, html } from './html.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

interface SignInOptions {
  token: string;
  /** The session of the link; null when it cannot be used, or there is none. */
  found: Session | null;
  /** The host of the identity provider; null when there is none. */
  provider: string | null;
  /** The page that follows a sign-in with the provider; null: the start page. */
  back: string | null;
}

export const SIGN_IN_PATH = `${OPERATOR_PATH}/sign-in`;
export const PROVIDER_PATH = `${SIGN_IN_PATH}/provider`;

const withBack = (path: string, back: string | null): string =>
  back === null ? path : `${path}?${new URLSearchParams({ return: back })}`;

export const toSignInUrl = (back: string | null): string => withBack(SIGN_IN_PATH, back);

export function signInHtml({ token, found, provider, back }: SignInOptions): Html {
  if (found) return welcome(token, found);
  const problem =
    token !== '' &&
    html`<p class="problem" role="alert">This link was used already, or is older than 10 minutes.</p>`;
  return html`<section class="sign-in"><h1>Sign in</h1>${problem}
${provider !== null && html`<p><a class="button main" href="${withBack(PROVIDER_PATH, back)}">Sign in with ${provider}</a></p>`}
<p>A link signs you in once. A colleague who may make changes gets one by <strong>Invite to this page</strong>, whoever runs the service by</p>
<pre><code>npm run dms -- operator link --org NAME</code></pre>
<p class="quiet">It is good for 10 minutes.</p></section>`;
}

const welcome = (token: string, { name, organizationName, role }: Session) =>
  html`<section class="sign-in"><h1>${organizationName}</h1>
<p>You sign in as <strong>${name}</strong>, with the role <strong>${role}</strong>.</p>
<form method="post" action="${SIGN_IN_PATH}"><input type="hidden" name="link" value="${token}">
<button class="main">Sign in</button></form></section>`;
