/**
 * Decides which organization a message belongs to. A token decides alone: a wrong one is refused whatever else is
 * known. A configuration report without a token is accepted from the address from which the same serial number sent a
 * valid token within the last hour, because real reports often carry none. Where tokens are not required, a message
 * without one belongs to the organization that has registered its serial number, if exactly one has.
 */
import { LRUCache } from 'lru-cache';
import { createGroupCommit } from '../db/group-commit.ts';
import type { Caller } from '../http/route.ts';
import { AppError } from '../process/errors.ts';

export interface Credentials {
  serialNumber: string;
  /** In the message; null or empty when it carries none. */
  cloudToken: string | null;
  /** In the CoAP option. */
  tokenOption: string | null;
  /** Address and port that the datagram came from. */
  address: string;
  /** Whether an earlier message from the same address may stand in for the token. */
  allowAddressTrust: boolean;
}

/** `ambiguous_serial`: several organizations have registered it. */
export type RefusalReason = 'wrong_token' | 'missing_token' | 'unregistered_serial' | 'ambiguous_serial';

export type Identity =
  | { kind: 'authenticated'; organizationId: string }
  | { kind: 'refused'; reason: RefusalReason };

export type AuthenticateDevice = (credentials: Credentials) => Promise<Identity>;

export interface AuthenticateDeviceDeps {
  findCaller(token: string): Promise<Caller | null>;
  /** Per serial number, in order: the organizations that have an active device of it, two at most. */
  findOwners(serialNumbers: string[]): Promise<string[][]>;
  isTokenRequired: boolean;
  /** Unix milliseconds. */
  now(): number;
}

const ADDRESS_TRUST_MS = 3_600_000;
const TRUSTED_ADDRESSES_MAX = 200_000;
const LOOKUP_BATCH_MAX = 500;
const LOOKUPS_WAITING_MAX = 20_000;

export function createAuthenticateDevice(deps: AuthenticateDeviceDeps): AuthenticateDevice {
  const trusted = new LRUCache<string, { organizationId: string; at: number }>({
    max: TRUSTED_ADDRESSES_MAX,
  });
  const owners = createGroupCommit<string, string[]>({
    commit: deps.findOwners,
    maxItems: LOOKUP_BATCH_MAX,
    concurrency: 1,
    maxWaiting: LOOKUPS_WAITING_MAX,
    overloaded: () =>
      new AppError('unavailable', 'Too many devices wait for the lookup of their serial numbers'),
  });

  function findTrusted(credentials: Credentials): string | null {
    const entry = credentials.allowAddressTrust ? trusted.get(trustKey(credentials)) : undefined;
    return entry && deps.now() - entry.at <= ADDRESS_TRUST_MS ? entry.organizationId : null;
  }

  async function bySerialNumber(serialNumber: string): Promise<Identity> {
    const [owner, another] = await owners.submit(serialNumber);
    if (owner === undefined) return { kind: 'refused', reason: 'unregistered_serial' };
    if (another !== undefined) return { kind: 'refused', reason: 'ambiguous_serial' };
    return { kind: 'authenticated', organizationId: owner };
  }

  return async (credentials) => {
    const token = credentials.cloudToken || credentials.tokenOption;
    if (!token) {
      const organizationId = findTrusted(credentials);
      if (organizationId !== null) return { kind: 'authenticated', organizationId };
      if (deps.isTokenRequired) return { kind: 'refused', reason: 'missing_token' };
      return bySerialNumber(credentials.serialNumber);
    }
    const caller = await deps.findCaller(token);
    if (caller?.kind !== 'device') return { kind: 'refused', reason: 'wrong_token' };
    const { organizationId } = caller;
    trusted.set(trustKey(credentials), { organizationId, at: deps.now() });
    return { kind: 'authenticated', organizationId };
  };
}

const trustKey = ({ address, serialNumber }: Credentials) => `${address} ${serialNumber}`;
