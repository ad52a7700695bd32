/** The effect of an attempt on its delivery: the next state, and the time of the next attempt. */
import type { RecordedAttempt } from './attempts.repository.ts';
import type { ClaimedDelivery } from './claims.repository.ts';
import { type AttemptResult, nextAttempt } from './delivery.ts';

interface RetryPlan {
  attemptedAt: Date;
  endedAt: Date;
  schedule: readonly number[];
  random(): number;
}

export function toRecordedAttempt(
  claim: ClaimedDelivery,
  result: AttemptResult,
  plan: RetryPlan,
): RecordedAttempt {
  return {
    organizationId: claim.organizationId,
    endpointId: claim.endpointId,
    deliveryId: claim.id,
    attemptNumber: claim.attemptCount + 1,
    attemptedAt: plan.attemptedAt,
    durationMs: result.durationMs,
    statusCode: result.statusCode,
    error: result.error,
    responseExcerpt: result.responseExcerpt,
    ...toOutcome(claim, result, plan),
  };
}

type Outcome = Pick<RecordedAttempt, 'state' | 'scheduleStep' | 'nextAttemptAt'>;

function toOutcome(claim: ClaimedDelivery, result: AttemptResult, plan: RetryPlan): Outcome {
  const { verdict } = result;
  const { scheduleStep } = claim;
  if (verdict === 'delivered' || verdict === 'blocked')
    return { state: verdict, scheduleStep, nextAttemptAt: null };
  if (verdict === 'gone') return { state: 'failed', scheduleStep, nextAttemptAt: null };
  return toRetry(claim, result, plan);
}

/** An attempt before its planned time (a probe, a drain) does not use up a step of the schedule. */
function toRetry(
  { scheduleStep, nextAttemptAt }: ClaimedDelivery,
  { retryAfterMs }: AttemptResult,
  { attemptedAt, endedAt, schedule, random }: RetryPlan,
): Outcome {
  if (nextAttemptAt !== null && nextAttemptAt > attemptedAt) {
    const requestedAt = new Date(endedAt.getTime() + (retryAfterMs ?? 0));
    const laterAt = requestedAt > nextAttemptAt ? requestedAt : nextAttemptAt;
    return { state: 'retrying', scheduleStep, nextAttemptAt: laterAt };
  }
  const { state, waitMs } = nextAttempt(scheduleStep + 1, retryAfterMs, schedule, random);
  const nextAt = state === 'failed' ? null : new Date(endedAt.getTime() + waitMs);
  return { state, scheduleStep: scheduleStep + 1, nextAttemptAt: nextAt };
}
