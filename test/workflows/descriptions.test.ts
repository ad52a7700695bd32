/** Texts about a run in the Temporal UI. */
import assert from 'node:assert/strict';
import { type Counts, NO_COUNTS } from '../../src/config-jobs/config-job.ts';
import {
  describeJobRun,
  describeStart,
  summarizeEnding,
  summarizeNextStage,
  summarizeResult,
  summarizeStart,
  summarizeWithdrawal,
} from '../../src/config-jobs/job-description.ts';
import type { JobState } from '../../src/config-jobs/job-run.ts';
import {
  describeRecovery,
  type NextStep,
  type RecoveryView,
  summarizeRecovery,
} from '../../src/deliveries/endpoint-recovery.ts';
import type {
  EscalationDetails,
  EscalationView,
  NextStepView,
} from '../../src/escalations/alert-escalation.ts';
import {
  describeEscalation,
  escalationAttributes,
  summarizeEscalation,
  summarizeEscalationStart,
  summarizeWait,
} from '../../src/escalations/escalation-description.ts';

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
/** A link, an image, a page that Markdown would find by itself, and text that is turned around. */
const HOSTILE = '[Click](http://evil.example) ![](x) www.evil.example \u202egpj.`exe\n# Head';
const HARMLESS = "`[Click](http://evil.example) ![](x) www.evil.example gpj.'exe # Head`";

