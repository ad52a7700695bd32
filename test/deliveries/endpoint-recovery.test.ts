/** The next step of an endpoint's workflow. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextStep, type RecoveryState } from '../../src/deliveries/endpoint-recovery.ts';

describe('The next step of an endpoint recovery', () => {
  const now = new Date('2026-03-02T08:00:00.000Z');
  const in5s = new Date(now.getTime() + 5_000);
  const in20s = new Date(now.getTime() + 20_000);
  const healthy: RecoveryState = {
    status: 'active',
    breaker: 'closed',
    nextProbeAt: null,
    pending: 0,
    retrying: 0,
    hasImmediate: false,
    hasUnqueued: false,
    nextRetryAt: null,
  };
  const stepOf = (more: Partial<RecoveryState>) => nextStep({ ...healthy, ...more }, now);
  const wait = (what: string, until = in5s) => ({
    kind: 'wait',
    until: until.toISOString(),
    waitMs: until.getTime() - now.getTime(),
    for: what,
  });

  it('ends the recovery when the endpoint is healthy or disabled', () => {
    assert.deepEqual(stepOf({}), { kind: 'end' });
    assert.deepEqual(stepOf({ pending: 9 }), { kind: 'end' }, 'the dispatcher sends new deliveries');
    assert.deepEqual(stepOf({ status: 'disabled', breaker: 'open', retrying: 3, hasImmediate: true }), {
      kind: 'end',
    });
  });

  it('retries when a retry is due within seconds, else waits for it', () => {
    assert.deepEqual(stepOf({ retrying: 1, nextRetryAt: now }), { kind: 'retry' });
    assert.deepEqual(stepOf({ retrying: 1, nextRetryAt: in5s }), { kind: 'retry' });
    assert.deepEqual(stepOf({ retrying: 1, nextRetryAt: in20s }), wait('retry', in20s));
  });

  it('sends only a probe, at its time, while the breaker is open', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), fc.boolean(), (pending, retrying, isDue) => {
        const nextProbeAt = isDue ? now : in5s;
        const next = stepOf({ breaker: 'open', nextProbeAt, pending, retrying, nextRetryAt: now });
        const what = pending + retrying > 0 ? 'probe' : 'close';
        assert.deepEqual(next, isDue ? { kind: what } : wait(what));
      }),
    );
  });

  it('drains when the receiver is back', () => {
    assert.deepEqual(stepOf({ breaker: 'draining', pending: 5 }), { kind: 'drain' });
  });

  it('drains a replay that is not queued yet, but never while the breaker is open', () => {
    assert.deepEqual(stepOf({ hasUnqueued: true }), { kind: 'drain' });
    assert.deepEqual(stepOf({ hasUnqueued: true, breaker: 'open', nextProbeAt: now }), { kind: 'probe' });
  });

  it('sends immediate retries before anything else', () => {
    for (const breaker of ['closed', 'open', 'draining'] as const) {
      assert.deepEqual(stepOf({ breaker, hasImmediate: true, retrying: 1, nextProbeAt: in5s }), {
        kind: 'immediate',
      });
    }
  });
});
