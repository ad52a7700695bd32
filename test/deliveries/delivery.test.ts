/** The retry schedule, and the meaning of status codes. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RETRY_AFTER_MAX_MS } from '../../client/src/http-fields.ts';
import { DELIVERY_PLAN, nextAttempt, SCHEDULE_MS, toVerdict } from '../../src/deliveries/delivery.ts';
import { DAY_MS, HOUR_MS } from '../../src/process/durations.ts';

const share = () => fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const step = () => fc.integer({ min: 0, max: SCHEDULE_MS.length - 1 });

describe('The next attempt', () => {
  it('follows the schedule, with a jitter of at most a fifth', () => {
    fc.assert(
      fc.property(step(), share(), (made, random) => {
        const { state, waitMs } = nextAttempt(made, null, SCHEDULE_MS, () => random);
        const planned = SCHEDULE_MS[made] as number;
        assert.equal(state, 'retrying');
        assert.ok(waitMs >= planned * 0.8 && waitMs <= planned * 1.2);
      }),
    );
  });

  it('never comes before Retry-After, and never earlier than planned because of it', () => {
    fc.assert(
      fc.property(
        step(),
        fc.integer({ min: 0, max: RETRY_AFTER_MAX_MS }),
        share(),
        (made, askedMs, random) => {
          const { waitMs } = nextAttempt(made, askedMs, SCHEDULE_MS, () => random);
          const planned = nextAttempt(made, null, SCHEDULE_MS, () => random).waitMs;
          assert.ok(waitMs >= askedMs && waitMs >= planned);
          assert.ok(waitMs <= Math.max(askedMs + Math.min(askedMs * 0.2, HOUR_MS / 2), planned));
        },
      ),
    );
  });

  it('retries for at least three days, whatever the jitter', () => {
    const spread = fc.array(share(), { minLength: SCHEDULE_MS.length, maxLength: SCHEDULE_MS.length });
    fc.assert(
      fc.property(fc.oneof(spread, fc.constant(SCHEDULE_MS.map(() => 0))), (draws) => {
        const waits = draws.map((random, made) => nextAttempt(made, null, SCHEDULE_MS, () => random).waitMs);
        assert.ok(waits.reduce((sum, ms) => sum + ms) >= 3 * DAY_MS);
      }),
    );
  });

  it('fails a delivery after the last attempt of the schedule', () => {
    assert.equal(nextAttempt(SCHEDULE_MS.length, null, SCHEDULE_MS, Math.random).state, 'failed');
    assert.equal(nextAttempt(SCHEDULE_MS.length, 5_000, SCHEDULE_MS, Math.random).state, 'failed');
  });

  it('waits as docs/contract.md says, and disables an endpoint that fails for as long: 75 hours', () => {
    const [s, m, h] = [1_000, 60_000, HOUR_MS];
    assert.deepEqual(SCHEDULE_MS, [0, 5 * s, 5 * m, 30 * m, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h]);
    assert.equal(DELIVERY_PLAN.disableAfterMs, 75 * HOUR_MS);
  });
});

describe('A status code', () => {
  it('counts 2xx as delivered, 410 as gone, 429 and 502 to 504 as throttled, and retries the rest', () => {
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
