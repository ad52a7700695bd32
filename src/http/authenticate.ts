/**
 * Bearer keys. Wrong keys are counted per address, missing ones are not; past the limit, wrong keys get 429
 * while valid keys from the same address keep working. Both limits are checked before the database is asked.
 * All keys of an organization share a larger limit, so that creating more keys gains nothing.
 */
import { AppError, rateLimited } from '../process/errors.ts';
import { includesRole, ROLES, type Role } from './role.ts';
import { type Caller, isValidForSerial, type KeyKind, neededRole, type Route } from './route.ts';
import type { TokenBucket } from './token-bucket.ts';

interface AuthenticateOptions {
  /** The owner of the key; null when the key is unknown, revoked, expired or malformed. */
  findCaller(token: string, sender: { isSuspect: boolean }): Promise<Caller | null>;
  /** Per token. */
  limits: Record<KeyKind, TokenBucket>;
  /** Per organization. */
  organizationLimits: Record<KeyKind, TokenBucket>;
  failures: TokenBucket;
}

export type Authenticate = (
  authorization: string | undefined,
  address: string,
  kind: KeyKind,
  /** Serial number of the device in the path. */
  serialNumber?: string,
) => Promise<Caller>;

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]{1,256})$/i;

const tokenIn = (authorization: string | undefined) =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

/** Whether the key of a request that was accepted is still valid. */
export type IsStillValid = (authorization: string | undefined) => Promise<boolean>;

export const createIsStillValid =
  ({ findCaller }: Pick<AuthenticateOptions, 'findCaller'>): IsStillValid =>
  async (authorization) =>
    (await findCaller(tokenIn(authorization) ?? '', { isSuspect: false })) !== null;

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { findCaller, limits, organizationLimits, failures } = options;
  return async (authorization, address, kind, serialNumber) => {
    const token = tokenIn(authorization);
    if (token === undefined) throw unauthenticated();
    requireTurn(limits[kind].take(token), 'Too many requests with this API key');
    const caller = await findCaller(token, { isSuspect: failures.isEmpty(address) });
    if (caller?.kind === kind && isValidForSerial(caller, serialNumber)) {
      requireTurn(
        organizationLimits[kind].take(caller.organizationId),
        'Too many requests with the API keys of this organization together',
      );
      return caller;
    }
    requireTurn(failures.take(address), 'Too many failed API keys from this address');
    throw unauthenticated(caller ? WRONG_KEY : BEARER_CHALLENGE);
  };
}

const BEARER_CHALLENGE = 'Bearer';
/** Sent for valid keys only, so that it does not reveal whether a key exists (RFC 6750, section 3). */
const WRONG_KEY =
  'Bearer error="insufficient_scope", error_description="This key is valid, but for other operations"';

const unauthenticated = (challenge = BEARER_CHALLENGE) =>
  new AppError('unauthenticated', 'Invalid or inactive API key', {
    headers: { 'WWW-Authenticate': challenge },
  });

/** @throws rate_limited unless the wait is null. */
export function requireTurn(waitSeconds: number | null, message = 'Too many requests'): void {
  if (waitSeconds === null) return;
  throw rateLimited(`${message}: try again in ${waitSeconds} s`, waitSeconds);
}

/** Refuses callers whose role does not include the one required by the operation. Device keys have no role. */
export function requireRole(definition: Route): (caller: Caller) => void {
  const needed = neededRole(definition);
  return ({ role }) => {
    if (needed === null || (role !== null && includesRole(role, needed))) return;
    throw new AppError('forbidden', `This operation needs an API key with the role ${rolesFor(needed)}`);
  };
}

const rolesFor = (needed: Role) => ROLES.filter((role) => includesRole(role, needed)).join(' or ');
