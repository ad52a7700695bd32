/** The next step of the workflow of a failing endpoint, and its description in the Temporal UI. */
import { toMinute } from '../process/iso-time.ts';
import { toLateness } from '../process/lateness.ts';

export interface RecoveryState {
  status: 'active' | 'disabled';
  breaker: 'closed' | 'open' | 'draining';
  nextProbeAt: Date | null;
  /** Number of deliveries without an attempt. */
  pending: number;
  retrying: number;
  /** Whether a customer asked for retries that are sent now. */
  hasImmediate: boolean;
  /** Whether there is backlog that is not queued yet, for example of a replay. */
  hasUnqueued: boolean;
  nextRetryAt: Date | null;
}

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
  const { organizationName, host, breaker, pending, retrying, lastError, failingSince, next } = view;
  return [
    `**Webhook to ${host}** of ${organizationName}: the breaker is ${breaker}`,
    '',
    BREAKERS[breaker],
    next.kind === 'wait' ? `${WAITS[next.for]} at ${next.until}.` : STEPS[next.kind],
    '',
    `- waiting for the first attempt: ${pending}`,
    `- waiting for a retry: ${retrying}`,
    ...(failingSince === null ? [] : [`- failing since: ${failingSince}`]),
    ...(lastError === null ? [] : [`- last error: ${lastError}`]),
  ].join('\n');
}

/** Summary of the timer: `next probe 2026-03-02 08:15 UTC`. */
export const summarizeWait = ({ for: kind, until }: Wait): string => `next ${kind} ${toMinute(until)}`;

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
export function summarizeRecovery({ status, disabledReason }: RecoveryView): string {
  return status === 'active' ? 'the endpoint is healthy' : `the endpoint is disabled: ${disabledReason}`;
}

const BREAKERS: Record<RecoveryView['breaker'], string> = {
  closed: 'New deliveries are sent at once.',
  open: 'The receiver fails, so new deliveries wait and only probes are sent.',
  draining: 'The receiver is back, and new deliveries wait behind the backlog.',
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
