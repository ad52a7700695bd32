/** What an endpoint in trouble needs next: the decisions of its workflow, and how it tells of them. */
export interface RecoveryView {
  status: 'active' | 'disabled';
  disabledReason: string | null;
  breaker: 'closed' | 'open' | 'draining';
  host: string;
  /** ISO 8601, like all times here: this is what a workflow sees. */
  failingSince: string | null;
  lastError: string | null;
  waiting: number;
  retrying: number;
  next: NextStep;
}

export type NextStep =
  | { kind: 'end' }
  /** Asked for by a person: now, whatever the health. */
  | { kind: 'urgent' }
  | { kind: 'probe' }
  | { kind: 'drain' }
  | { kind: 'retry' }
  | { kind: 'close' }
  | { kind: 'wait'; until: string; waitMs: number; for: 'probe' | 'retry' | 'close' };

export interface RecoveryState {
  status: 'active' | 'disabled';
  breaker: 'closed' | 'open' | 'draining';
  nextProbeAt: Date | null;
  pending: number;
  retrying: number;
  urgent: number;
  nextRetryAt: Date | null;
}

export function nextStep(state: RecoveryState, now: Date): NextStep {
  const { status, breaker, nextProbeAt, nextRetryAt, pending, retrying, urgent } = state;
  if (status === 'disabled') return { kind: 'end' };
  if (urgent > 0) return { kind: 'urgent' };
  if (breaker === 'draining') return { kind: 'drain' };
  if (breaker === 'open') {
    return dueOr(pending + retrying === 0 ? 'close' : 'probe', nextProbeAt ?? now, now);
  }
  return retrying === 0 ? { kind: 'end' } : dueOr('retry', nextRetryAt ?? now, now);
}

function dueOr(kind: 'probe' | 'retry' | 'close', at: Date, now: Date): NextStep {
  const waitMs = at.getTime() - now.getTime();
  return waitMs <= 0 ? { kind } : { kind: 'wait', until: at.toISOString(), waitMs, for: kind };
}

const SAYS: Record<Exclude<NextStep['kind'], 'wait'>, string> = {
  end: 'Nothing waits any more.',
  urgent: 'Sends what was asked for to be sent again.',
  probe: 'Tries one delivery, to see whether the receiver is back.',
  drain: 'The receiver is back: sends what waited at a growing pace, oldest first.',
  retry: 'Sends the retries that are due.',
  close: 'Nothing waits any more; new deliveries are sent as they come.',
};

const WAIT_SAYS = {
  probe: 'Next probe at',
  retry: 'Next retry at',
  close: 'Nothing waits; new deliveries are sent again from',
};

const BREAKER_SAYS: Record<RecoveryView['breaker'], string> = {
  closed: 'New deliveries are sent as they come.',
  open: 'The receiver fails: nothing is sent but a probe from time to time, and new deliveries wait.',
  draining: 'The receiver is back; new deliveries wait behind the older ones.',
};

/** For people who look at the run in the Temporal UI. */
export function describeRecovery(look: RecoveryView): string {
  const { host, breaker, waiting, retrying, lastError, failingSince, next } = look;
  const step = next.kind === 'wait' ? `${WAIT_SAYS[next.for]} ${next.until}.` : SAYS[next.kind];
  return [
    `**Webhook to ${host}**: breaker ${breaker}`,
    '',
    BREAKER_SAYS[breaker],
    step,
    '',
    `- waiting for their first attempt: ${waiting}`,
    `- waiting for a retry: ${retrying}`,
    ...(failingSince === null ? [] : [`- failing since: ${failingSince}`]),
    ...(lastError === null ? [] : [`- last error: ${lastError}`]),
  ].join('\n');
}
