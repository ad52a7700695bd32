/**
 * Decides to which organization a message belongs. A token decides alone: a wrong one is refused regardless
 * of anything else. A configuration report without a token is accepted from the address from which the same
 * serial number has lately sent a token, as long as that token is valid, because real reports often carry
 * none. Where tokens are not required, a message without one belongs to the organization that has
 * registered its serial number, if exactly one has.
 */

import type { Owners } from '../assets/assets.repository.ts';
import { createGroupCommit } from '../db/group-commit.ts';
import { limitedAs } from '../http/client-address.ts';
import { type Caller, isValidForSerial } from '../http/route.ts';
import type { TokenBucket } from '../http/token-bucket.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { AppError } from '../process/errors.ts';

interface Credentials {
  serialNumber: string;
  /** Token in the message; null or empty without one. */
  cloudToken: string | null;
  /** Token in the CoAP option. */
  tokenOption: string | null;
  /** The address that the datagram came from. */
  address: string;
  port: number;
  /** Whether an earlier message from the same address may stand in for the token. */
  allowAddressTrust: boolean;
}

/** `ambiguous_serial`: several organizations have registered it. */
export type RefusalReason = 'wrong_token' | 'missing_token' | 'unregistered_serial' | 'ambiguous_serial';

export type Identity =
  | { kind: 'authenticated'; organizationId: string }
  | { kind: 'refused'; reason: RefusalReason };

export type AuthenticateDevice = (credentials: Credentials) => Promise<Identity>;

interface AuthenticateDeviceDeps {
  findCaller(token: string, sender: { isSuspect: boolean }): Promise<Caller | null>;
  /** Per token. */
  limit: TokenBucket;
  /** Per organization. */
  organizationLimit: TokenBucket;
  /** Wrong tokens per address. */
  failures: TokenBucket;
  /** Results per serial number, in order. */
  findOwners(serialNumbers: string[]): Promise<Owners[]>;
  isTokenRequired: boolean;
  /** How long the address and port of a token stand in for it; 0: never. */
  addressTrustMs: number;
  /** Never adjusted, because a clock that is set back would prolong the trust in an address. */
  monotonicMs(): number;
}

const TRUSTED_ADDRESSES_MAX = 200_000;
const LOOKUP_BATCH_MAX = 500;
const LOOKUPS_WAITING_MAX = 20_000;

/** One object for all refusals, because each new error would cost a stack trace in a flood. */
const OVER_LIMIT = new AppError('rate_limited', 'Too many messages with this token');
const TOO_MANY_UNKNOWN = new AppError('unavailable', 'Too many unknown tokens at present');
const ORGANIZATION_OVER_LIMIT = new AppError('rate_limited', 'Too many messages of this organization');

/** A look-up that waits behind the unknown tokens of others is no limit of the sender's own. */
function toUnavailable(error: unknown): never {
  throw error instanceof AppError && error.kind === 'rate_limited' ? TOO_MANY_UNKNOWN : error;
}

export function createAuthenticateDevice(deps: AuthenticateDeviceDeps): AuthenticateDevice {
  const { findCaller, limit, organizationLimit, failures } = deps;
  const trusted = createBoundedCache<string, { token: string; at: number }>(TRUSTED_ADDRESSES_MAX);
  const lookUps = createGroupCommit<string, Owners>({
    commit: deps.findOwners,
    maxItems: LOOKUP_BATCH_MAX,
    concurrency: 1,
    maxWaiting: LOOKUPS_WAITING_MAX,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices wait for the lookup of their serial numbers'),
  });

  /** @throws AppError when the token, or its organization, is over its limit */
  async function findKey(token: string, address: string): Promise<Caller | null> {
    if (limit.take(token) !== null) throw OVER_LIMIT;
    const caller = await findCaller(token, { isSuspect: failures.isEmpty(limitedAs(address)) }).catch(
      toUnavailable,
    );
    if (caller && organizationLimit.take(caller.organizationId) !== null) throw ORGANIZATION_OVER_LIMIT;
    return caller;
  }

  async function byToken(token: string, credentials: Credentials): Promise<Identity> {
    const caller = await findKey(token, credentials.address);
    if (caller?.kind !== 'device' || !isValidForSerial(caller, credentials.serialNumber)) {
      failures.take(limitedAs(credentials.address));
      return { kind: 'refused', reason: 'wrong_token' };
    }
    trusted.set(trustKey(credentials), { token, at: deps.monotonicMs() });
    return { kind: 'authenticated', organizationId: caller.organizationId };
  }

  async function withoutToken(credentials: Credentials): Promise<Identity> {
    const organizationId = await findTrusted(credentials);
    if (organizationId !== null) return { kind: 'authenticated', organizationId };
    if (deps.isTokenRequired) return { kind: 'refused', reason: 'missing_token' };
    return bySerialNumber(credentials.serialNumber);
  }

  async function findTrusted(credentials: Credentials): Promise<string | null> {
    const entry = credentials.allowAddressTrust ? trusted.get(trustKey(credentials)) : undefined;
    if (!entry || deps.monotonicMs() - entry.at >= deps.addressTrustMs) return null;
    const caller = await findKey(entry.token, credentials.address);
    return caller?.organizationId ?? null;
  }

  async function bySerialNumber(serialNumber: string): Promise<Identity> {
    const { owners, needsToken } = await lookUps.submit(serialNumber);
    const [owner, another] = owners;
    if (owner === undefined) return { kind: 'refused', reason: 'unregistered_serial' };
    if (another !== undefined) return { kind: 'refused', reason: 'ambiguous_serial' };
    if (needsToken) return { kind: 'refused', reason: 'missing_token' };
    return { kind: 'authenticated', organizationId: owner };
  }

  return (credentials) => {
    const token = credentials.cloudToken || credentials.tokenOption;
    return token ? byToken(token, credentials) : withoutToken(credentials);
  };
}

const trustKey = ({ address, port, serialNumber }: Credentials) => `${address} ${port} ${serialNumber}`;
