/** Issues and rotates keys. */
import { randomBytes } from 'node:crypto';
import type { KeyKind } from '../http/route.ts';
import { notFound } from '../process/errors.ts';
import { formatKey, hashKey, isActive, RANDOM_BYTES, toTokenPreview } from './api-key.ts';
import type { KeysRepository } from './keys.repository.ts';

export interface IssuedKey {
  id: string;
  /** Never shown again. */
  token: string;
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
