/**
 * Finds the caller of a key. Made-up keys must not cost the database a statement each, so results are cached
 * for some seconds, also for keys that do not exist; concurrent callers share the look-up of a key; and all
 * waiting keys go into one statement. For these seconds, a revoked key still works, and a new one may be
 * refused.
 *
 * Unknown keys of suspects, which are addresses with too many failed keys, are looked up at most ten times a
 * second in total. They are not refused outright, because an address may belong to a whole network: its
 * working keys are known, and its new ones wait a moment.
 *
 * Look-ups also record when keys were last used, so that an old one can be revoked without a guess. A key is written once
 * an hour at most: each look-up reads the time that any process has written. Keys that are used during a write share the
 * next one, and no request waits for either. A lost write is made up for by the next look-up.
 */
import { createGroupCommit, type GroupCommitObserver, type GroupCommitOptions } from '../db/group-commit.ts';
import type { Caller } from '../http/route.ts';
import { createBoundedCache } from '../process/bounded-cache.ts';
import { HOUR_MS } from '../process/durations.ts';
import { rateLimited, unavailable } from '../process/errors.ts';
import { hashKey, isActive, parseKeyKind, toKeyName } from './api-key.ts';
import type { KeyRecord, KeysRepository } from './keys.repository.ts';

type FindCaller = (token: string, sender: { isSuspect: boolean }) => Promise<Caller | null>;

interface KeyLookupDeps {
  keys: Pick<KeysRepository, 'findByHashes'>;
  /** Called for each look-up of a working key, which is once in some seconds while it is used. */
  recordUse(key: KeyRecord): void;
  /** Unix milliseconds; decides whether a key has expired. */
  now(): number;
  /** Never adjusted; times the cache, so that a database clock that is set back prolongs no result. */
  monotonicMs(): number;
  observer?: GroupCommitObserver;
}

interface Known {
  caller: Caller;
  /** Unix milliseconds; Infinity: never. */
  expiresAtMs: number;
  /** By the monotonic clock, like the expiry of unknown keys. */
  until: number;
}

const CACHED_MS = 3_000;
/** Each device may have a token of its own. */
const KNOWN_MAX = 100_000;
const UNKNOWN_MAX = 10_000;
const BATCH_MAX = 500;
const WAITING_MAX = 10_000;
const SUSPECTS_INTERVAL_MS = 100;

export function createKeyLookup({ keys, recordUse, now, monotonicMs, observer }: KeyLookupDeps): FindCaller {
  /** An expired entry is looked up again, and still marks its key as one that has worked. */
  const known = createBoundedCache<string, Known>(KNOWN_MAX);
  /** Expiry by token. Separate from working keys, so that made-up keys do not displace them. */
  const unknown = createBoundedCache<string, number>(UNKNOWN_MAX);
  const underWay = new Map<string, Promise<Caller | null>>();
  const commit = (tokens: string[]) => keys.findByHashes(tokens.map(hashKey));
  const lookUps = createLookUps(commit, { ...LIMITS, observer });
  const lookUpsOfSuspects = createLookUps(commit, LIMITS_OF_SUSPECTS);

  function settle(token: string, record: KeyRecord | null): Caller | null {
    const until = monotonicMs() + CACHED_MS;
    if (!record || record.isForbidden || !isActive(record, now())) {
      known.delete(token);
      unknown.set(token, until);
      return null;
    }
    recordUse(record);
    const { id: keyId, organizationId, kind, role, serialKey, expiresAt } = record;
    const caller = { keyId, keyName: toKeyName(record), organizationId, kind, role, serialKey };
    known.set(token, { caller, expiresAtMs: expiresAt?.getTime() ?? Infinity, until });
    return caller;
  }

  async function lookUp(token: string, isSuspect: boolean): Promise<Caller | null> {
    try {
      const record = await (isSuspect ? lookUpsOfSuspects : lookUps).submit(token);
      return settle(token, record);
    } finally {
      underWay.delete(token);
    }
  }

  return async (token, { isSuspect }) => {
    const found = known.get(token);
    if (found && found.until > monotonicMs() && found.expiresAtMs > now()) return found.caller;
    if ((unknown.get(token) ?? 0) > monotonicMs() || parseKeyKind(token) === null) return null;
    const pending = underWay.get(token) ?? lookUp(token, isSuspect && !found);
    underWay.set(token, pending);
    return pending;
  };
}

type LookUps = GroupCommitOptions<string, KeyRecord | null>;

/** One object for all refusals, because each new error would cost a stack trace in a flood. */
const TOO_MANY_UNKNOWN = rateLimited('Too many unknown API keys at present: try again in 1 s', 1);

const LIMITS: Pick<LookUps, 'maxWaiting' | 'overloaded'> = {
  maxWaiting: WAITING_MAX,
  overloaded: () => unavailable('Too many API keys wait to be looked up', 1),
};

const LIMITS_OF_SUSPECTS: Pick<LookUps, 'intervalMs' | 'maxWaiting' | 'overloaded'> = {
  intervalMs: SUSPECTS_INTERVAL_MS,
  maxWaiting: BATCH_MAX,
  overloaded: () => TOO_MANY_UNKNOWN,
};

const createLookUps = (commit: LookUps['commit'], limits: Partial<LookUps>) =>
  createGroupCommit({ commit, maxItems: BATCH_MAX, concurrency: 1, ...limits });

interface KeyUsesDeps {
  keys: Pick<KeysRepository, 'markUsed'>;
  /** Unix milliseconds. */
  now(): number;
  onFault(error: unknown): void;
}

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
