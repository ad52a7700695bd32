/**
 * Sign-in with an identity provider by OpenID Connect: the code flow with PKCE, state and nonce. The package
 * and the description of the provider are loaded at the first sign-in. Tokens are used at once and never
 * stored.
 */
import type * as OpenId from 'openid-client';
import { AppError, unavailable } from '../process/errors.ts';
import type { Log } from '../process/log.ts';
import type { Claims } from './identity.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';

export interface IdentityProviderSettings {
  issuer: string;
  clientId: string;
  /** Null: the client authenticates by PKCE alone. */
  clientSecret: string | null;
}

export interface IdentityProviderDeps {
  settings: IdentityProviderSettings;
  /** Where the provider sends people back to. */
  redirectUrl: string;
  log: Log;
}

export interface IdentityProvider {
  /** The address of the provider for a person who signs in, and the attempt that has to come back. */
  begin(): Promise<{ url: string; attempt: SignInAttempt }>;
  /** The provider's claims about the person who came back. */
  finish(query: URLSearchParams, attempt: SignInAttempt): Promise<Claims>;
}

interface Loaded {
  openId: typeof OpenId;
  configuration: OpenId.Configuration;
}

const TIMEOUT_SECONDS = 5;
const SCOPE = 'openid profile email';
const AWAY = 'The identity provider cannot be reached at present: try again soon, or use a link';
const REFUSED = 'The identity provider has not signed you in: begin again from the page for signing in';

export function createIdentityProvider({
  settings,
  redirectUrl,
  log,
}: IdentityProviderDeps): IdentityProvider {
  let loading: Promise<Loaded> | null = null;

  /** A provider that was away is asked again next time. */
  function load(): Promise<Loaded> {
    loading ??= discover(settings).catch((error) => {
      loading = null;
      throw error;
    });
    return loading;
  }

  /** The error of the package may contain the whole answer of the provider, so only its codes are logged. */
  function refuse(error: unknown, step: string): never {
    const { name, code, error: answer } = error as { name?: string; code?: string; error?: string };
    log.warn({ step, name, code, answer }, 'A sign-in with the identity provider failed');
    throw step === 'code' && isRefusal(code) ? new AppError('forbidden', REFUSED) : unavailable(AWAY, 10);
  }

  return {
    async begin() {
      const { openId, configuration } = await load().catch((error) => refuse(error, 'discovery'));
      const attempt = {
        state: openId.randomState(),
        nonce: openId.randomNonce(),
        verifier: openId.randomPKCECodeVerifier(),
      };
      const url = openId.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: SCOPE,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openId.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, attempt };
    },

    async finish(query, { state, nonce, verifier }) {
      const { openId, configuration } = await load().catch((error) => refuse(error, 'discovery'));
      const url = new URL(`${redirectUrl}?${query}`);
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      const tokens = await openId
        .authorizationCodeGrant(configuration, url, checks)
        .catch((error) => refuse(error, 'code'));
      return tokens.claims() ?? {};
    },
  };
}

/** Whether the provider has answered without a sign-in. */
const isRefusal = (code: string | undefined): boolean =>
  code !== undefined && (code.startsWith('OAUTH_JWT') || REFUSALS.includes(code));

const REFUSALS = [
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_RESPONSE_BODY_ERROR',
  'OAUTH_INVALID_RESPONSE',
  // A signature without or with an unsupported algorithm or key, or an unknown extension.
  'OAUTH_UNSUPPORTED_OPERATION',
  'OAUTH_KEY_SELECTION_FAILED',
];

async function discover({ issuer, clientId, clientSecret }: IdentityProviderSettings): Promise<Loaded> {
  const openId = await import('openid-client');
  const url = new URL(issuer);
  const configuration = await openId.discovery(
    url,
    clientId,
    undefined,
    authentication(openId, clientSecret),
    {
      timeout: TIMEOUT_SECONDS,
      execute: [
        openId.enableNonRepudiationChecks,
        // Settings allow this only on loopback.
        ...(url.protocol === 'http:' ? [openId.allowInsecureRequests] : []),
      ],
    },
  );
  return { openId, configuration };
}

/** In the header, unless the provider accepts the secret only in the body. */
function authentication(openId: typeof OpenId, secret: string | null): OpenId.ClientAuth {
  if (secret === null) return openId.None();
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: supported = [BASIC] } = server;
    const authenticate = supported.includes(BASIC) ? openId.ClientSecretBasic : openId.ClientSecretPost;
    return authenticate(secret)(server, client, body, headers);
  };
}

const BASIC = 'client_secret_basic';
