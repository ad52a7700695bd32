/** Issues keys and tells whose a key is. A found key is remembered for a few seconds, so revoking takes that long. */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../http/route.ts';
import { notFound } from '../process/errors.ts';
import { displayOf, hashOf, type KeyKind, keyOf, kindOf, RANDOM_BYTES } from './api-key.ts';
import type { KeyRecord, KeysRepository } from './keys.repository.ts';

const REMEMBERED_MS = 3_000;
const REMEMBERED_MAX = 10_000;

export interface IssuedKey {
  id: string;
  /** Shown this once. */
  token: string;
}

export interface KeyLookupOptions {
  keys: Pick<KeysRepository, 'findByHash'>;
  now(): number;
}

export function createKeyLookup({ keys, now }: KeyLookupOptions): (token: string) => Promise<Caller | null> {
  const known = new LRUCache<string, { caller: Caller; until: number }>({ max: REMEMBERED_MAX });
  return async (token) => {
    const remembered = known.get(token);
    if (remembered && remembered.until > now()) return remembered.caller;
    if (kindOf(token) === null) return null;
    const record = await keys.findByHash(hashOf(token));
    if (!record || !isActive(record, now())) {
      known.delete(token);
      return null;
    }
    const caller = { keyId: record.id, organizationId: record.organizationId, kind: record.kind };
    const expiresAt = record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    known.set(token, { caller, until: Math.min(now() + REMEMBERED_MS, expiresAt) });
    return caller;
  };
}

export function isActive({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > now);
}

export interface KeyIssuer {
  issue(request: { organizationId: string; kind: KeyKind; expiresAt: Date | null }): Promise<IssuedKey>;
  /** A new key in place of the old one, which goes on for the overlap. */
  rotate(id: string, overlapMs: number): Promise<IssuedKey>;
}

export function createKeyIssuer(keys: KeysRepository, now: () => number): KeyIssuer {
  const issuer: KeyIssuer = {
    async issue({ organizationId, kind, expiresAt }) {
      const token = keyOf(kind, randomBytes(RANDOM_BYTES));
      const key = { organizationId, kind, hash: hashOf(token), display: displayOf(kind, token), expiresAt };
      return { id: await keys.insert(key), token };
    },
    async rotate(id, overlapMs) {
      const old = await keys.find(id);
      if (!old || !isActive(old, now())) throw notFound('No active key has this id');
      const fresh = await issuer.issue({ ...old, expiresAt: old.expiresAt });
      await keys.expireAt(id, new Date(now() + overlapMs));
      return fresh;
    },
  };
  return issuer;
}
