/** When the client repeats a request. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RETRY_POLICY, retryInMs } from '../../client/src/retry.ts';

const failure = fc.record({
  status: fc.constantFrom(null, 400, 401, 404, 408, 409, 429, 500, 502, 503, 504),
  retryAfterMs: fc.option(fc.nat(100_000)),
  isRepeatable: fc.boolean(),
});
const attempt = fc.integer({ min: 1, max: RETRY_POLICY.retries });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('A retry of the client', () => {
  it('follows only refusals for overload, lost answers of safe requests, and requests that still run, and no answer that asks for more than a minute', () => {
    fc.assert(
      fc.property(failure, attempt, random, (failed, count, chance) => {
        const refused = failed.status === 429 || failed.status === 503;
        const lost = [null, 408, 500, 502, 504].includes(failed.status);
        const running = failed.status === 409 && failed.retryAfterMs !== null;
        const isRetried = retryInMs(failed, count, RETRY_POLICY, chance) !== null;
        const isSoon = (failed.retryAfterMs ?? 0) <= 60_000;
        assert.equal(isRetried, isSoon && (refused || ((lost || running) && failed.isRepeatable)));
      }),
    );
  });

  it('waits at least as long as the service asks, and otherwise within the longest wait', () => {
    fc.assert(
      fc.property(failure, attempt, random, (failed, count, chance) => {
        const waitMs = retryInMs(failed, count, RETRY_POLICY, chance);
        if (waitMs === null) return;
        assert.ok(waitMs >= (failed.retryAfterMs ?? 0));
        assert.ok(waitMs <= Math.max(failed.retryAfterMs ?? 0, RETRY_POLICY.maxMs));
      }),
    );
  });

  it('asks for the answer of a request that still runs for longer than the policy, and not for ever', () => {
    const running = { status: 409, retryAfterMs: 1_000, isRepeatable: true };
    assert.deepEqual(
      [1, 60, 100, 101].map((count) => retryInMs(running, count, RETRY_POLICY)),
      [1_000, 1_000, 1_000, null],
    );
    assert.equal(retryInMs(running, 1, { ...RETRY_POLICY, retries: 0 }), null);
  });

  it('ends with the last attempt of the policy', () => {
    const refused = { status: 503, retryAfterMs: null, isRepeatable: true };
    assert.equal(retryInMs(refused, RETRY_POLICY.retries + 1, RETRY_POLICY), null);
  });
});
