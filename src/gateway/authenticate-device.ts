/**
 * Whose device speaks. The token of the organization decides; a wrong one is refused whatever else is known. Without a
 * token, a report of a configuration may come from the address that an authenticated device of the same serial used
 * within the last hour, because real reports often carry none; and where tokens are not required, a serial that exactly
 * one organization has registered is taken for its own.
 */
import { LRUCache } from 'lru-cache';
import { createGroupCommit } from '../db/group-commit.ts';
import type { Caller } from '../http/route.ts';
import { AppError } from '../process/errors.ts';

export interface Credentials {
  serialNumber: string;
  /** Of the message; null or empty when it carries none. */
  cloudToken: string | null;
  /** Of the CoAP option. */
  tokenOption: string | null;
  /** Address and port that the datagram came from. */
  address: string;
  /** An earlier message from the address may vouch for this one. */
  allowAddressTrust: boolean;
}

export type Identity =
  | { kind: 'known'; organizationId: string }
  /** wrong: there is no such token. missing: one is needed. unclear: none or several organizations have the serial. */
  | { kind: 'refused'; reason: 'wrong_token' | 'missing_token' | 'unknown_serial' | 'ambiguous_serial' };

export interface AuthenticateDeviceDeps {
  findCaller(token: string): Promise<Caller | null>;
  /** Per serial, in order: the organizations that have an active device of it, two at most. */
  findOwners(serialNumbers: string[]): Promise<string[][]>;
  isTokenRequired: boolean;
  /** Unix milliseconds. */
  now(): number;
}

export type Identify = (speaker: Credentials) => Promise<Identity>;

const VOUCHED_MS = 3_600_000;
const VOUCHED_MAX = 200_000;
const LOOK_UPS_MAX = 500;
const WAITING_MAX = 20_000;

export function createAuthenticateDevice(deps: AuthenticateDeviceDeps): Identify {
  const seen = new LRUCache<string, { organizationId: string; at: number }>({ max: VOUCHED_MAX });
  const owners = createGroupCommit<string, string[]>({
    commit: deps.findOwners,
    maxItems: LOOK_UPS_MAX,
    concurrency: 1,
    maxWaiting: WAITING_MAX,
    overloaded: () => new AppError('unavailable', 'Too many devices speak at once'),
  });
  const placeOf = ({ address, serialNumber }: Credentials) => `${address} ${serialNumber}`;

  async function withoutToken(speaker: Credentials): Promise<Identity> {
    const vouched = speaker.allowAddressTrust ? seen.get(placeOf(speaker)) : undefined;
    if (vouched && deps.now() - vouched.at <= VOUCHED_MS) {
      return { kind: 'known', organizationId: vouched.organizationId };
    }
    if (deps.isTokenRequired) return { kind: 'refused', reason: 'missing_token' };
    const [owner, another] = await owners.submit(speaker.serialNumber);
    if (owner === undefined) return { kind: 'refused', reason: 'unknown_serial' };
    if (another !== undefined) return { kind: 'refused', reason: 'ambiguous_serial' };
    return { kind: 'known', organizationId: owner };
  }

  return async (speaker) => {
    const token = speaker.cloudToken || speaker.tokenOption;
    if (!token) return withoutToken(speaker);
    const caller = await deps.findCaller(token);
    if (caller?.kind !== 'device') return { kind: 'refused', reason: 'wrong_token' };
    seen.set(placeOf(speaker), { organizationId: caller.organizationId, at: deps.now() });
    return { kind: 'known', organizationId: caller.organizationId };
  };
}
