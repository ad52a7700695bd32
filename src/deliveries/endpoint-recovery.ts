/** The next step of the workflow of a failing endpoint, the pace of its drain, and its description in the Temporal UI. */

import type { RecoveryStateRow } from '../endpoints/endpoint-health.repository.ts';
import { toLateness } from '../process/durations.ts';
import { timeOf, toSecond } from '../process/iso-time.ts';
import { toMarkdownText } from '../process/markdown-text.ts';
import { DELIVERY_PLAN } from './delivery.ts';

export type RecoveryState = Pick<
  RecoveryStateRow,
  | 'status'
  | 'breaker'
  | 'nextProbeAt'
  | 'pending'
  | 'retrying'
  | 'hasImmediate'
  | 'hasUnqueued'
  | 'nextRetryAt'
>;

/** The state as the workflow gets it; all times are ISO 8601. */
export interface RecoveryView {
  organizationName: string;
  status: RecoveryState['status'];
  disabledReason: string | null;
  breaker: RecoveryState['breaker'];
  host: string;
  failingSince: string | null;
  lastError: string | null;
  pending: number;
  retrying: number;
  next: NextStep;
}

export type NextStep =
  | { kind: 'end' }
  /** Sent regardless of the endpoint's health. */
  | { kind: 'immediate' }
  | { kind: 'probe' }
  | { kind: 'drain' }
  | { kind: 'retry' }
  | { kind: 'close' }
  | Wait;

export interface Wait {
  kind: 'wait';
  until: string;
  waitMs: number;
  for: 'probe' | 'retry' | 'close';
}

export interface DrainProgress {
  /** Requests per second to continue with. */
  pace: number;
  sent: number;
}

/**
 * The step that sends retries waits for one that is due this soon. Separate steps would make the run's
 * history grow by several for each failure of an endpoint that fails now and then.
 */
export const RETRY_AHEAD_MS = 10_000;

export function nextStep(state: RecoveryState, now: Date): NextStep {
  const { status, breaker, nextProbeAt, nextRetryAt, pending, retrying, hasImmediate, hasUnqueued } = state;
  if (status === 'disabled') return { kind: 'end' };
  if (hasImmediate) return { kind: 'immediate' };
  if (breaker === 'open') {
    return dueOr(pending + retrying === 0 && !hasUnqueued ? 'close' : 'probe', nextProbeAt ?? now, now);
  }
  if (breaker === 'draining' || hasUnqueued) return { kind: 'drain' };
  return nextRetryAt === null ? { kind: 'end' } : dueOr('retry', nextRetryAt, now, RETRY_AHEAD_MS);
}

function dueOr(kind: 'probe' | 'retry' | 'close', at: Date, now: Date, aheadMs = 0): NextStep {
  const waitMs = at.getTime() - now.getTime();
  return waitMs <= aheadMs ? { kind } : { kind: 'wait', until: at.toISOString(), waitMs, for: kind };
}

/** The current details of the run in the Temporal UI. */
export function describeRecovery(view: RecoveryView): string {
  const { organizationName, host, pending, retrying, lastError, failingSince } = view;
  return [
    `**Webhook to ${toMarkdownText(host)}** of ${toMarkdownText(organizationName)}: ${summarizeStatus(view)}`,
    '',
    describeStep(view),
    '',
    `- waiting for the first attempt: ${pending}`,
    `- waiting for a retry: ${retrying}`,
    ...(failingSince === null ? [] : [`- failing since: ${toSecond(failingSince)}`]),
    ...(failingSince === null || view.status === 'disabled'
      ? []
      : [`- will be disabled at: ${disabledAt(failingSince)}`]),
    ...(lastError === null ? [] : [`- last error: ${toMarkdownText(lastError)}`]),
    ...howToSteer(view),
  ].join('\n');
}

function howToSteer({ next }: RecoveryView): string[] {
  if (next.kind === 'end') return [];
  const isSentLater = next.kind === 'wait' && next.for !== 'close';
  const hurry = isSentLater ? 'The update retryNow sends at once. ' : '';
  return ['', `${hurry}Cancel of this run, or the update giveUp, disables the webhook.`];
}

const summarizeStatus = ({ status, breaker }: RecoveryView): string =>
  status === 'disabled' ? 'disabled' : `the breaker is ${breaker}`;

function describeStep({ status, breaker, next, disabledReason }: RecoveryView): string {
  if (status === 'disabled')
    return `It was disabled${DISABLED[disabledReason ?? ''] ?? ''}: what waits is held until its customer enables it again.`;
  const step = next.kind === 'wait' ? `${WAITS[next.for]} at ${toSecond(next.until)}.` : STEPS[next.kind];
  return `${BREAKERS[breaker]}\n${step}`;
}

