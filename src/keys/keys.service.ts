/** Issues, rotates and revokes keys. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { HOUR_MS } from '../process/durations.ts';
import { conflict, invalid, notFound, orNotFound } from '../process/errors.ts';
import {
  checkRole,
  formatKey,
  hashKey,
  isActive,
  NEEDS_OWN_TOKENS,
  NO_SUCH_KEY,
  RANDOM_BYTES,
  toTokenPreview,
} from './api-key.ts';
import type { KeyRecord, KeysRepository, NewKey } from './keys.repository.ts';
import type { CreateKey } from './keys.schemas.ts';

export interface IssuedKey {
  id: string;
  /** Never shown again. */
  token: string;
}

/** A customer key without a role gets admin. */
export type KeyRequest = Omit<NewKey, 'hash' | 'tokenPreview'>;

export interface KeyIssuer {
  issue(request: KeyRequest): Promise<IssuedKey>;
  /** Issues a key that replaces another one, which stays valid for the overlap. */
  rotate(id: string, overlapMs: number): Promise<IssuedKey>;
}

export function createKeyIssuer(keys: KeysRepository, now: () => number): KeyIssuer {
  const issuer: KeyIssuer = {
    async issue({ organizationId, kind, expiresAt, name = null, role, serialKey = null }) {
      const token = formatKey(kind, randomBytes(RANDOM_BYTES));
      const id = await keys.insert({
        organizationId,
        name,
        kind,
        role: kind === 'device' ? null : (role ?? 'admin'),
        serialKey,
        hash: hashKey(token),
        tokenPreview: toTokenPreview(kind, token),
        expiresAt,
      });
      return { id, token };
    },
    async rotate(id, overlapMs) {
      const present = await keys.find(id);
      if (!present || !isActive(present, now())) throw notFound('No active key has this id');
      if (present.isForbidden) throw conflict(NEEDS_OWN_TOKENS);
      const issued = await issuer.issue(present);
      await keys.expireAt(id, new Date(now() + overlapMs));
      return issued;
    },
  };
  return issuer;
}

export const KEYS_MAX = 100;

/** Locks the organization, so that concurrent additions are counted one after the other. @throws conflict */
export async function requireRoomForKey(keys: KeysRepository, organizationId: string): Promise<void> {
  await keys.lockOrganization(organizationId);
  if ((await keys.countOwn(organizationId)) >= KEYS_MAX)
    throw conflict(`An organization has at most ${KEYS_MAX} API keys, expired ones too: delete one first`);
}

interface KeysServiceDeps {
  keysIn(sql: Database): KeysRepository;
  /** Unix milliseconds. */
  now(): number;
}

export type KeysService = ReturnType<typeof createKeysService>;

/** The operations of admins on the keys of their organization. */
export function createKeysService({ keysIn, now }: KeysServiceDeps) {
  return {
    /** @throws conflict, also for a token of all devices where each needs its own. */
    async create(
      transact: Transact,
      organizationId: string,
      { name, kind, role = null, expiresAt = null }: CreateKey,
    ): Promise<KeyRecord & { token: string }> {
      checkRole(kind, role);
      if (expiresAt !== null && expiresAt.getTime() <= now())
        throw invalid('expiresAt must be in the future');
      return transact(async ({ sql }) => {
        await requireRoomForKey(keysIn(sql), organizationId);
        const issuer = createKeyIssuer(keysIn(sql), now);
        const { id, token } = await issuer.issue({ organizationId, name, kind, role, expiresAt });
        const key = (await keysIn(sql).findOwn(organizationId, id)) as KeyRecord;
        if (key.isForbidden) throw conflict(NEEDS_OWN_TOKENS);
        return { ...key, token };
      });
    },

    /** @throws conflict when no admin key would be left. */
    remove(transact: Transact, organizationId: string, id: string): Promise<void> {
      return transact(async ({ sql }) => {
        const keys = keysIn(sql);
        // If two admins delete each other's key, the second one waits here, and is refused as the last admin.
        await keys.lockOrganization(organizationId);
        const key = orNotFound(await keys.findOwn(organizationId, id), NO_SUCH_KEY);
        const isAdmin = key.role === 'admin' && isActive(key, now());
        if (isAdmin && (await keys.countAdmins(organizationId)) <= 1) {
          throw conflict('This is the last API key with the role admin: create another one first');
        }
        await keys.revoke(key.id);
      });
    },
  };
}

/** How long an earlier token keeps working, because the logger has to be given the new one first. */
const OVERLAP_HOURS = 24;
/** Two, because the logger still has the older one when a new token was lost and is issued again. */
const EARLIER_TOKENS_MAX = 2;

const toSerialKey = (serialNumber: string): string => serialNumber.toLowerCase();

/** Tokens for a single serial number. */
export function createDeviceTokens({ keysIn, now }: KeysServiceDeps) {
  return {
    /** The caller has locked the asset. */
    async issue(sql: Database, organizationId: string, serialNumber: string): Promise<IssuedKey> {
      const serialKey = toSerialKey(serialNumber);
      await keysIn(sql).retireOfSerial(organizationId, serialKey, {
        keptMax: EARLIER_TOKENS_MAX,
        now: new Date(now()),
        expiresAt: new Date(now() + OVERLAP_HOURS * HOUR_MS),
      });
      const issuer = createKeyIssuer(keysIn(sql), now);
      return issuer.issue({ organizationId, kind: 'device', serialKey, expiresAt: null });
    },

    /** False when there was none. */
    remove: (sql: Database, organizationId: string, serialNumbers: readonly string[]): Promise<boolean> =>
      keysIn(sql).removeOfSerials(organizationId, serialNumbers.map(toSerialKey), new Date(now())),

    /** The newest working token. */
    find: (sql: Database, organizationId: string, serialNumber: string): Promise<KeyRecord | null> =>
      keysIn(sql).findOfSerial(organizationId, toSerialKey(serialNumber), new Date(now())),
  };
}
