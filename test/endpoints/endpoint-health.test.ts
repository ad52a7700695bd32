/** When the breaker of an endpoint opens, and when the endpoint is probed and drained. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type EndpointHealth,
  HEALTHY,
  opensBreaker,
  PROBE_PLAN,
  probeWaitMs,
  sinceRecovery,
  withAttempt,
} from '../../src/endpoints/endpoint-health.ts';
import { DAY_MS } from '../../src/process/durations.ts';

describe('The breaker', () => {
  const healthAfter = (verdicts: Array<'delivered' | 'retry'>, everyMs = 100): EndpointHealth =>
    verdicts.reduce((health, verdict, index) => withAttempt(health, { verdict }, index * everyMs), HEALTHY);
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

  it('opens the breaker after five failures in a row, not after four', () => {
    assert.equal(opensBreaker(healthAfter(times(4, 'retry')), 'retry'), false);
    assert.equal(opensBreaker(healthAfter(times(5, 'retry')), 'retry'), true);
    const interrupted = [...times(4, 'retry' as const), 'delivered' as const, ...times(4, 'retry' as const)];
    assert.equal(opensBreaker(healthAfter(interrupted), 'retry'), false);
  });

  it('opens the breaker when half of at least twenty attempts within a minute failed', () => {
    const alternating = (count: number) =>
      Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'delivered' : ('retry' as const)));
    assert.equal(opensBreaker(healthAfter(alternating(18)), 'retry'), false);
    assert.equal(opensBreaker(healthAfter(alternating(20)), 'retry'), true);
    assert.equal(
      opensBreaker(healthAfter(alternating(20), 10_000), 'retry'),
      false,
      'over more than a minute',
    );
    const third = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 2 ? 'retry' : ('delivered' as const),
    );
    assert.equal(opensBreaker(healthAfter(third), 'retry'), false);
  });

  it('opens the breaker at once when the receiver throttles', () => {
    assert.equal(opensBreaker(withAttempt(HEALTHY, { verdict: 'throttled' }, 0), 'throttled'), true);
  });

  it('ignores attempts that are older than a minute', () => {
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

  it('forgets failures of an outage when the receiver has recovered, and no others', () => {
    const outage = healthAfter(times(30, 'retry'));
    assert.equal(opensBreaker(withAttempt(outage, { verdict: 'retry' }, 3_100), 'retry'), true);
    const recovered = sinceRecovery(outage, 3_050);
    assert.equal(opensBreaker(withAttempt(recovered, { verdict: 'retry' }, 3_100), 'retry'), false);
    const failedSince = times(4, 'retry' as const).reduce(
      (health, verdict, index) => withAttempt(sinceRecovery(health, 3_050), { verdict }, 3_100 + index),
      recovered,
    );
    assert.equal(opensBreaker(withAttempt(failedSince, { verdict: 'retry' }, 3_200), 'retry'), true);
  });
});

describe('The wait for a probe', () => {
  it('waits for a probe a tenth of the outage, between 5 s and 15 min, and never less than Retry-After', () => {
    fc.assert(
      fc.property(
        fc.nat(80 * 3_600_000),
        fc.option(fc.nat(DAY_MS), { nil: null }),
        (failingForMs, askedMs) => {
          const waitMs = probeWaitMs(failingForMs, askedMs, PROBE_PLAN);
          assert.ok(waitMs >= (askedMs ?? 0));
          assert.ok(waitMs >= 5_000);
          if ((askedMs ?? 0) <= 5_000)
            assert.ok(waitMs <= 900_000 && waitMs <= Math.max(5_000, failingForMs / 10) + 1);
        },
      ),
    );
  });
});