describe('The description of a job run', () => {
  const counted = (some: Partial<Counts>): Counts => ({ ...NO_COUNTS, ...some });
  const running: JobState = {
    organizationName: 'Acme',
    profileSlug: 'fridge',
    status: 'running',
    total: 12,
    stage: 1,
    stages: 1,
    verdict: 'wait',
    startAt: null,
    untilStartMs: 0,
    deadlineAt: '2026-03-04T08:00:00.000Z',
    untilDeadlineMs: 86_400_000,
    waitingFor: [],
    counts: counted({ waiting: 3, sent: 2, applied: 6, timed_out: 1 }),
  };
  const STOP =
    'Cancel of this run, or the update cancel, cancels the job. The update extend moves the deadline.';

  it('names the profile, the targets that the job waits for and the deadline, with counts', () => {
    assert.equal(
      describeJobRun(running, [], NOW),
      `**Profile fridge** on 12 devices of Acme: running

Waiting until 2026-03-04 08:00:00 UTC for 3 devices to fetch the change and for 2 devices to confirm it.

- waiting: 3
- sent: 2
- applied: 6
- timed out: 1

${STOP}`,
    );
  });

  it('says that no stage has begun while the run begins the first one', () => {
    const text = describeJobRun({ ...running, counts: counted({ queued: 1 }), stage: 0, stages: 2 }, [], NOW);
    assert.match(text, /^The first of 2 stages has not begun\.$/m);
  });

  it('names the stage if there is more than one, and writes 1 device in the singular', () => {
    const counts = counted({ sent: 1 });
    assert.equal(
      describeJobRun({ ...running, total: 1, counts, stages: 2 }, [], NOW),
      `**Profile fridge** on 1 device of Acme: running

Waiting until 2026-03-04 08:00:00 UTC for 0 devices to fetch the change and for 1 device to confirm it.

Stage 1 of 2.

- sent: 1

${STOP} The update proceed begins the next stage now.`,
    );
  });

  it('states when the next stage begins, what would withdraw the change, and since when the job exists', () => {
    const rollout = { firstPercent: 25, minAppliedPercent: 95, abortFailedPercent: 3 };
    const details = { createdAt: '2026-03-02T08:00:00.000Z', rollout, chunkSize: 1_000 };
    const counts = counted({ sent: 3, queued: 9 });
    const first: JobState = { ...running, counts, stages: 2, details };
    const text = describeJobRun(first, [], NOW);
    assert.match(
      text,
      /^Stage 1 of 2\. The next one, of 9 devices, begins when 95 % of this one run the change; when 3 % have failed, the change is withdrawn\.$/m,
    );
    assert.match(text, /^- since: 2026-03-02 08:00:00 UTC$/m);
    assert.match(describeJobRun({ ...first, stage: 2 }, [], NOW), /^Stage 2 of 2\.$/m);
  });

  it('counts the chunks of a step that has several', () => {
    const details = { createdAt: '2026-03-02T08:00:00.000Z', rollout: null, chunkSize: 1_000 };
    const large: JobState = { ...running, stages: 2, counts: counted({ queued: 8_001 }), details };
    assert.equal(summarizeNextStage(large), 'offers stage 2 of 2, 8001 devices queued, in 9 chunks');
    assert.equal(summarizeEnding(large), 'ends the job, 8001 devices left, in 9 chunks');
    const small = { ...large, counts: counted({ queued: 1_000 }) };
    assert.equal(summarizeNextStage(small), 'offers stage 2 of 2, 1000 devices queued');
    assert.equal(
      summarizeNextStage({ ...large, details: undefined }),
      'offers stage 2 of 2, 8001 devices queued',
    );
  });

  it('ends with the latest outcomes', () => {
    const text = describeJobRun(running, ['A applied', 'B failed'], NOW);
    assert.match(text, /\n\nLatest:\n\n- A applied\n- B failed\n\nCancel/);
  });

  it('names the devices that it waits for, with the deadlines of their next contact, or since when it is overdue', () => {
    const waitingFor = [
      { serialNumber: 'O', expectedBy: '2026-03-02T07:59:59.000Z' },
      { serialNumber: 'A', expectedBy: '2026-03-02T08:00:00.000Z' },
      { serialNumber: 'B', expectedBy: null },
    ];
    assert.match(
      describeJobRun({ ...running, waitingFor }, [], NOW),
      /\n\nWaiting for, the most overdue first:\n\n- O: overdue since 2026-03-02 07:59:59 UTC\n- A: next contact expected by 2026-03-02 08:00:00 UTC\n- B: when it will be in contact is not known\n\nCancel/,
    );
  });

  it('says how to stop the job, and how to hurry it while a stage follows', () => {
    const lastLine = (more: Partial<JobState>) =>
      describeJobRun({ ...running, ...more }, [], NOW)
        .split('\n')
        .at(-1);
    assert.equal(lastLine({}), STOP);
    assert.equal(lastLine({ stages: 2 }), `${STOP} The update proceed begins the next stage now.`);
    assert.equal(lastLine({ stages: 2, stage: 2 }), STOP);
    assert.equal(lastLine({ stages: 2, status: 'scheduled', stage: 0 }), STOP);
    for (const over of [{ status: 'cancelled' }, { verdict: 'abort' }] as Partial<JobState>[])
      assert.doesNotMatch(describeJobRun({ ...running, ...over }, [], NOW), /update/);
  });

  it('begins with a summary of profile and organization, however long these are', () => {
    assert.equal(
      summarizeStart({ profileSlug: 'fridge', organizationName: 'Acme' }),
      'Applies profile fridge for Acme',
    );
    const longest = summarizeStart({ profileSlug: 'f'.repeat(64), organizationName: '\u00e9'.repeat(500) });
    assert.ok(Buffer.byteLength(longest) <= 400, 'Temporal takes 400 bytes');
  });

  it('names the group and the organization of a withdrawal, if they are known', () => {
    const title = (groupName: string, organizationName: string) => ({
      groupName,
      organizationName,
      createdBy: null,
    });
    assert.equal(
      summarizeWithdrawal(title('Kitchen', 'Acme')),
      'Withdraws the former profile of group Kitchen for Acme from its members',
    );
    assert.equal(summarizeWithdrawal(null), 'Withdraws the former profile of a large group from its members');
    assert.match(summarizeWithdrawal(title(HOSTILE, 'Acme')), /of group `\[Click\][^`]*` for Acme/);
    assert.ok(
      Buffer.byteLength(summarizeWithdrawal(title('\u6e29'.repeat(500), '\u6e29'.repeat(500)))) <= 400,
      'Temporal takes 400 bytes',
    );
  });

  it('shows names, serial numbers and outcomes as text, whatever Markdown they hold', () => {
    const waitingFor = [{ serialNumber: HOSTILE, expectedBy: null }];
    const hostile = { ...running, organizationName: HOSTILE, waitingFor };
    const text = describeJobRun(hostile, [`${HOSTILE} applied`], NOW);
    assert.equal(text.split(HARMLESS.slice(0, -1)).length, 4);
    assert.doesNotMatch(text.replaceAll(/`[^`]*`/g, ''), /evil|Head|\u202e/);
    const summary = summarizeStart({ profileSlug: 'fridge', organizationName: HOSTILE });
    assert.equal(summary, `Applies profile fridge for ${HARMLESS}`);
    assert.equal(
      describeStart({ profileSlug: 'fridge', organizationName: 'Acme', createdBy: HOSTILE }),
      `Begun by ${HARMLESS}`,
    );
  });

  it('states that the job has ended, and no stage then', () => {
    const ended: JobState = { ...running, status: 'completed_with_failures', stages: 2 };
    const text = describeJobRun(ended, [], NOW);
    assert.match(
      text,
      /^\*\*Profile fridge\*\* on 12 devices of Acme: completed with failures\n\nThe job has ended\.\n\n- waiting/,
    );
  });

  it('summarizes the status and the counts above zero', () => {
    const counts = counted({ applied: 9, timed_out: 3 });
    assert.equal(
      summarizeResult({ ...running, status: 'completed_with_failures', counts }),
      'completed with failures: 9 applied, 3 timed out',
    );
  });
});

