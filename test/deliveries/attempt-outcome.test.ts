import assert from 'node:assert/strict';
import type { ClaimedDelivery } from '../../src/deliveries/claims.repository.ts';
import { type AttemptResult, toRecordedAttempt } from '../../src/deliveries/delivery.ts';

describe('The outcome of an attempt', () => {
  const attemptedAt = new Date('2026-03-02T08:00:00.000Z');
  const endedAt = new Date('2026-03-02T08:00:01.000Z');
  const minutesLater = (minutes: number) => new Date(endedAt.getTime() + minutes * 60_000);
  /** Without jitter. */
  const plan = { attemptedAt, endedAt, schedule: [0, 60_000, 120_000], random: () => 0.5 };

  const claimOf = (more: Partial<ClaimedDelivery>): ClaimedDelivery => ({
    organizationId: 'organization',
    endpointId: 'endpoint',
    id: 'delivery',
    eventId: 'event',
    attemptCount: 0,
    scheduleStep: 0,
    nextAttemptAt: null,
    url: 'https://example.com/',
    secret: null,
    previousSecret: null,
    body: '{}',
    trace: null,
    ...more,
  });

  function outcomeOf(claim: Partial<ClaimedDelivery>, result: Partial<AttemptResult>) {
    const { attemptNumber, state, scheduleStep, nextAttemptAt } = toRecordedAttempt(
      claimOf(claim),
      {
        verdict: 'retry',
        statusCode: null,
        error: null,
        responseExcerpt: null,
        durationMs: 1,
        retryAfterMs: null,
        ...result,
      },
      plan,
    );
    return { attemptNumber, state, scheduleStep, nextAttemptAt };
  }

  it('ends a delivery that was accepted, blocked, or answered with 410', () => {
    for (const [verdict, state] of [
      ['delivered', 'delivered'],
      ['blocked', 'blocked'],
      ['gone', 'failed'],
    ] as const) {
      const expected = { attemptNumber: 3, state, scheduleStep: 2, nextAttemptAt: null };
      assert.deepEqual(outcomeOf({ attemptCount: 2, scheduleStep: 2 }, { verdict }), expected);
    }
  });

  it('plans the next attempt by the schedule, counted from the end of the last one', () => {
    assert.deepEqual(outcomeOf({}, {}), {
      attemptNumber: 1,
      state: 'retrying',
      scheduleStep: 1,
      nextAttemptAt: minutesLater(1),
    });
    const last = outcomeOf({ attemptCount: 2, scheduleStep: 2, nextAttemptAt: attemptedAt }, {});
    assert.deepEqual(last, { attemptNumber: 3, state: 'failed', scheduleStep: 3, nextAttemptAt: null });
  });

  it('uses up no step of the schedule when an attempt fails before its planned time', () => {
    const early = { attemptCount: 1, scheduleStep: 1, nextAttemptAt: minutesLater(5) };
    assert.deepEqual(outcomeOf(early, {}), {
      attemptNumber: 2,
      state: 'retrying',
      scheduleStep: 1,
      nextAttemptAt: minutesLater(5),
    });
    assert.deepEqual(outcomeOf(early, { retryAfterMs: 600_000 }).nextAttemptAt, minutesLater(10));
  });
});
