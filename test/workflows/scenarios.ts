/**
 * One run for each path through a workflow, as a script: the result of each activity, in order, and the
 * signals in between. `npm run histories` plays them against a real Temporal server.
 */
import type { ApplyProfileActivities } from '../../activities/apply-profile.ts';
import type { DeliverWebhooksActivities } from '../../activities/deliver-webhooks.ts';
import type { EscalateAlertActivities } from '../../activities/escalate-alert.ts';
import type { WithdrawProfileActivities } from '../../activities/withdraw-profile.ts';
import type { AlertRef } from '../../src/alerts/alert.ts';
import { type Counts, type JobRef, NO_COUNTS, type WithdrawalRef } from '../../src/config-jobs/config-job.ts';
import type { JobState } from '../../src/config-jobs/job-run.ts';
import type { NextStep, RecoveryView } from '../../src/deliveries/endpoint-recovery.ts';
import type { EndpointRef } from '../../src/endpoints/endpoint.ts';
import type { EscalationView, NextStepView } from '../../src/escalations/alert-escalation.ts';
import { DAY_MS } from '../../src/process/durations.ts';

export type Activities = ApplyProfileActivities &
  DeliverWebhooksActivities &
  EscalateAlertActivities &
  WithdrawProfileActivities;

export type Step =
  /** The workflow calls this activity. With `signal`, a signal arrives while it runs. */
  | { activity: keyof Activities; returns: unknown; signal?: string[] }
  /** The workflow waits, and a signal arrives. */
  | { signal: string[] }
  /** The workflow waits, and an operator sends an update, or cancels the run. */
  | { update: string; args?: unknown[] }
  | { cancel: true };

export interface Scenario {
  workflow: 'apply-profile' | 'deliver-webhooks' | 'escalate-alert' | 'withdraw-profile';
  /** Completes the sentence "the run …". */
  name: string;
  pollIntervalMs: number;
  result: string;
  steps: Step[];
}

const organizationId = '00000000-0000-4000-8000-000000000001';
export const JOB: JobRef = { organizationId, jobId: '00000000-0000-4000-8000-000000000002' };
export const ENDPOINT: EndpointRef = { organizationId, endpointId: '00000000-0000-4000-8000-000000000003' };

export const ALERT: AlertRef = { organizationId, alertId: '00000000-0000-4000-8000-000000000004' };

export const WITHDRAWAL: WithdrawalRef = {
  organizationId,
  withdrawalId: '00000000-0000-4000-8000-000000000005',
};

const NEVER = 300_000;
const SOON = 20;

function call<Name extends keyof Activities>(
  activity: Name,
  returns: Awaited<ReturnType<Activities[Name]>>,
  options: { signal?: string[] } = {},
): Step {
  return { activity, returns, ...options };
}

const signal = (...lines: string[]): Step => ({ signal: lines });
const times = (count: number, ...steps: Step[]): Step[] => Array.from({ length: count }, () => steps).flat();

const progress = (counts: Partial<Counts>, more: Partial<JobState> = {}): JobState => ({
  organizationName: 'Acme',
  profileSlug: 'fridge',
  status: 'running',
  total: 3,
  counts: { ...NO_COUNTS, ...counts },
  stage: 1,
  stages: 1,
  verdict: 'wait',
  startAt: null,
  untilStartMs: 0,
  deadlineAt: '2100-01-01T00:00:00.000Z',
  untilDeadlineMs: DAY_MS,
  waitingFor: [],
  ...more,
});
const see = (counts: Partial<Counts>, more?: Partial<JobState>) =>
  call('getJobState', progress(counts, more));
const finish = [
  see({ applied: 3 }, { verdict: 'proceed' }),
  call('completeJob', undefined),
  see({ applied: 3 }, { status: 'succeeded' }),
];

