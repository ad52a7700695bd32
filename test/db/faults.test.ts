import assert from 'node:assert/strict';
import { isLockTimeout, isOutage, isRetryable, isUnavailable } from '../../src/db/faults.ts';

describe('Faults of the database', () => {
  it('recognizes faults by their codes, and no others, whatever code these carry', () => {
    assert.ok(isUnavailable(Object.assign(new Error('gone'), { code: '08006' })));
    // gRPC, the protocol of Temporal, uses numbers.
    for (const code of [8, 14, null, {}]) {
      const fault = Object.assign(new Error('of another server'), { code });
      for (const isFault of [isUnavailable, isOutage, isRetryable, isLockTimeout])
        assert.equal(isFault(fault), false);
    }
  });
});