describe('The description of an endpoint recovery', () => {
  const until = '2026-03-02T08:00:05.000Z';
  const failing: RecoveryView = {
    organizationName: 'Acme',
    status: 'active',
    disabledReason: null,
    breaker: 'open',
    host: 'receiver.example',
    failingSince: '2026-03-02T07:00:00.000Z',
    lastError: 'the receiver answered 500',
    pending: 12,
    retrying: 3,
    next: { kind: 'wait', until, waitMs: 5_000, for: 'probe' },
  };
  const [breakerLine, stepLine] = [2, 3];
  const lineOf = (line: number, more: Partial<RecoveryView>) =>
    describeRecovery({ ...failing, ...more }).split('\n')[line];

  it('describes the breaker, the next step, and the waiting deliveries with the reason', () => {
    assert.equal(
      describeRecovery(failing),
      `**Webhook to \`receiver.example\`** of Acme: the breaker is open

The receiver fails, so new deliveries wait and only probes are sent.
The next probe is sent at 2026-03-02 08:00:05 UTC.

- waiting for the first attempt: 12
- waiting for a retry: 3
- failing since: 2026-03-02 07:00:00 UTC
- will be disabled at: 2026-03-05 10:00:00 UTC
- last error: the receiver answered 500

The update retryNow sends at once. Cancel of this run, or the update giveUp, disables the webhook.`,
    );
    const sending = describeRecovery({ ...failing, next: { kind: 'probe' } });
    assert.match(sending, /500\n\nCancel of this run, or the update giveUp, disables the webhook\.$/);
  });

  it('leaves out unknown values', () => {
    const text = describeRecovery({ ...failing, failingSince: null, lastError: null });
    assert.match(text, /- waiting for a retry: 3\n\nThe update/);
  });

  it('explains each state of the breaker', () => {
    const expected: Record<RecoveryView['breaker'], string> = {
      closed: 'New deliveries are sent at once.',
      open: 'The receiver fails, so new deliveries wait and only probes are sent.',
      draining: 'The backlog is being sent, and new deliveries wait behind it.',
    };
    for (const breaker of ['closed', 'open', 'draining'] as const)
      assert.equal(lineOf(breakerLine, { breaker }), expected[breaker]);
  });

  it('explains each next step', () => {
    const waitFor = (what: 'probe' | 'retry' | 'close'): NextStep => ({
      kind: 'wait',
      until,
      waitMs: 1,
      for: what,
    });
    const expected: Array<[NextStep, string]> = [
      [{ kind: 'end' }, 'Nothing is left to recover.'],
      [{ kind: 'immediate' }, 'Sending the deliveries that a customer asked to resend.'],
      [{ kind: 'probe' }, 'Sending one delivery to find out whether the receiver is back.'],
      [{ kind: 'drain' }, 'Sending the backlog, oldest first, at a growing pace.'],
      [{ kind: 'retry' }, 'Sending the retries that are due, or are within seconds.'],
      [{ kind: 'close' }, 'No delivery is waiting, so the breaker is closed.'],
      [waitFor('probe'), `The next probe is sent at 2026-03-02 08:00:05 UTC.`],
      [waitFor('retry'), `The next retry is sent at 2026-03-02 08:00:05 UTC.`],
      [waitFor('close'), `No delivery is waiting, so the breaker closes at 2026-03-02 08:00:05 UTC.`],
    ];
    for (const [next, text] of expected) assert.equal(lineOf(stepLine, { next }), text);
  });

  it('summarizes how the recovery ended', () => {
    assert.equal(summarizeRecovery(failing), 'the endpoint is healthy');
    const gone: RecoveryView = { ...failing, status: 'disabled', disabledReason: 'gone' };
    assert.equal(
      summarizeRecovery(gone),
      'the endpoint is disabled, because its receiver answered that it is gone',
    );
  });

  it('says of a disabled webhook that its deliveries are held, and nothing about probes', () => {
    const next = { kind: 'end' } as const;
    const text = describeRecovery({ ...failing, status: 'disabled', disabledReason: 'customer', next });
    assert.match(text, /: disabled\n\nIt was disabled by a request or an operator: what waits is held until/);
    assert.match(text, /^- waiting for the first attempt: 12$/m);
    assert.doesNotMatch(text, /probe|Nothing is left|will be disabled|retryNow/);
  });

  it('shows the name of the organization, the host and the error as text, whatever Markdown they hold', () => {
    const text = describeRecovery({
      ...failing,
      organizationName: HOSTILE,
      host: 'www.evil',
      lastError: HOSTILE,
    });
    assert.equal(text.split(HARMLESS).length, 3);
    assert.doesNotMatch(text.replaceAll(/`[^`]*`/g, ''), /evil|Head|\u202e/);
  });
});

describe('The description of an escalation', () => {
  const view: EscalationView = {
    organizationName: 'Acme',
    serialNumber: '282C02424EED',
    alertType: 'high_temp',
    state: 'open',
    policyName: 'Cold store',
    stepsMade: 1,
    stepCount: 3,
    next: {
      position: 2,
      isRepeat: false,
      at: '2026-03-02T08:25:30.000Z',
      waitMs: 600_000,
      heldBy: null,
    },
    acknowledged: null,
  };
  const next = view.next as NextStepView;
  const HOW_TO_STOP =
    'Cancel of this run acknowledges the alert, and so ends the escalation. Nothing makes a step earlier.';
  const details: EscalationDetails = {
    beganAt: '2026-03-02T08:00:00.000Z',
    notified: [{ place: 'email at example.com', lastError: null }],
    nextChannels: [{ place: 'webhook at pager.example', lastError: null }],
    held: null,
    isStepNew: false,
  };

  it('names the alert, the step that was made, and the next one with its time', () => {
    assert.equal(
      describeEscalation(view),
      `**too warm** of 282C02424EED, Acme

Policy Cold store: step 1 of 3.

Step 2 follows at 2026-03-02 08:25:30 UTC, unless somebody acknowledges it.

${HOW_TO_STOP}`,
    );
  });

  it('states what holds the next step, that it is a repeat, or that none follows', () => {
    const held = describeEscalation({ ...view, next: { ...next, heldBy: 'mute', isRepeat: true } });
    assert.match(held, /Step 2 is repeated at 2026-03-02 08:25:30 UTC, when its mute ends, unless/);
    assert.match(describeEscalation({ ...view, next: null }), /All steps were made/);
    assert.match(
      describeEscalation({ ...view, policyName: null, state: 'policy_deleted' }),
      /^1 step was made\.\n\nIt has ended: the policy was deleted\.$/m,
    );
  });

  it('names the time of the opening, the channels that were notified with their failures, and the next ones', () => {
    const failed = { place: 'email at example.com', lastError: 'the server refused the address' };
    assert.equal(
      describeEscalation({ ...view, details: { ...details, notified: [failed] } }),
      `**too warm** of 282C02424EED, Acme

Escalates since 2026-03-02 08:00:00 UTC.

Policy Cold store: step 1 of 3.

Notified by the latest step:

- \`email at example.com\`: its latest attempt failed: the server refused the address

Step 2 follows at 2026-03-02 08:25:30 UTC, by \`webhook at pager.example\`, unless somebody acknowledges it.

${HOW_TO_STOP}`,
    );
    const isNew = describeEscalation({ ...view, details: { ...details, isStepNew: true } });
    assert.match(isNew, /^- `email at example.com`: the message is being sent$/m);
  });

  it('says after the last step that the alert is snoozed or muted, and until when', () => {
    const until = '2026-03-02T09:00:00.000Z';
    const heldBy = (by: 'snooze' | 'mute'): EscalationView => ({
      ...view,
      next: null,
      details: { ...details, held: { by, until } },
    });
    assert.match(
      describeEscalation(heldBy('snooze')),
      /steps were made: snoozed until 2026-03-02 09:00:00 UTC\.$/m,
    );
    assert.match(
      describeEscalation(heldBy('mute')),
      /steps were made: muted until 2026-03-02 09:00:00 UTC\.$/m,
    );
    assert.equal(summarizeWait(heldBy('mute')), 'muted until 2026-03-02 09:00:00 UTC');
    assert.equal(escalationAttributes(heldBy('snooze')).Phase, 'held');
    assert.equal(escalationAttributes({ ...view, next: null, details }).Phase, 'all steps made');
  });

  it('shows the names of policies, devices, organizations and people as text, whatever Markdown they hold', () => {
    const hostile = { organizationName: HOSTILE, serialNumber: HOSTILE, policyName: HOSTILE };
    const text = describeEscalation({ ...view, ...hostile });
    assert.equal(text.split(HARMLESS).length, 4);
    assert.doesNotMatch(text.replaceAll(/`[^`]*`/g, ''), /evil|Head|\u202e/);
    const acknowledged = { by: HOSTILE, afterSeconds: 1 };
    assert.match(summarizeEscalation({ ...view, state: 'acknowledged', acknowledged }), /by `[^`]+` after/);
  });

  it('ends with the person who acknowledged the alert and the time it took, or the reason for no acknowledgement', () => {
    const acknowledged = { by: 'Night shift', afterSeconds: 725 };
    const ended = { ...view, state: 'acknowledged' as const, next: null };
    assert.equal(
      summarizeEscalation({ ...ended, acknowledged }),
      'acknowledged by Night shift after 12 min, step 1 of 3',
    );
    const atOnce = { by: null, afterSeconds: 59 };
    assert.equal(
      summarizeEscalation({ ...ended, acknowledged: atOnce }),
      'acknowledged after 59 s, step 1 of 3',
    );
    assert.equal(
      summarizeEscalation({ ...view, state: 'resolved' }),
      'resolved before anybody acknowledged it, step 1 of 3',
    );
  });

  it('uses the alert as its title in the list of runs', () => {
    const title = { serialNumber: '282C02424EED', alertType: 'no_data' as const };
    assert.equal(summarizeEscalationStart(title), 'Escalates no contact of 282C02424EED');
    assert.ok(Buffer.byteLength(summarizeEscalationStart({ ...title, serialNumber: 'ä'.repeat(999) })) < 400);
    assert.match(summarizeEscalationStart(null), /^Escalates an alert/);
  });
});