const jobs: Array<Omit<Scenario, 'workflow'>> = [
  {
    name: 'is-signalled-by-each-device',
    pollIntervalMs: NEVER,
    result: 'succeeded: 3 applied',
    steps: [
      see({ waiting: 3 }),
      signal('A applied'),
      see({ waiting: 2, applied: 1 }),
      signal('B applied', 'C applied'),
      ...finish,
    ],
  },
  {
    name: 'polls-without-signals',
    pollIntervalMs: SOON,
    result: 'succeeded: 3 applied',
    steps: [see({ waiting: 3 }), see({ waiting: 3 }), ...finish],
  },
  {
    name: 'is-signalled-while-it-reads',
    pollIntervalMs: NEVER,
    result: 'succeeded: 3 applied',
    steps: [call('getJobState', progress({ waiting: 3 }), { signal: ['A applied'] }), ...finish],
  },
  {
    name: 'goes-through-two-stages',
    pollIntervalMs: NEVER,
    result: 'succeeded: 3 applied',
    steps: [
      see({ waiting: 1, queued: 2 }, { stages: 2 }),
      signal('A applied'),
      see({ applied: 1, queued: 2 }, { stages: 2, verdict: 'proceed' }),
      call('beginStage', undefined),
      see({ applied: 1, waiting: 2 }, { stage: 2, stages: 2 }),
      signal('B applied', 'C applied'),
      see({ applied: 3 }, { stage: 2, stages: 2, verdict: 'proceed' }),
      call('completeJob', undefined),
      see({ applied: 3 }, { stage: 2, stages: 2, status: 'succeeded' }),
    ],
  },
  {
    name: 'aborts',
    pollIntervalMs: NEVER,
    result: 'aborted: 1 failed, 2 cancelled',
    steps: [
      see({ waiting: 1, queued: 2 }, { stages: 2 }),
      signal('A failed'),
      see({ failed: 1, queued: 2 }, { stages: 2, verdict: 'abort' }),
      call('abortJob', undefined),
      see({ failed: 1, cancelled: 2 }, { stages: 2, status: 'aborted' }),
    ],
  },
  {
    name: 'sees-a-cancelled-job',
    pollIntervalMs: NEVER,
    result: 'cancelled: 1 applied, 2 cancelled',
    steps: [
      see({ waiting: 2, applied: 1 }),
      signal(),
      see({ applied: 1, cancelled: 2 }, { status: 'cancelled' }),
    ],
  },
  {
    name: 'meets-the-deadline',
    pollIntervalMs: NEVER,
    result: 'completed with failures: 1 applied, 2 timed out',
    steps: [
      see({ waiting: 2, applied: 1 }, { untilDeadlineMs: 0 }),
      call('completeJob', undefined),
      see({ applied: 1, timed_out: 2 }, { status: 'completed_with_failures' }),
    ],
  },
  {
    name: 'starts-when-it-is-due',
    pollIntervalMs: NEVER,
    result: 'succeeded: 3 applied',
    steps: [
      see({ queued: 3 }, { status: 'scheduled', stages: 2 }),
      call('startJob', undefined),
      see({ queued: 3 }, { stages: 2, verdict: 'proceed' }),
      call('beginStage', undefined),
      see({ applied: 3 }, { stage: 2, stages: 2, verdict: 'proceed' }),
      call('completeJob', undefined),
      see({ applied: 3 }, { stage: 2, stages: 2, status: 'succeeded' }),
    ],
  },
  {
    name: 'is-cancelled-before-its-start',
    pollIntervalMs: SOON,
    result: 'cancelled: 3 cancelled',
    steps: [
      see(
        { queued: 3 },
        { status: 'scheduled', stages: 2, startAt: '2099-01-01T00:00:00.000Z', untilStartMs: DAY_MS },
      ),
      signal(),
      see({ cancelled: 3 }, { status: 'cancelled', stages: 2 }),
    ],
  },
  {
    name: 'finds-no-job',
    pollIntervalMs: NEVER,
    result: 'the job no longer exists',
    steps: [call('getJobState', null)],
  },
  {
    name: 'loses-its-job',
    pollIntervalMs: NEVER,
    result: 'the job no longer exists',
    steps: [see({ waiting: 3 }), signal(), call('getJobState', null)],
  },
  {
    name: 'continues-as-new',
    pollIntervalMs: SOON,
    result: 'succeeded: 3 applied',
    steps: [...times(7, see({ waiting: 3 })), ...finish],
  },
];

const steeredJobs: Array<Omit<Scenario, 'workflow'>> = [
  {
    name: 'is-hurried-and-extended-by-an-operator',
    pollIntervalMs: NEVER,
    result: 'succeeded: 3 applied',
    steps: [
      see({ waiting: 1, queued: 2 }, { stages: 2 }),
      { update: 'extend', args: ['2100-01-02T00:00:00Z'] },
      call('extendJob', 'The deadline has moved'),
      see({ waiting: 1, queued: 2 }, { stages: 2, deadlineAt: '2100-01-02T00:00:00.000Z' }),
      { update: 'proceed' },
      call('proceedJob', 'The next stage begins'),
      see({ waiting: 1, queued: 2 }, { stages: 2, verdict: 'proceed' }),
      call('beginStage', undefined),
      see({ applied: 3 }, { stage: 2, stages: 2, verdict: 'proceed' }),
      call('completeJob', undefined),
      see({ applied: 3 }, { stage: 2, stages: 2, status: 'succeeded' }),
    ],
  },
  {
    name: 'is-cancelled-by-an-operator',
    pollIntervalMs: NEVER,
    result: 'cancelled: 3 cancelled',
    steps: [
      see({ waiting: 3 }),
      { update: 'cancel' },
      call('cancelJob', 'The job is cancelled'),
      see({ waiting: 3 }, { verdict: 'abort' }),
      call('abortJob', undefined),
      see({ cancelled: 3 }, { status: 'cancelled' }),
    ],
  },
  {
    name: 'is-cancelled-as-a-run',
    pollIntervalMs: NEVER,
    result: 'cancelled: 3 cancelled',
    steps: [
      see({ waiting: 3 }),
      { cancel: true },
      call('cancelJob', 'The job is cancelled'),
      see({ cancelled: 3 }, { status: 'cancelled' }),
    ],
  },
];

