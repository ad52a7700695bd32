/** The rules of deliveries, without any of the machinery. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { firstIdAt } from '../../src/db/partitions.ts';
import { nextAttempt, parseRetryAfter, SCHEDULE_MS, toVerdict } from '../../src/deliveries/delivery.ts';
import { parseNotification } from '../../src/deliveries/delivery-notifications.repository.ts';
import { nextStep, type RecoveryState } from '../../src/deliveries/endpoint-recovery.ts';
import { createKeyedSemaphore } from '../../src/deliveries/keyed-semaphore.ts';
import {
  type EndpointHealth,
  HEALTHY,
  nextPace,
  opensBreaker,
  PROBE_PLAN,
  probeWaitMs,
  withAttempt,
} from '../../src/endpoints/endpoint-health.ts';

const DAY_MS = 86_400_000;
const share = () => fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const step = () => fc.integer({ min: 0, max: SCHEDULE_MS.length - 1 });

describe('The next attempt', () => {
  it('comes when the schedule says, give or take a fifth', () => {
    fc.assert(
      fc.property(step(), share(), (made, random) => {
        const { state, waitMs } = nextAttempt(made, null, SCHEDULE_MS, () => random);
        const planned = SCHEDULE_MS[made] as number;
        assert.equal(state, 'retrying');
        assert.ok(waitMs >= planned * 0.8 && waitMs <= planned * 1.2);
      }),
    );
  });

  it('takes Retry-After as a lower bound, with jitter only upwards; a shorter one shortens nothing', () => {
    fc.assert(
      fc.property(step(), fc.integer({ min: 0, max: 2 * DAY_MS }), share(), (made, askedMs, random) => {
        const { waitMs } = nextAttempt(made, askedMs, SCHEDULE_MS, () => random);
        const bound = Math.min(askedMs, DAY_MS);
        const planned = nextAttempt(made, null, SCHEDULE_MS, () => random).waitMs;
        assert.ok(waitMs >= bound && waitMs >= planned);
        assert.ok(waitMs <= Math.max(bound * 1.2, planned));
      }),
    );
  });

  it('is made until three days are over, however the jitter falls', () => {
    const spread = fc.array(share(), { minLength: SCHEDULE_MS.length, maxLength: SCHEDULE_MS.length });
    fc.assert(
      fc.property(fc.oneof(spread, fc.constant(SCHEDULE_MS.map(() => 0))), (draws) => {
        const waits = draws.map((random, made) => nextAttempt(made, null, SCHEDULE_MS, () => random).waitMs);
        assert.ok(waits.reduce((sum, ms) => sum + ms) >= 3 * DAY_MS);
      }),
    );
  });

  it('is none after the last one', () => {
    assert.equal(nextAttempt(SCHEDULE_MS.length, null, SCHEDULE_MS, Math.random).state, 'failed');
    assert.equal(nextAttempt(SCHEDULE_MS.length, 5_000, SCHEDULE_MS, Math.random).state, 'failed');
  });

  it('has the ten waits of the contract, about 75 hours in all', () => {
    const [s, m, h] = [1_000, 60_000, 3_600_000];
    assert.deepEqual(SCHEDULE_MS, [0, 5 * s, 5 * m, 30 * m, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h]);
    assert.equal(Math.round(SCHEDULE_MS.reduce((sum, ms) => sum + ms) / h), 76);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-03-02T08:00:00.000Z');

  it('is read as seconds, up to a day', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), (seconds) => {
        assert.equal(parseRetryAfter(String(seconds), now), Math.min(seconds * 1_000, DAY_MS));
      }),
    );
  });

  it('is read as a date, up to a day ahead; what is over asks for nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), (seconds) => {
        const date = new Date(now.getTime() + seconds * 1_000).toUTCString();
        assert.equal(parseRetryAfter(date, now), seconds <= 0 ? null : Math.min(seconds * 1_000, DAY_MS));
      }),
    );
  });

  it('asks for nothing when there is none, or no sense in it', () => {
    for (const text of [undefined, '', 'soon', 'NaN', '12 parsecs'])
      assert.equal(parseRetryAfter(text, now), null);
  });
});

describe('A status code', () => {
  it('means delivered, gone, slow down, or try again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), (status) => {
        const verdict = toVerdict(status);
        if (status >= 200 && status <= 299) assert.equal(verdict, 'delivered');
        else if (status === 410) assert.equal(verdict, 'gone');
        else assert.equal(verdict, [429, 502, 503, 504].includes(status) ? 'throttled' : 'retry');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('The breaker', () => {
  const healthAfter = (verdicts: Array<'delivered' | 'retry'>, everyMs = 100): EndpointHealth =>
    verdicts.reduce((health, verdict, index) => withAttempt(health, { verdict }, index * everyMs), HEALTHY);
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

  it('opens after five failures in a row, and not after four', () => {
    assert.equal(opensBreaker(healthAfter(times(4, 'retry')), 'retry'), false);
    assert.equal(opensBreaker(healthAfter(times(5, 'retry')), 'retry'), true);
    const interrupted = [...times(4, 'retry' as const), 'delivered' as const, ...times(4, 'retry' as const)];
    assert.equal(opensBreaker(healthAfter(interrupted), 'retry'), false);
  });

  it('opens when half of at least twenty within a minute failed', () => {
    const alternating = (count: number) =>
      Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'delivered' : ('retry' as const)));
    assert.equal(opensBreaker(healthAfter(alternating(18)), 'retry'), false);
    assert.equal(opensBreaker(healthAfter(alternating(20)), 'retry'), true);
    assert.equal(opensBreaker(healthAfter(alternating(20), 10_000), 'retry'), false, 'in more than a minute');
    const third = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 2 ? 'retry' : ('delivered' as const),
    );
    assert.equal(opensBreaker(healthAfter(third), 'retry'), false);
  });

  it('opens at once when the receiver says that it is too much', () => {
    assert.equal(opensBreaker(withAttempt(HEALTHY, { verdict: 'throttled' }, 0), 'throttled'), true);
  });

  it('judges by the attempts of the last minute alone, whatever came before', () => {
    const verdict = () => fc.constantFrom('delivered' as const, 'retry' as const);
    fc.assert(
      fc.property(
        fc.array(verdict(), { maxLength: 200 }),
        fc.array(verdict(), { maxLength: 40 }),
        (old, recent) => {
          const begin = healthAfter([...old, 'delivered'], 50);
          const later = recent.reduce(
            (health, each, index) => withAttempt(health, { verdict: each }, 1_000_000 + index),
            begin,
          );
          const fresh = recent.reduce(
            (health, each, index) => withAttempt(health, { verdict: each }, index),
            HEALTHY,
          );
          assert.equal(opensBreaker(later, 'retry'), opensBreaker(fresh, 'retry'));
        },
      ),
    );
  });
});

describe('The wait for a probe', () => {
  it('is a tenth of the outage, between five seconds and five minutes, and never less than asked for', () => {
    fc.assert(
      fc.property(
        fc.nat(80 * 3_600_000),
        fc.option(fc.nat(DAY_MS), { nil: null }),
        (failingForMs, askedMs) => {
          const waitMs = probeWaitMs(failingForMs, askedMs, PROBE_PLAN);
          assert.ok(waitMs >= (askedMs ?? 0));
          assert.ok(waitMs >= 5_000);
          if ((askedMs ?? 0) <= 5_000)
            assert.ok(waitMs <= 300_000 && waitMs <= Math.max(5_000, failingForMs / 10) + 1);
        },
      ),
    );
  });
});

describe('The pace of a drain', () => {
  it('doubles up to the limit', () => {
    const paces = [1];
    while (paces.length < 8) paces.push(nextPace(paces.at(-1) as number, 50));
    assert.deepEqual(paces, [1, 2, 4, 8, 16, 32, 50, 50]);
  });
});

describe('The next step of an endpoint recovery', () => {
  const now = new Date('2026-03-02T08:00:00.000Z');
  const in5s = new Date(now.getTime() + 5_000);
  const healthy: RecoveryState = {
    status: 'active',
    breaker: 'closed',
    nextProbeAt: null,
    pending: 0,
    retrying: 0,
    immediate: 0,
    nextRetryAt: null,
  };
  const stepOf = (more: Partial<RecoveryState>) => nextStep({ ...healthy, ...more }, now);
  const wait = (what: string) => ({ kind: 'wait', until: in5s.toISOString(), waitMs: 5_000, for: what });

  it('is the end when the endpoint is healthy or disabled', () => {
    assert.deepEqual(stepOf({}), { kind: 'end' });
    assert.deepEqual(stepOf({ pending: 9 }), { kind: 'end' }, 'the dispatcher sends new deliveries');
    assert.deepEqual(stepOf({ status: 'disabled', breaker: 'open', retrying: 3, immediate: 1 }), {
      kind: 'end',
    });
  });

  it('is a retry when one is due, else a wait for it', () => {
    assert.deepEqual(stepOf({ retrying: 1, nextRetryAt: now }), { kind: 'retry' });
    assert.deepEqual(stepOf({ retrying: 1, nextRetryAt: in5s }), wait('retry'));
  });

  it('is a probe at its time, and nothing else, while the breaker is open', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), fc.boolean(), (pending, retrying, isDue) => {
        const nextProbeAt = isDue ? now : in5s;
        const next = stepOf({ breaker: 'open', nextProbeAt, pending, retrying, nextRetryAt: now });
        const what = pending + retrying > 0 ? 'probe' : 'close';
        assert.deepEqual(next, isDue ? { kind: what } : wait(what));
      }),
    );
  });

  it('is the drain when the receiver is back', () => {
    assert.deepEqual(stepOf({ breaker: 'draining', pending: 5 }), { kind: 'drain' });
  });

  it('is an immediate retry before anything else', () => {
    for (const breaker of ['closed', 'open', 'draining'] as const) {
      assert.deepEqual(stepOf({ breaker, immediate: 1, retrying: 1, nextProbeAt: in5s }), {
        kind: 'immediate',
      });
    }
  });
});

describe('KeyedSemaphore', () => {
  it('are never more than the cap for a key, go in turn, and one key never waits for another', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (keys, cap) => {
          const places = createKeyedSemaphore(cap);
          const inside: Record<string, number> = { a: 0, b: 0, c: 0 };
          const order: Record<string, number[]> = { a: [], b: [], c: [] };
          await Promise.allSettled(
            keys.map((key, index) =>
              places.run(key, async () => {
                inside[key] = (inside[key] as number) + 1;
                assert.ok((inside[key] as number) <= cap);
                order[key]?.push(index);
                await Promise.resolve();
                inside[key] = (inside[key] as number) - 1;
                if (index % 7 === 0) throw new Error('a fault frees the place too');
              }),
            ),
          );
          for (const key of ['a', 'b', 'c']) {
            assert.deepEqual(
              order[key],
              keys.flatMap((each, index) => (each === key ? [index] : [])),
            );
          }
        },
      ),
    );
  });
});

describe('A notice', () => {
  it('says what happened to which endpoints', () => {
    const a = { organizationId: 'o', endpointId: 'a' };
    const b = { organizationId: 'p', endpointId: 'b' };
    assert.deepEqual(parseNotification('o:a,p:b'), { kind: 'queued', endpoints: [a, b] });
    assert.deepEqual(parseNotification('changed o:a'), { kind: 'changed', endpoints: [a] });
  });
});

describe('The first id of a moment', () => {
  it('is a UUID that sorts as the moments do', () => {
    const moment = () => fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moment(), moment(), (one, other) => {
        assert.match(firstIdAt(one), /^[0-9a-f]{8}-[0-9a-f]{4}-0000-0000-000000000000$/);
        assert.equal(firstIdAt(one) < firstIdAt(other), one < other);
      }),
    );
  });
});
