/**
 * An identity provider as companies have them, on loopback: it signs in the person named by the test, without
 * a question.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IdentityProviderOptions {
  clientId: string;
  clientSecret: string;
  redirectUrl: string;
  /** Default: a free one. */
  port?: number;
}

export interface TestIdentityProvider {
  issuer: string;
  /** The claims of the next person to sign in; null: the person refuses. */
  person: { id: string; claims: Record<string, unknown> } | null;
  /**
   * Replaces the ID token of the next sign-ins, as an attacker in place of the provider would; null: no
   * change.
   */
  forge: ((idToken: string, key: { privateKey: KeyObject; publicKey: KeyObject }) => string) | null;
  /**
   * The part of a browser between leaving the service and coming back; returns the address that it comes back
   * to.
   */
  visit(url: string): Promise<string>;
  /** Stops answering. */
  stop(): Promise<void>;
}

/** The used part of the package, which has no types of its own. */
type ProviderClass = new (
  issuer: string,
  configuration: object,
) => {
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
};

const PACKAGE: string = 'oidc-provider';
const SCOPE = 'openid profile email';

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<TestIdentityProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response));
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running: TestIdentityProvider = {
    issuer,
    person: null,
    forge: null,
    visit: (url) => follow(url, issuer),
    stop: () => close(server),
  };
  const { default: Provider } = (await import(PACKAGE)) as { default: ProviderClass };
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, configurationOf(options, running, key.privateKey));
  const answer = provider.callback();
  handle = (request, response) => {
    const { person, forge } = running;
    if (forge && request.url === '/token') replaceIdToken(response, (token) => forge(token, key));
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    const refusal = { error: 'access_denied', error_description: 'not today' };
    const result = person ? { login: { accountId: person.id } } : refusal;
    void provider.interactionFinished(request, response, result);
  };
  return running;
}

function replaceIdToken(response: ServerResponse, replace: (token: string) => string): void {
  const end = response.end.bind(response) as (text: string) => ServerResponse;
  response.end = ((text: string) => {
    const answer = JSON.parse(text) as { id_token: string };
    const replaced = JSON.stringify({ ...answer, id_token: replace(answer.id_token) });
    response.setHeader('Content-Length', Buffer.byteLength(replaced));
    return end(replaced);
  }) as ServerResponse['end'];
}

interface GrantContext {
  oidc: {
    client: { clientId: string };
    session: { accountId: string };
    provider: { Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> } };
  };
}

function configurationOf(
  { clientId, clientSecret, redirectUrl }: IdentityProviderOptions,
  running: TestIdentityProvider,
  privateKey: KeyObject,
): object {
  return {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUrl] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    cookies: { keys: ['of the test'] },
    features: { devInteractions: { enabled: false } },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    // Companies put claims for applications into the ID token.
    conformIdTokenClaims: false,
    claims: { openid: ['sub', 'organization', 'role', 'groups'], profile: ['name'], email: ['email'] },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...running.person?.claims }),
    }),
    async loadExistingGrant({ oidc: { provider, client, session } }: GrantContext) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPE);
      await grant.save();
      return grant;
    },
  };
}

const REDIRECTS_MAX = 8;

async function follow(start: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < REDIRECTS_MAX && url.startsWith(issuer); step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} at ${url}: ${await response.text()}`);
    url = new URL(location, url).href;
  }
  return url;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
