/** When the client repeats a request. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RETRY_POLICY, retryInMs } from '../../client/src/retry.ts';

const failure = fc.record({
  status: fc.constantFrom(null, 400, 401, 404, 409, 429, 500, 502, 503, 504),
  retryAfterMs: fc.option(fc.nat(100_000)),
  isRepeatable: fc.boolean(),
});
const attempt = fc.integer({ min: 1, max: RETRY_POLICY.retries });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('A retry of the client', () => {
  it('follows only refusals for overload, and lost answers of safe requests', () => {
    fc.assert(
      fc.property(failure, attempt, random, (failed, count, chance) => {
        const refused = failed.status === 429 || failed.status === 503;
        const lost = failed.status === null || failed.status === 502 || failed.status === 504;
        const isRetried = retryInMs(failed, count, RETRY_POLICY, chance) !== null;
        assert.equal(isRetried, refused || (lost && failed.isRepeatable));
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

  it('ends with the last attempt of the policy', () => {
    const refused = { status: 503, retryAfterMs: null, isRepeatable: true };
    assert.equal(retryInMs(refused, RETRY_POLICY.retries + 1, RETRY_POLICY), null);
  });
});