const state = (next: NextStep, more: Partial<RecoveryView> = {}): RecoveryView => ({
  organizationName: 'Acme',
  status: 'active',
  disabledReason: null,
  breaker: 'closed',
  host: 'receiver.example',
  failingSince: '2026-01-01T00:00:00.000Z',
  lastError: 'the receiver answered 503',
  pending: 0,
  retrying: 1,
  next,
  ...more,
});
const look = (next: NextStep, more?: Partial<RecoveryView>) => call('getEndpointState', state(next, more));
const wait = (what: 'probe' | 'retry' | 'close', waitMs: number): NextStep => ({
  kind: 'wait',
  until: '2026-01-01T00:01:00.000Z',
  waitMs,
  for: what,
});
const open = { breaker: 'open', pending: 4 } as const;
const draining = { breaker: 'draining', pending: 4 } as const;
const healthy = look({ kind: 'end' }, { failingSince: null, lastError: null, retrying: 0 });

const recoveries: Array<Omit<Scenario, 'workflow'>> = [
  {
    name: 'retries-until-delivered',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [
      look(wait('retry', SOON)),
      look({ kind: 'retry' }),
      call('sendRetries', undefined),
      look(wait('retry', SOON)),
      look({ kind: 'retry' }),
      call('sendRetries', undefined),
      healthy,
    ],
  },
  {
    name: 'probes-and-drains',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [
      look(wait('probe', SOON), open),
      look({ kind: 'probe' }, open),
      call('probeEndpoint', undefined),
      look({ kind: 'drain' }, draining),
      call('drainBacklog', { pace: 4, sent: 3 }),
      look({ kind: 'drain' }, draining),
      call('drainBacklog', { pace: 8, sent: 2 }),
      healthy,
    ],
  },
  {
    name: 'closes-without-a-backlog',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [
      look(wait('close', SOON), { breaker: 'open', retrying: 0 }),
      look({ kind: 'close' }, { breaker: 'open', retrying: 0 }),
      call('closeBreaker', undefined),
      healthy,
    ],
  },
  {
    name: 'resends-for-a-customer',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [look({ kind: 'immediate' }), call('sendImmediate', undefined), healthy],
  },
  {
    name: 'is-woken-while-it-waits',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [look(wait('probe', NEVER), open), signal(), healthy],
  },
  {
    name: 'is-woken-while-it-ends',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [
      call('getEndpointState', state({ kind: 'end' }), { signal: [] }),
      look({ kind: 'retry' }),
      call('sendRetries', undefined),
      healthy,
    ],
  },
  {
    name: 'polls-without-signals',
    pollIntervalMs: SOON,
    result: 'the endpoint is healthy',
    steps: [look(wait('probe', NEVER), open), healthy],
  },
  {
    name: 'finds-the-endpoint-disabled',
    pollIntervalMs: NEVER,
    result: 'the endpoint is disabled, because its receiver answered that it is gone',
    steps: [
      look({ kind: 'retry' }),
      call('sendRetries', undefined),
      look({ kind: 'end' }, { status: 'disabled', disabledReason: 'gone' }),
    ],
  },
  {
    name: 'finds-the-endpoint-deleted',
    pollIntervalMs: NEVER,
    result: 'the endpoint was deleted',
    steps: [look(wait('retry', NEVER)), signal(), call('getEndpointState', null)],
  },
  {
    name: 'continues-as-new',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [
      ...times(7, look({ kind: 'drain' }, draining), call('drainBacklog', { pace: 8, sent: 10 })),
      healthy,
    ],
  },
];

const steeredRecoveries: Array<Omit<Scenario, 'workflow'>> = [
  {
    name: 'is-hurried-by-an-operator',
    pollIntervalMs: NEVER,
    result: 'the endpoint is healthy',
    steps: [
      look(wait('probe', NEVER), open),
      { update: 'retryNow' },
      call('retryEndpoint', 'A probe is sent'),
      look({ kind: 'probe' }, open),
      call('probeEndpoint', undefined),
      healthy,
    ],
  },
  {
    name: 'is-given-up-by-an-operator',
    pollIntervalMs: NEVER,
    result: 'the endpoint is disabled by a request or an operator',
    steps: [
      look(wait('probe', NEVER), open),
      { update: 'giveUp' },
      call('giveUpEndpoint', 'The webhook is disabled'),
      look({ kind: 'end' }, { status: 'disabled', disabledReason: 'customer' }),
    ],
  },
];