/** The end of the retries, when a webhook that has failed for as long is disabled. */
const disabledAt = (failingSince: string): string =>
  toSecond(new Date((timeOf(failingSince)?.getTime() ?? 0) + DELIVERY_PLAN.disableAfterMs).toISOString());

/** Summary of the timer: `next probe 2026-03-02 08:15:00 UTC`. */
export const summarizeWait = ({ for: kind, until }: Wait): string => `next ${kind} ${toSecond(until)}`;

/** Search attributes that the run keeps up to date. */
export const recoveryAttributes = (view: RecoveryView, nowMs: number) => ({
  Organization: view.organizationName,
  Phase: toPhase(view),
  Waiting: toLateness(view.failingSince, nowMs),
});

function toPhase({ breaker, next }: RecoveryView): string {
  if (next.kind === 'end') return 'ended';
  return { closed: 'retrying', open: 'probing', draining: 'draining' }[breaker];
}

/** The result of the run. */
export const summarizeRecovery = ({ status, disabledReason }: RecoveryView): string =>
  status === 'active'
    ? 'the endpoint is healthy'
    : `the endpoint is disabled${DISABLED[disabledReason ?? ''] ?? ''}`;

/** The row does not store whether a request or an update of the Temporal UI has disabled it. */
const DISABLED: Record<string, string> = {
  customer: ' by a request or an operator',
  failing: ', because it has failed for too long',
  gone: ', because its receiver answered that it is gone',
};

const BREAKERS: Record<RecoveryView['breaker'], string> = {
  closed: 'New deliveries are sent at once.',
  open: 'The receiver fails, so new deliveries wait and only probes are sent.',
  draining: 'The backlog is being sent, and new deliveries wait behind it.',
};

const STEPS: Record<Exclude<NextStep['kind'], 'wait'>, string> = {
  end: 'Nothing is left to recover.',
  immediate: 'Sending the deliveries that a customer asked to resend.',
  probe: 'Sending one delivery to find out whether the receiver is back.',
  drain: 'Sending the backlog, oldest first, at a growing pace.',
  retry: 'Sending the retries that are due, or are within seconds.',
  close: 'No delivery is waiting, so the breaker is closed.',
};

const WAITS = {
  probe: 'The next probe is sent',
  retry: 'The next retry is sent',
  close: 'No delivery is waiting, so the breaker closes',
};

/** Updates by which an operator steers the run in the Temporal UI. */
export const RETRY_NOW = {
  name: 'retryNow',
  description: 'Sends a probe now, or all that waits for a retry when the receiver answers others',
} as const;

export const GIVE_UP = {
  name: 'giveUp',
  description:
    'Disables the webhook: what waits is held until its customer enables it again, and events meanwhile are not kept',
} as const;

/** The reason, or null. The state is the one that the run read last; null: it has read none yet. */
export function whyNotRetried(state: RecoveryView | null): string | null {
  if (state && state.next.kind !== 'wait') return 'The run is not waiting: it is sending already';
  return null;
}

/** Outcomes of the requests of one or more seconds. */
export interface Requests {
  sent: number;
  failed: number;
}

/**
 * The state of a drain between two seconds. Its pace grows while the receiver keeps up, and falls when too many requests
 * fail; a receiver with few failures still gets as much as it can handle.
 */
interface DrainPace {
  /** Requests per second. */
  pace: number;
  /** Requests since the share of failures was last evaluated, too few for a reliable share. */
  unevaluated: Requests;
}

const NONE: Requests = { sent: 0, failed: 0 };
const GROWTH = { afterNone: 2, afterSome: 1.25 };
const FAILED_SHARE_MAX = 0.25;
/**
 * With fewer requests, a receiver that fails one in five at random too often appears to fail one in four:
 * with 20 in 37 % of the cases, with 50 in 19 %.
 */
const EVALUATED_MIN = 50;

export const startPace = (pace: number): DrainPace => ({ pace, unevaluated: NONE });

/** The pace of the next second, at least 1. */
export function nextPace({ pace, unevaluated }: DrainPace, second: Requests, paceMax: number): DrainPace {
  const seen = { sent: unevaluated.sent + second.sent, failed: unevaluated.failed + second.failed };
  const isEvaluated = seen.sent >= EVALUATED_MIN;
  if (isEvaluated && seen.failed >= seen.sent * FAILED_SHARE_MAX) return startPace(Math.max(pace / 2, 1));
  const growth = second.failed === 0 ? GROWTH.afterNone : GROWTH.afterSome;
  return { pace: Math.min(pace * growth, paceMax), unevaluated: isEvaluated ? NONE : seen };
}
