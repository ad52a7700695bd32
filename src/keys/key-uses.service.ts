/**
 * Records when keys were last used, so that an old one can be revoked without a guess. A key is written once an hour at
 * most: the look-up of a key, which happens every few seconds while it is used, reads the time that any process has
 * written. Keys that are used during a write share the next one, and no request waits for either. A lost write is made up for
 * by the next look-up.
 */
import { createGroupCommit } from '../db/group-commit.ts';
import { HOUR_MS } from '../process/durations.ts';
import type { KeyRecord, KeysRepository } from './keys.repository.ts';

interface KeyUsesDeps {
  keys: Pick<KeysRepository, 'markUsed'>;
  /** Unix milliseconds. */
  now(): number;
  onFault(error: unknown): void;
}

const BATCH_MAX = 500;

export function createKeyUses({ keys, now, onFault }: KeyUsesDeps): (key: KeyRecord) => void {
  const waiting = new Set<string>();
  const writes = createGroupCommit<string, boolean>({
    async commit(ids) {
      const at = now();
      await keys.markUsed(ids, { at: new Date(at), notSince: new Date(at - HOUR_MS) }).catch(onFault);
      return ids.map((id) => waiting.delete(id));
    },
    maxItems: BATCH_MAX,
    concurrency: 1,
  });

  return ({ id, serialKey, lastUsedAt }) => {
    const isRecent = lastUsedAt !== null && now() - lastUsedAt.getTime() < HOUR_MS;
    // A fleet may have a million tokens of single devices, whose last contacts are known anyway.
    if (isRecent || serialKey !== null || waiting.has(id)) return;
    waiting.add(id);
    void writes.submit(id);
  };
}
