/** Issues keys, and finds the caller of a key. Found keys are cached, so a revoked one works for a few seconds more. */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller, KeyKind } from '../http/route.ts';
import { notFound } from '../process/errors.ts';
import { formatKey, hashKey, parseKeyKind, RANDOM_BYTES, toTokenPreview } from './api-key.ts';
import type { KeyRecord, KeysRepository } from './keys.repository.ts';

const CACHED_MS = 3_000;
const CACHED_MAX = 10_000;

export interface IssuedKey {
  id: string;
  /** Never shown again. */
  token: string;
}

export interface KeyLookupOptions {
  keys: Pick<KeysRepository, 'findByHash'>;
  now(): number;
}

export function createKeyLookup({ keys, now }: KeyLookupOptions): (token: string) => Promise<Caller | null> {
  const cache = new LRUCache<string, { caller: Caller; until: number }>({ max: CACHED_MAX });
  return async (token) => {
    const cached = cache.get(token);
    if (cached && cached.until > now()) return cached.caller;
    if (parseKeyKind(token) === null) return null;
    const record = await keys.findByHash(hashKey(token));
    if (!record || !isActive(record, now())) {
      cache.delete(token);
      return null;
    }
    const caller = { keyId: record.id, organizationId: record.organizationId, kind: record.kind };
    const expiresAt = record.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    cache.set(token, { caller, until: Math.min(now() + CACHED_MS, expiresAt) });
    return caller;
  };
}

export function isActive({ revokedAt, expiresAt }: KeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > now);
}

export interface KeyIssuer {
  issue(request: { organizationId: string; kind: KeyKind; expiresAt: Date | null }): Promise<IssuedKey>;
  /** Issues a key in place of another, which stays valid for the overlap. */
  rotate(id: string, overlapMs: number): Promise<IssuedKey>;
}

export function createKeyIssuer(keys: KeysRepository, now: () => number): KeyIssuer {
  const issuer: KeyIssuer = {
    async issue({ organizationId, kind, expiresAt }) {
      const token = formatKey(kind, randomBytes(RANDOM_BYTES));
      const tokenPreview = toTokenPreview(kind, token);
      const id = await keys.insert({ organizationId, kind, hash: hashKey(token), tokenPreview, expiresAt });
      return { id, token };
    },
    async rotate(id, overlapMs) {
      const present = await keys.find(id);
      if (!present || !isActive(present, now())) throw notFound('No active key has this id');
      const issued = await issuer.issue(present);
      await keys.expireAt(id, new Date(now() + overlapMs));
      return issued;
    },
  };
  return issuer;
}
