/** When the last attempts of endpoints are written. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { countAttempt } from '../../src/endpoints/endpoint.ts';
import type { LastAttempt } from '../../src/endpoints/endpoint-health.repository.ts';
import {
  createEndpointHealthService,
  createLastAttempts,
} from '../../src/endpoints/endpoint-health.service.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import type { Log } from '../../src/process/log.ts';

const AT_ONCE_MS = 200;
const BUSY_MS = 2_000;

describe('The last attempts of endpoints', () => {
  const endpoint = { organizationId: randomUUID(), endpointId: randomUUID(), url: 'https://example.com/' };
  const attempt = (
    second: number,
    status: LastAttempt['status'] = 'delivered',
    of = endpoint,
  ): LastAttempt => ({
    ...of,
    attemptedAt: new Date(second * 1_000),
    status,
    statusCode: null,
    error: null,
    counts: countAttempt(status, second),
  });

  /** A write ends when the test ends it. */
  function start() {
    const written: LastAttempt[][] = [];
    const ends: Array<(error?: Error) => void> = [];
    const warnings: unknown[] = [];
    const lastAttempts = createLastAttempts({
      recordLastAttempts: (attempts) => {
        if (attempts.length === 0) return Promise.resolve();
        written.push(attempts);
        return new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
      },
      log: { warn: (fields: unknown) => warnings.push(fields) } as unknown as Log,
    });
    const endOne = async (error?: Error) => {
      ends.shift()?.(error);
      await settled();
    };
    const pass = async (ms: number) => {
      mock.timers.tick(ms);
      await settled();
    };
    return { ...lastAttempts, written, warnings, endOne, pass, times: () => written.map(secondsOf) };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const secondsOf = (attempts: LastAttempt[]) =>
    attempts.map(({ attemptedAt }) => attemptedAt.getTime() / 1_000);

  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('writes the first attempt soon, and those of a busy endpoint every other second, each with all counts', async () => {
    const { add, written, endOne, pass, times } = start();
    add(attempt(1));
    await pass(AT_ONCE_MS - 1);
    assert.deepEqual(times(), []);
    await pass(1);
    await endOne();
    for (const second of [2, 3, 4]) {
      add(attempt(second));
      await pass(BUSY_MS / 4);
    }
    assert.deepEqual(times(), [[1]]);
    await pass(BUSY_MS / 4);
    assert.deepEqual(times(), [[1], [4]]);
    assert.equal(written[1]?.[0]?.counts.delivered, 3);
  });

  it('writes the attempt that began last, also where an earlier one ends after it', async () => {
    const { add, pass, times } = start();
    add(attempt(2));
    add(attempt(1));
    await pass(AT_ONCE_MS);
    assert.deepEqual(times(), [[2]]);
  });

  it('writes an attempt soon again after a pause', async () => {
    const { add, endOne, pass, times } = start();
    add(attempt(1));
    await pass(AT_ONCE_MS);
    await endOne();
    await pass(BUSY_MS);
    add(attempt(2));
    await pass(AT_ONCE_MS);
    assert.deepEqual(times(), [[1], [2]]);
  });

  it('writes a success before a failure of its endpoint that follows, and leaves others to their time', async () => {
    const { add, record, endOne, pass, times } = start();
    add(attempt(1));
    await pass(AT_ONCE_MS);
    add(attempt(2));
    add(attempt(3, 'delivered', { ...endpoint, endpointId: randomUUID() }));
    const recorded = record(attempt(4, 'retrying'));
    await settled();
    assert.deepEqual(times(), [[1]], 'the write before has not ended');
    await endOne();
    assert.deepEqual(times(), [[1], [2]]);
    await endOne();
    assert.deepEqual(times(), [[1], [2], [4]]);
    await endOne();
    await recorded;
    await pass(BUSY_MS);
    assert.deepEqual(times(), [[1], [2], [4], [3]]);
  });

  it('writes blocked attempts together, but those of another outcome or URL apart and before the next one is judged', async () => {
    const { add, record, endOne, pass, written } = start();
    let looks = 0;
    const { update } = createEndpointHealthService({
      endpoints: {
        async findActiveState() {
          looks++;
          return { breaker: 'closed', failingSince: null, recoveredAt: null };
        },
      },
      breakers: { open: () => assert.fail('opened'), disable: () => assert.fail('disabled') },
      lastAttempts: { add, record },
      probePlan: { firstMs: 0, share: 0, maxMs: 0 },
      disableAfterMs: HOUR_MS,
      now: () => new Date(),
      notifyRecovery: () => assert.fail('nothing is to recover'),
      log: {} as Log,
    });
    const end = async (second: number, verdict: 'delivered' | 'blocked', of = endpoint) => {
      void update(attempt(second, verdict, of), { verdict, retryAfterMs: null, nextAttemptAt: null });
      await settled();
    };
    const shown = () =>
      written.map((each) =>
        each.map(({ url, status, attemptedAt, counts }) => [
          url,
          status,
          attemptedAt.getTime() / 1_000,
          counts.failed,
        ]),
      );
    await end(1, 'blocked');
    await end(2, 'blocked');
    assert.deepEqual([written.length, looks], [0, 2]);
    const changed = { ...endpoint, url: 'https://example.com/changed' };
    await end(3, 'blocked', changed);
    assert.deepEqual(shown(), [[[endpoint.url, 'blocked', 2, 2]]]);
    await endOne();
    await endOne();
    await end(4, 'delivered', changed);
    looks = 0;
    await end(5, 'blocked', changed);
    await end(6, 'blocked', changed);
    assert.equal(looks, 0, 'the success of second 4 is not written yet');
    await endOne();
    await endOne();
    await pass(AT_ONCE_MS);
    assert.deepEqual(shown().slice(1), [
      [[changed.url, 'blocked', 3, 1]],
      [[changed.url, 'delivered', 4, 0]],
      [[changed.url, 'blocked', 5, 1]],
      [[changed.url, 'blocked', 6, 1]],
    ]);
    assert.equal(looks, 2);
  });

  it('writes what is left when it stops, after a write that failed', async () => {
    const { add, flush, warnings, endOne, pass, times } = start();
    add(attempt(1));
    await pass(AT_ONCE_MS);
    add(attempt(2));
    const flushed = flush();
    await endOne(new Error('the database is away'));
    assert.equal(warnings.length, 1);
    await endOne();
    await flushed;
    assert.deepEqual(times(), [[1], [2]]);
  });
});
