/** The database cost of looking up keys: the tests count statements and set the clock. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { formatKey, hashKey } from '../../src/keys/api-key.ts';
import { createKeyLookup } from '../../src/keys/key-lookup.service.ts';
import type { KeyRecord } from '../../src/keys/keys.repository.ts';
import { HOUR_MS } from '../../src/process/durations.ts';

const newToken = () => formatKey('device', randomBytes(32));
const newTokens = (count: number) => Array.from({ length: count }, newToken);
const TRUSTED = { isSuspect: false };
const SUSPECT = { isSuspect: true };

describe('Looking up keys', () => {
  /** The clock of the database. */
  let nowMs: number;
  let monotonicMs: number;
  let stored: Map<string, KeyRecord>;
  /** The number of keys in each statement. */
  let statements: number[];
  /** Ids of the keys whose use was recorded. */
  let used: string[];
  let fault: Error | null;
  let findCaller: ReturnType<typeof createKeyLookup>;

  beforeEach(() => {
    nowMs = 1_000_000;
    monotonicMs = 0;
    stored = new Map();
    statements = [];
    used = [];
    fault = null;
    findCaller = createKeyLookup({
      keys: { findByHashes },
      recordUse: ({ id }) => used.push(id),
      now: () => nowMs,
      monotonicMs: () => monotonicMs,
    });
  });

  function pass(ms: number): void {
    nowMs += ms;
    monotonicMs += ms;
  }

  async function findByHashes(hashes: Buffer[]): Promise<Array<KeyRecord | null>> {
    statements.push(hashes.length);
    await new Promise((resolve) => setTimeout(resolve, 2));
    if (fault) throw fault;
    return hashes.map((hash) => stored.get(hash.toString('hex')) ?? null);
  }

  function store(token: string, more: Partial<KeyRecord> = {}): string {
    const record: KeyRecord = {
      id: `id of ${token}`,
      organizationId: 'organization',
      organizationName: 'Organization',
      name: null,
      kind: 'device',
      role: null,
      serialKey: null,
      isForbidden: false,
      tokenPreview: '',
      createdAt: new Date(0),
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      ...more,
    };
    stored.set(hashKey(token).toString('hex'), record);
    return token;
  }

  const find = async (token: string, sender = TRUSTED) => (await findCaller(token, sender))?.keyId ?? null;

  it('takes one statement for all waiting keys', async () => {
    const tokens = newTokens(1_200).map((token) => store(token));
    const found = await Promise.all(tokens.map((token) => find(token)));
    assert.deepEqual(
      found,
      tokens.map((token) => `id of ${token}`),
    );
    assert.deepEqual(statements, [500, 500, 200]);
  });

  it('takes one statement for concurrent callers with the same key, and none for the next seconds', async () => {
    const token = store(newToken());
    await Promise.all(Array.from({ length: 100 }, () => find(token)));
    await find(token);
    pass(2_999);
    await find(token);
    assert.deepEqual(statements, [1]);
    pass(1);
    assert.equal(await find(token), `id of ${token}`);
    assert.deepEqual(statements, [1, 1]);
  });

  it('takes no statement for a malformed key', async () => {
    assert.equal(await find(`${newToken().slice(0, -1)}_`), null);
    assert.deepEqual(statements, []);
  });

  it('takes one statement in 3 s for an unknown key, and then finds it if it was created meanwhile', async () => {
    const token = newToken();
    for (let time = 0; time < 50; time++) assert.equal(await find(token), null);
    assert.deepEqual(statements, [1]);
    store(token);
    pass(3_000);
    assert.equal(await find(token), `id of ${token}`);
  });

  it('refuses a revoked key and an expired one 3 s later at most', async () => {
    const [revoked, expiring] = [
      store(newToken()),
      store(newToken(), { expiresAt: new Date(nowMs + 1_000) }),
    ];
    assert.ok((await find(revoked)) && (await find(expiring)));
    store(revoked, { revokedAt: new Date(nowMs) });
    pass(1_000);
    assert.equal(await find(expiring), null);
    pass(2_000);
    assert.equal(await find(revoked), null);
  });

  it('refuses a revoked key and finds a new one 3 s later, also when the clock of the database was set back', async () => {
    const [revoked, created] = [store(newToken()), newToken()];
    await Promise.all([find(revoked), find(created)]);
    store(revoked, { revokedAt: new Date(nowMs) });
    store(created);
    nowMs -= HOUR_MS;
    pass(3_000);
    assert.deepEqual(await Promise.all([find(revoked), find(created)]), [null, `id of ${created}`]);
  });

  it('records a use with each look-up of a working key, and none for wrong, revoked or expired ones', async () => {
    const working = store(newToken());
    const others = [
      newToken(),
      store(newToken(), { revokedAt: new Date(nowMs) }),
      store(newToken(), { expiresAt: new Date(nowMs) }),
      store(newToken(), { isForbidden: true }),
    ];
    for (const token of [working, working, ...others]) await find(token);
    assert.deepEqual(used, [`id of ${working}`]);
    pass(3_000);
    await find(working);
    assert.equal(used.length, 2);
  });

  it('keeps working keys however many made-up ones are sent', async () => {
    const working = store(newToken());
    await find(working);
    await Promise.all(newTokens(6_000).map((token) => find(token)));
    await Promise.all(newTokens(6_000).map((token) => find(token)));
    statements = [];
    assert.equal(await find(working), `id of ${working}`);
    assert.deepEqual(statements, []);
  });

  it('reports a fault of the database to every waiting caller, and caches nothing', async () => {
    const token = store(newToken());
    fault = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const results = await Promise.allSettled([find(token), find(token)]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    fault = null;
    assert.equal(await find(token), `id of ${token}`);
  });

  it('refuses keys as unavailable with Retry-After while 10,000 wait', async () => {
    const results = await Promise.allSettled(newTokens(10_001).map((token) => find(token)));
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(refused.length, 1);
    assert.deepEqual(
      [refused[0]?.reason.kind, refused[0]?.reason.headers],
      ['unavailable', { 'Retry-After': '1' }],
    );
  });

  describe('for a suspect', () => {
    it('takes one statement in 100 ms for unknown keys of all suspects', async () => {
      const startedAt = performance.now();
      const sent: Array<Promise<string | null>> = [];
      for (let round = 0; round < 30; round++) {
        sent.push(...newTokens(10).map((token) => find(token, SUSPECT)));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await Promise.all(sent);
      const most = Math.ceil((performance.now() - startedAt) / 100);
      assert.ok(statements.length <= most, `${statements.length} statements, at most ${most}`);
    });

    it('refuses unknown keys as rate_limited while 500 wait, without a statement', async () => {
      const results = await Promise.allSettled(newTokens(5_000).map((token) => find(token, SUSPECT)));
      const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
      assert.equal(refused.length, 4_500);
      assert.ok(refused.every(({ reason }) => reason.kind === 'rate_limited'));
      assert.deepEqual(statements, [500]);
    });

    it('finds a new key of the same address', async () => {
      const token = store(newToken());
      assert.equal(await find(token, SUSPECT), `id of ${token}`);
    });

    it('looks up a key that has worked at once, even when unknown ones fill the queue', async () => {
      const working = store(newToken());
      await find(working);
      pass(60_000);
      const flood = Promise.allSettled(newTokens(600).map((token) => find(token, SUSPECT)));
      statements = [];
      assert.equal(await find(working, SUSPECT), `id of ${working}`);
      assert.ok(statements.includes(1), 'in a statement of its own');
      await flood;
    });
  });
});
