/** The cost of the time of the last use: the tests count writes and set the clock. */
import assert from 'node:assert/strict';
import { createKeyUses } from '../../src/keys/key-lookup.service.ts';
import type { KeyRecord } from '../../src/keys/keys.repository.ts';

const HOUR_MS = 3_600_000;
const KEY: KeyRecord = {
  id: 'key',
  organizationId: 'organization',
  organizationName: 'Organization',
  name: null,
  kind: 'customer',
  role: 'read',
  serialKey: null,
  isForbidden: false,
  tokenPreview: '',
  createdAt: new Date(0),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};

/** Everything that is due in this turn of the event loop has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Recording uses of keys', () => {
  let nowMs: number;
  /** The ids of each write. */
  let writes: string[][];
  let faults: unknown[];
  let write: () => Promise<void>;
  let recordUse: ReturnType<typeof createKeyUses>;

  beforeEach(() => {
    nowMs = 1_000 * HOUR_MS;
    writes = [];
    faults = [];
    write = async () => {};
    recordUse = createKeyUses({
      keys: {
        async markUsed(ids) {
          writes.push(ids);
          await write();
        },
      },
      now: () => nowMs,
      onFault: (error) => faults.push(error),
    });
  });

  it('writes nothing within an hour of the stored use, also when the clock has gone back', async () => {
    for (const agoMs of [0, HOUR_MS - 1, -HOUR_MS])
      recordUse({ ...KEY, lastUsedAt: new Date(nowMs - agoMs) });
    await settled();
    assert.deepEqual(writes, []);
    recordUse({ ...KEY, lastUsedAt: new Date(nowMs - HOUR_MS) });
    await settled();
    assert.deepEqual(writes, [['key']]);
  });

  it('writes nothing for tokens of single devices', async () => {
    recordUse({ ...KEY, serialKey: 'logger-1' });
    await settled();
    assert.deepEqual(writes, []);
  });

  it('takes one write for all keys that are used during another one, each once', async () => {
    let end = () => {};
    write = () => new Promise((resolve) => (end = resolve));
    recordUse({ ...KEY, id: 'first' });
    await settled();
    for (let round = 0; round < 3; round++)
      for (const id of ['first', 'second', 'third']) recordUse({ ...KEY, id });
    end();
    await settled();
    await settled();
    assert.deepEqual(writes, [['first'], ['second', 'third']]);
  });

  it('writes again after a write that failed, which is reported once', async () => {
    const away = new Error('away');
    write = () => Promise.reject(away);
    for (const id of ['first', 'second']) recordUse({ ...KEY, id });
    await settled();
    await settled();
    assert.deepEqual(faults, [away]);
    recordUse({ ...KEY, id: 'first' });
    await settled();
    assert.deepEqual(writes, [['first', 'second'], ['first']]);
  });
});
