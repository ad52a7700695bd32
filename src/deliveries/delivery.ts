/** One event on its way to one endpoint: its states, the retry schedule, and the effect of an attempt's outcome. */
import type { EndpointRef, EndpointStatus, LAST_STATUSES } from '../endpoints/endpoint.ts';
import { type Breaker, PROBE_PLAN, type ProbePlan, type Verdict } from '../endpoints/endpoint-health.ts';
import { HOUR_MS } from '../process/durations.ts';
import type { ClaimedDelivery } from './claims.repository.ts';

/** States in the API. */
export const DELIVERY_STATES = [
  'pending',
  'delivered',
  'retrying',
  'held',
  'failed',
  'blocked',
  'cancelled',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** States in the database; `sending` while an attempt is under way. */
const STORED_STATES = [
  'pending',
  'sending',
  'delivered',
  'retrying',
  'failed',
  'blocked',
  'cancelled',
] as const;
export type StoredState = (typeof STORED_STATES)[number];

export interface Delivery {
  id: string;
  eventId: string;
  eventType: string;
  state: StoredState;
  attemptCount: number;
  nextAttemptAt: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** Serial number of the device that the event is about; null when it is about none. */
  serialNumber: string | null;
}

/** The deliveries that a customer asks for again. */
export interface Replay {
  since: Date;
  until?: Date;
  states: StoredState[];
}

/** The fields of the endpoint that decide how a delivery is shown. */
export interface DeliveryEndpoint {
  status: EndpointStatus;
  breaker: Breaker;
}

export interface Attempt
  extends Pick<AttemptResult, 'durationMs' | 'statusCode' | 'error' | 'responseExcerpt'> {
  attemptNumber: number;
  attemptedAt: Date;
}

/** The outcome of one attempt. */
export interface AttemptResult {
  verdict: Verdict;
  statusCode: number | null;
  /** Names no internal address; null when delivered. */
  error: string | null;
  /** Escaped, at most 1 KiB. */
  responseExcerpt: string | null;
  durationMs: number;
  /** From the receiver's Retry-After header. */
  retryAfterMs: number | null;
}

/** Waits before each attempt, in ms. The first attempt is made at once, the last one after about 75 hours. */
export const SCHEDULE_MS: readonly number[] = [
  0,
  5_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  14 * 3_600_000,
  20 * 3_600_000,
  24 * 3_600_000,
];

/** The plan for retries of failed deliveries, for probes of failing endpoints, and for disabling these. */
export interface DeliveryPlan {
  scheduleMs: readonly number[];
  probePlan: ProbePlan;
  disableAfterMs: number;
  /** Between two polls, for due notifications and for deliveries whose wake-up was lost. */
  pollIntervalMs: number;
}

const scheduleTotalMs = SCHEDULE_MS.reduce((sum, waitMs) => sum + waitMs);

export const DELIVERY_PLAN: DeliveryPlan = {
  scheduleMs: SCHEDULE_MS,
  probePlan: PROBE_PLAN,
  // The length of the whole schedule, in whole hours: all attempts of a delivery have failed by then.
  disableAfterMs: Math.floor(scheduleTotalMs / HOUR_MS) * HOUR_MS,
  pollIntervalMs: 1_000,
};

const JITTER = 0.2;
/** Limits the jitter of long waits, so that the last attempt comes no earlier than after three days. */
const JITTER_MAX_MS = 30 * 60_000;

interface NextAttempt {
  state: 'retrying' | 'failed';
  waitMs: number;
}

/**
 * The next attempt after a failed one, when `step` attempts of the schedule have been made. The receiver's
 * Retry-After is a lower bound, with jitter only upwards; a Retry-After below the planned wait changes
 * nothing.
 */
export function nextAttempt(
  step: number,
  retryAfterMs: number | null,
  schedule: readonly number[],
  random: () => number,
): NextAttempt {
  const plannedMs = schedule[step];
  if (plannedMs === undefined) return { state: 'failed', waitMs: 0 };
  const spreadMs = Math.min(plannedMs * JITTER, JITTER_MAX_MS);
  const jitteredMs = plannedMs - spreadMs + 2 * spreadMs * random();
  if (retryAfterMs === null) return { state: 'retrying', waitMs: jitteredMs };
  const delayedMs = retryAfterMs + Math.min(retryAfterMs * JITTER, JITTER_MAX_MS) * random();
  return { state: 'retrying', waitMs: Math.max(jitteredMs, delayedMs) };
}

const THROTTLING = [429, 502, 503, 504];
const GONE = 410;

export function toVerdict(statusCode: number): Exclude<Verdict, 'blocked'> {
  if (statusCode >= 200 && statusCode < 300) return 'delivered';
  if (statusCode === GONE) return 'gone';
  return THROTTLING.includes(statusCode) ? 'throttled' : 'retry';
}

/** An attempt, and the state of its delivery after it. */
export interface RecordedAttempt extends EndpointRef, Attempt {
  deliveryId: string;
  state: (typeof LAST_STATUSES)[number];
  scheduleStep: number;
  nextAttemptAt: Date | null;
}

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

export const NO_SUCH_DELIVERY = 'No delivery of this webhook has this id';

/** Deliveries of a disabled endpoint are shown as held, and an attempt under way as pending. */
function shownState(state: StoredState, endpointStatus: EndpointStatus): DeliveryState {
  if (state === 'sending') return 'pending';
  const waits = state === 'pending' || state === 'retrying';
  return waits && endpointStatus === 'disabled' ? 'held' : state;
}

/** The stored states that are shown as this state. */
export const storedStates = (shown: DeliveryState, endpointStatus: EndpointStatus): StoredState[] =>
  STORED_STATES.filter((state) => shownState(state, endpointStatus) === shown);

export function deliveryView(delivery: Delivery, endpoint: DeliveryEndpoint) {
  const state = shownState(delivery.state, endpoint.status);
  const lastAttemptAt = delivery.lastAttemptAt?.toISOString() ?? null;
  return {
    ...delivery,
    state,
    reason: reasonFor(state, delivery, endpoint),
    nextAttemptAt: state === 'held' ? null : (delivery.nextAttemptAt?.toISOString() ?? null),
    createdAt: delivery.createdAt.toISOString(),
    lastAttemptAt,
    // A successful attempt is the last one, unless another is requested.
    deliveredAt: state === 'delivered' ? lastAttemptAt : null,
  };
}

/** Why the delivery is not delivered; null when it is, or is about to be sent. */
function reasonFor(
  state: DeliveryState,
  { lastError }: Delivery,
  { breaker }: DeliveryEndpoint,
): string | null {
  const failure = lastError === null ? '' : `: ${lastError}`;
  switch (state) {
    case 'delivered':
      return null;
    case 'held':
      return 'the webhook is disabled: it is sent when the webhook is enabled';
    case 'pending':
      return WAITS[breaker] ?? null;
    case 'retrying':
      // A delivery that is sent again may have succeeded before, or never been tried.
      return WAITS[breaker] ?? (lastError === null ? null : `the latest attempt failed${failure}`);
    case 'failed':
      return `the latest attempt failed, and none is left${failure}`;
    case 'blocked':
      return `the address of the webhook is not allowed${failure}`;
    case 'cancelled':
      return 'the webhook was deleted';
  }
}

const WAITS: Partial<Record<Breaker, string>> = {
  open: 'the webhook is failing: it is sent once a probe has got through',
  draining: 'the webhook is recovering: its backlog is sent at a growing pace',
};

export function deliveryDetailView(
  delivery: Delivery,
  endpoint: DeliveryEndpoint,
  { payload, attempts }: { payload: unknown; attempts: Attempt[] },
) {
  return { ...deliveryView(delivery, endpoint), payload, attempts: attempts.map(attemptView) };
}

function attemptView({ attemptNumber, attemptedAt, ...rest }: Attempt) {
  return { number: attemptNumber, at: attemptedAt.toISOString(), ...rest };
}
