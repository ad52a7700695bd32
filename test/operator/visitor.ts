/** A visitor of the operators' page, without a browser. */

import type { Role } from '../../src/http/role.ts';
import { toLink } from '../../src/operator/session.ts';
import { createSessionsRepository } from '../../src/operator/sessions.repository.ts';
import { createLinkIssuer } from '../../src/operator/sessions.service.ts';
import type { TestService } from '../support/service.ts';

export interface PageAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface VisitOptions {
  cookie?: string;
  /** A form with a file, as FormData. */
  form?: Record<string, string> | URLSearchParams | FormData;
  headers?: Record<string, string>;
}

export interface LinkOptions {
  organizationId?: string;
  role?: Role;
  name?: string;
  keyId?: string | null;
  now?: () => Date;
}

export async function newLink(dms: TestService, options: LinkOptions = {}): Promise<string> {
  const {
    organizationId = dms.id,
    role = 'admin',
    name = 'Ada',
    keyId = null,
    now = () => new Date(),
  } = options;
  const issue = createLinkIssuer({ sessionsIn: createSessionsRepository, now });
  return toLink(dms.baseUrl, await issue(dms.service.sql, { organizationId, name, role, keyId }));
}

/** The public address in the settings of the service under test. */
export const OPERATOR_ORIGIN = 'https://operators.example';

/** A POST if there is a form, as a browser at this page would send it. */
export async function visit(url: string, { cookie, form, headers }: VisitOptions = {}): Promise<PageAnswer> {
  const response = await fetch(url, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { ...(cookie && { cookie }), ...(form && { origin: OPERATOR_ORIGIN }), ...headers },
    body: form instanceof FormData ? form : form && new URLSearchParams(form),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export const tokenIn = (link: string): string => new URL(link).searchParams.get('link') ?? '';

/** Returns the cookie. */
export async function signIn(dms: TestService, options: LinkOptions = {}): Promise<string> {
  const link = await newLink(dms, options);
  const { headers, status, text } = await visit(`${dms.baseUrl}/operator/sign-in`, {
    form: { link: tokenIn(link) },
  });
  const cookie = headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`Not signed in: ${status} ${text}`);
  return cookie;
}

/** The hidden inputs of a page: what the form of a question sends once more. */
export const hiddenIn = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [name, unescaped(value)],
    ),
  );

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