const escalation = (more: Partial<EscalationView> = {}): EscalationView => ({
  organizationName: 'Acme',
  serialNumber: '282C02424EED',
  alertType: 'high_temp',
  state: 'open',
  policyName: 'On call',
  stepsMade: 0,
  stepCount: 3,
  next: null,
  acknowledged: null,
  ...more,
});
const following = (position: number, waitMs: number, more: Partial<NextStepView> = {}): NextStepView => ({
  position,
  isRepeat: false,
  at: '2026-01-01T00:10:00.000Z',
  waitMs,
  heldBy: null,
  ...more,
});
const pass = (more?: Partial<EscalationView>) => call('makeDueStep', escalation(more));
const acknowledged = pass({
  state: 'acknowledged',
  stepsMade: 2,
  acknowledged: { by: 'Night shift', afterSeconds: 720 },
});

const escalations: Array<Omit<Scenario, 'workflow'>> = [
  {
    name: 'makes-steps-until-acknowledged',
    pollIntervalMs: NEVER,
    result: 'acknowledged by Night shift after 12 min, step 2 of 3',
    steps: [
      pass({ stepsMade: 1, next: following(2, SOON) }),
      pass({ stepsMade: 2, next: following(3, NEVER) }),
      signal(),
      acknowledged,
    ],
  },
  {
    name: 'makes-steps-that-were-held-at-once',
    pollIntervalMs: NEVER,
    result: 'acknowledged by Night shift after 12 min, step 2 of 3',
    steps: [
      pass({ next: following(1, SOON, { heldBy: 'snooze' }) }),
      pass({ stepsMade: 1, next: following(2, 0) }),
      pass({ stepsMade: 2, next: following(3, NEVER) }),
      signal(),
      acknowledged,
    ],
  },
  {
    name: 'is-signalled-while-it-makes-a-step',
    pollIntervalMs: NEVER,
    result: 'acknowledged by Night shift after 12 min, step 2 of 3',
    steps: [
      call('makeDueStep', escalation({ stepsMade: 2, next: following(3, NEVER) }), { signal: [] }),
      acknowledged,
    ],
  },
  {
    name: 'waits-after-its-last-step',
    pollIntervalMs: NEVER,
    result: 'resolved before anybody acknowledged it, step 3 of 3',
    steps: [pass({ stepsMade: 3 }), signal(), pass({ state: 'resolved', stepsMade: 3 })],
  },
  {
    name: 'finds-its-policy-deleted',
    pollIntervalMs: NEVER,
    result: 'the policy was deleted, step 1 of 1',
    steps: [
      pass({ stepsMade: 1, next: following(2, NEVER) }),
      signal(),
      pass({ state: 'policy_deleted', policyName: null, stepsMade: 1, stepCount: 1 }),
    ],
  },
  {
    name: 'is-cancelled-as-a-run',
    pollIntervalMs: NEVER,
    result: 'acknowledged by Night shift after 12 min, step 2 of 3',
    steps: [
      pass({ stepsMade: 2, next: following(3, NEVER) }),
      { cancel: true },
      call('acknowledgeAlert', undefined),
      acknowledged,
    ],
  },
  {
    name: 'finds-no-alert',
    pollIntervalMs: NEVER,
    result: 'the alert no longer exists',
    steps: [call('makeDueStep', null)],
  },
  {
    name: 'continues-as-new',
    pollIntervalMs: NEVER,
    result: 'acknowledged by Night shift after 12 min, step 2 of 3',
    steps: [...times(8, pass({ stepsMade: 3, next: following(3, SOON, { isRepeat: true }) })), acknowledged],
  },
];

const withdrawals: Array<Omit<Scenario, 'workflow'>> = [
  {
    name: 'withdraws-from-members',
    pollIntervalMs: NEVER,
    result: 'withdrawn from all members',
    steps: [call('withdrawFromMembers', undefined)],
  },
];

export const scenarios: Scenario[] = [
  ...[...jobs, ...steeredJobs].map((job): Scenario => ({ workflow: 'apply-profile', ...job })),
  ...withdrawals.map((each): Scenario => ({ workflow: 'withdraw-profile', ...each })),
  ...escalations.map((each): Scenario => ({ workflow: 'escalate-alert', ...each })),
  ...[...recoveries, ...steeredRecoveries].map(
    (recovery): Scenario => ({ workflow: 'deliver-webhooks', ...recovery }),
  ),
];
