/** The runs of escalations, on a real Temporal server. */
import assert from 'node:assert/strict';
import { DAY_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { ALERT_CHANGED_SIGNAL } from '../../src/temporal/workflow-ids.ts';
import { useMessageReceiver } from '../notifications/harness.ts';
import { eventually } from '../support/fleet.ts';
import { startService, type TestService, useOrganization, useService } from '../support/service.ts';
import { validateEventBody } from '../support/validate-events.ts';
import { detailsOf, runOf, toCustomer } from './harness.ts';

/** Fields of the run in the Temporal UI. */
const untilDetails = (dms: TestService, id: string, seen: RegExp) =>
  eventually(
    () => detailsOf(runOf(dms, id)).catch((error: Error) => error.name),
    (details) => seen.test(details),
  );

describe('The run of an escalation', () => {
  const dms = useService({
    settings: { runCheckIntervalMs: 200 },
    now: () => new Date(Date.now() + aheadMs),
  });
  let aheadMs = 0;
  beforeEach(() => {
    aheadMs = 0;
  });
  const org = useOrganization(dms);
  const customer = toCustomer(dms, org);

  const untilSent = (count: number) => eventually(customer.sent, ({ length }) => length >= count);

  const untilRunning = (id: string) =>
    eventually(
      () =>
        runOf(dms, id)
          .describe()
          .then(
            ({ status }) => status.name,
            (error: Error) => error.name,
          ),
      (status) => status === 'RUNNING',
    );

  it('makes step after step until the alert is acknowledged, and shows who did that and when', async () => {
    const [nurse, head] = [await customer.channel('nurse'), await customer.channel('head')];
    await customer.escalation([
      [0, nurse],
      [10, nurse, head],
      [20, head],
    ]);
    const { id } = await customer.openAlert();
    assert.deepEqual(
      (await untilSent(1)).map(({ to }) => to),
      ['nurse'],
    );
    aheadMs = 10 * MINUTE_MS;
    assert.deepEqual(
      (await untilSent(3)).slice(1).map(({ to }) => to),
      ['nurse', 'head'],
    );
    assert.equal((await customer.show(id)).escalation?.step, 2);
    await customer.acknowledge(id);
    assert.match(await runOf(dms, id).result(), /^acknowledged by .+ after .+, step 2 of 3$/);
    const { escalation, history } = await customer.show(id);
    assert.equal(escalation?.nextStepAt, null);
    assert.deepEqual(
      history.map(({ action }) => action),
      ['opened', 'escalated', 'escalated', 'acknowledged'],
    );
  });

  it('shows in the Temporal UI the alert, the next step and its time', async () => {
    await customer.escalation([
      [0, await customer.channel('nurse')],
      [10, await customer.channel('head')],
    ]);
    const { id } = await customer.openAlert();
    await untilDetails(
      dms,
      id,
      /^\*\*low battery\*\* of BATTERY-\d+, test [-0-9a-f]+\n\nEscalates since 20.+\n\nPolicy On call: step 1 of 2\.\n\nNotified by the latest step:\n\n- `webhook at .+`: the message is being sent\n\nStep 2 follows at 20.+, by `webhook at /,
    );
    const run = await runOf(dms, id).describe();
    assert.match((await run.staticSummary()) ?? '', /^Escalates low battery of BATTERY-\d+$/);
  });

  it('looks again within minutes when all steps were made, in case the signal of an acknowledgement is lost', async () => {
    await customer.escalation([[0, await customer.channel('nurse')]]);
    const { id } = await customer.openAlert();
    await untilDetails(dms, id, /All steps were made/);
    await runOf(dms, id).signal(ALERT_CHANGED_SIGNAL);
    const waits = await eventually(
      async () => {
        const { events } = await runOf(dms, id).fetchHistory();
        const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer ?? []);
        return timers.map(({ startToFireTimeout }) => Number(startToFireTimeout?.seconds));
      },
      (seconds) => seconds.at(-1) !== 60,
    );
    assert.equal(waits.at(-1), 300);
  });

  it('continues at its step with a new run after an operator has terminated the one before', async () => {
    await customer.escalation([
      [0, await customer.channel('nurse')],
      [10, await customer.channel('head')],
    ]);
    const { id } = await customer.openAlert();
    await untilSent(1);
    await runOf(dms, id).terminate('by an operator');
    await untilRunning(id);
    aheadMs = 10 * MINUTE_MS;
    const sent = await untilSent(2);
    assert.deepEqual(
      sent.map(({ to }) => to),
      ['nurse', 'head'],
    );
  });

  it('starts by the sweep when the process that stored the alert could not reach Temporal', async () => {
    await customer.escalation([[0, await customer.channel('nurse')]]);
    const { databaseUrl, taskQueue } = dms.settings;
    const cutOff = await startService({
      withWorker: false,
      databaseUrl,
      settings: { taskQueue, temporalAddress: '127.0.0.1:1' },
    });
    try {
      const { token } = await dms.issueKey(org.id, 'device');
      const { id } = await toCustomer(dms, { ...org, device: cutOff.with(token) }).openAlert();
      await untilSent(1);
      await customer.acknowledge(id);
      assert.match(await runOf(dms, id).result(), /^acknowledged by/);
    } finally {
      await cutOff.stop();
    }
  });

  it('ends when the alert is over, and when its policy is deleted', async () => {
    const nurse = await customer.channel('nurse');
    const policyId = await customer.escalation([[0, nurse]]);
    // One after the other: steps of the same moment are gathered in one message.
    const first = await customer.openAlert();
    await untilSent(1);
    const second = await customer.openAlert();
    await untilSent(2);
    await first.resolve();
    assert.equal(await runOf(dms, first.id).result(), 'resolved before anybody acknowledged it, step 1 of 1');
    await org.api.delete(`/escalations/${policyId}`);
    assert.equal(await runOf(dms, second.id).result(), 'the policy was deleted, step 1 of 1');
  });

  it('restarts for an alert that was acknowledged and is snoozed later on', async () => {
    await customer.escalation([
      [0, await customer.channel('nurse')],
      [10, await customer.channel('head')],
    ]);
    const { id } = await customer.openAlert();
    await untilSent(1);
    await customer.acknowledge(id);
    assert.match(await runOf(dms, id).result(), /^acknowledged/);
    await customer.acknowledge(id, { snoozeUntil: new Date(Date.now() + 60 * MINUTE_MS).toISOString() });
    await untilDetails(dms, id, /when its snooze ends/);
    aheadMs = 60 * MINUTE_MS;
    await untilSent(2);
  });
});

/** So long that no sweep wakes a run: effects of a change come by the signal. */
const LONG_MS = 600_000;

describe('The change of a policy or a mute', () => {
  const dms = useService({
    settings: { runCheckIntervalMs: LONG_MS },
    now: () => new Date(Date.now() + aheadMs),
  });
  let aheadMs = 0;
  beforeEach(() => {
    aheadMs = 0;
  });
  const org = useOrganization(dms);
  const customer = toCustomer(dms, org);

  it('wakes runs whose next step was brought forward', async () => {
    const nurse = await customer.channel('nurse');
    const policyId = await customer.escalation([[600, nurse]]);
    const { id } = await customer.openAlert();
    await untilDetails(dms, id, /Step 1 follows/);
    await org.api.patch(`/escalations/${policyId}`, { steps: [{ afterMinutes: 0, channelIds: [nurse] }] });
    await eventually(customer.sent, ({ length }) => length === 1);
  });

  it('wakes runs that wait for a mute that ends early', async () => {
    await customer.escalation([[5, await customer.channel('nurse')]]);
    const { id } = await customer.openAlert();
    const endMute = await customer.mute(id, { until: new Date(Date.now() + 60 * MINUTE_MS) });
    await untilDetails(dms, id, /Step 1 follows/);
    await runOf(dms, id).signal(ALERT_CHANGED_SIGNAL);
    await untilDetails(dms, id, /when its mute ends/);
    aheadMs = 10 * MINUTE_MS;
    await endMute();
    await eventually(customer.sent, ({ length }) => length === 1);
  });
});

/** In UTC. */
const nextNoon = () => (Math.floor(Date.now() / DAY_MS) + 1.5) * DAY_MS;

describe('The messages of an escalation', () => {
  const receiver = useMessageReceiver();
  const dms = useService(() => {
    const aheadMs = nextNoon() - Date.now();
    return {
      settings: { notificationIntervalMs: 0 },
      deliveryPlan: { pollIntervalMs: 50 },
      now: () => new Date(Date.now() + aheadMs),
    };
  });

  it('sends steps in quiet hours, which hold other notifications of the channel', async () => {
    const customer = toCustomer(dms, dms);
    const quietHours = { from: '10:00', to: '14:00', timezone: 'UTC' };
    const channel = await customer.channel('', { type: 'slack', target: receiver.url, quietHours });
    // Opens before there is an escalation.
    await customer.openAlert('Warm room');
    await customer.escalation([[0, channel]], { alertTypes: ['low_battery'] });
    await customer.openAlert('Cold room');
    const [only] = await eventually(
      async () => receiver.received,
      ({ length }) => length > 0,
    );
    assert.match(JSON.parse(only?.body ?? '{}').text, /^Escalation, step 1: Cold room, low battery/);
    assert.equal(receiver.received.length, 1);
  });

  it('sends steps to a webhook in the form of the API document', async () => {
    const org = await dms.addOrganization();
    const customer = toCustomer(dms, org);
    const channel = await customer.channel('', { target: receiver.url });
    await customer.escalation([[0, channel]]);
    const { id } = await customer.openAlert('Cold room');
    const { body = '' } =
      (await eventually(
        async () => receiver.received.find((each) => each.body.includes(id)),
        (found) => found !== undefined,
      )) ?? {};
    validateEventBody(body);
    const { counts, alerts } = JSON.parse(body).data;
    assert.equal(counts.escalated, 1);
    assert.deepEqual([alerts[0].change, alerts[0].alert.escalation.step], ['escalated', 1]);
  });
});
