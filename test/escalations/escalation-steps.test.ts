/** Steps of an escalation, on its rows: when each is made, whom it reaches, and what ends or holds it. */
import assert from 'node:assert/strict';
import { createAlertActionsRepository } from '../../src/alerts/alert-actions.repository.ts';
import { createAlertHandling } from '../../src/alerts/alert-handling.service.ts';
import { createAlertsRepository } from '../../src/alerts/alerts.repository.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createAlertEscalationsRepository } from '../../src/escalations/alert-escalations.repository.ts';
import type { EscalationRunDeps } from '../../src/escalations/escalation-run.service.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { register } from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';
import { newRun, toCustomer } from './harness.ts';

describe('A step of an escalation', () => {
  const dms = useService({ withWorker: false });
  const steps = useSteps(dms);
  let org: TestOrganization;
  let customer: ReturnType<typeof toCustomer>;
  let nurse: string;
  let head: string;
  let beganAt: number;

  beforeEach(async () => {
    org = await dms.addOrganization();
    customer = toCustomer(dms, org);
    [nurse, head] = [await customer.channel('nurse'), await customer.channel('head')];
  });

  async function openAlert() {
    const alert = await customer.openAlert();
    const [row] = await query<{ began_at: Date }>(
      dms.service.sql,
      'select began_at from alert_escalations where organization_id = ? and alert_id = ?',
      [org.id, alert.id],
    );
    beganAt = row?.began_at.getTime() ?? 0;
    return alert;
  }
  const at = (minutes: number) => new Date(beganAt + minutes * MINUTE_MS);
  /** One pass of a run, so many minutes after the beginning. */
  const pass = (alertId: string, minutes: number, more: Partial<EscalationRunDeps> = {}) =>
    newRun(dms, () => at(minutes), more).makeDueStep({ organizationId: org.id, alertId });
  const isDue = (alertId: string, minutes: number) =>
    createAlertEscalationsRepository(dms.service.sql).isDue({ organizationId: org.id, alertId }, at(minutes));
  const reached = async () => (await customer.sent()).map(({ to }) => to);
  /** Runs the sweep for snoozes. */
  const endSnoozes = (minutes: number) =>
    createAlertHandling({
      alertsIn: createAlertsRepository,
      actionsIn: createAlertActionsRepository,
      remindAgain: async () => {},
      holdEscalation: async () => {},
      publish: async () => {},
      observe: () => {},
      onSetAside: () => {},
      transact: createTransact(dms.service.sql),
      now: () => at(minutes),
    }).endSnoozes(() => true);

  it('makes a step when it is due and not before, and reaches each of its channels once', async () => {
    const policyId = await customer.escalation([
      [0, nurse],
      [10, nurse, head],
    ]);
    const { id } = await openAlert();
    assert.deepEqual((await customer.show(id)).escalation, {
      id: policyId,
      step: 0,
      nextStepAt: at(0).toISOString(),
    });
    const first = await pass(id, 0);
    assert.deepEqual(
      [first?.stepsMade, first?.next?.at, first?.next?.waitMs],
      [1, at(10).toISOString(), 10 * MINUTE_MS],
    );
    await pass(id, 9.9);
    assert.deepEqual(await reached(), ['nurse']);
    assert.equal((await pass(id, 10))?.next, null);
    await pass(id, 11);
    assert.deepEqual(await reached(), ['nurse', 'nurse', 'head']);
    assert.deepEqual((await customer.show(id)).escalation, { id: policyId, step: 2, nextStepAt: null });
  });

  it('names the step and its recipients in the message and in the history of the alert', async () => {
    await customer.escalation([[0, nurse, head]]);
    const { id } = await openAlert();
    await pass(id, 0);
    const [message] = await customer.sent();
    assert.equal(message?.subject, 'Escalation, step 1: Cold room, low battery');
    assert.match(message?.text ?? '', /^New alert \(step 1 of 1\):\n- Cold room/);
    const [, escalated] = (await customer.show(id)).history;
    assert.deepEqual([escalated?.action, escalated?.by], ['escalated', null]);
    assert.match(escalated?.comment ?? '', /^step 1 of 1: webhook http\S+nurse, webhook http\S+head$/);
  });

  it('names a channel by its own name in the history, in place of its address', async () => {
    await customer.escalation([[0, nurse, head]]);
    await org.api.patch(`/notification-channels/${nurse}`, { name: 'Nurse on call' });
    const { id } = await openAlert();
    await pass(id, 0);
    const [, escalated] = (await customer.show(id)).history;
    assert.match(escalated?.comment ?? '', /^step 1 of 1: Nurse on call, webhook http\S+head$/);
  });

  it('says that nobody has acknowledged the alert only after a wait', async () => {
    await customer.escalation([[5, nurse]], { repeatMinutes: 5 });
    const { id } = await openAlert();
    await pass(id, 5);
    await pass(id, 10);
    assert.deepEqual(
      (await customer.sent()).map(({ text }) => text.split('\n')[0]),
      [
        'Nobody has acknowledged this alert yet (step 1 of 1):',
        'Nobody has acknowledged this alert yet (step 1 of 1 again):',
      ],
    );
  });

  it('makes a step once when several workers make it at the same time', async () => {
    await customer.escalation([[0, nurse]]);
    const { id } = await openAlert();
    await Promise.all(Array.from({ length: 8 }, () => pass(id, 0)));
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('records no step without its notifications', async () => {
    await customer.escalation([[0, nurse]]);
    const { id } = await openAlert();
    const killed = {
      notificationsIn: () => ({ insertEscalation: () => Promise.reject(new Error('killed')) }),
    };
    await assert.rejects(pass(id, 0, killed), /killed/);
    assert.equal((await customer.show(id)).escalation?.step, 0);
    await pass(id, 0);
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('makes no step after an acknowledgement or the end of the alert', async () => {
    await customer.escalation([[0, nurse]]);
    const acknowledged = await openAlert();
    await customer.acknowledge(acknowledged.id);
    assert.equal((await pass(acknowledged.id, 0))?.state, 'acknowledged');
    const resolved = await openAlert();
    await resolved.resolve();
    assert.equal((await pass(resolved.id, 0))?.state, 'resolved');
    assert.deepEqual(await reached(), []);
    for (const { id } of [acknowledged, resolved])
      assert.equal((await customer.show(id)).escalation?.nextStepAt, null);
  });

  it('waits for the end of a snooze, and then makes all due steps', async () => {
    await customer.escalation([
      [0, nurse],
      [10, nurse],
      [20, head],
    ]);
    const { id } = await openAlert();
    await pass(id, 0);
    await customer.acknowledge(id, { snoozeUntil: at(60) });
    assert.equal((await customer.show(id)).escalation?.nextStepAt, at(60).toISOString());
    const held = await pass(id, 59);
    assert.deepEqual(
      [held?.state, held?.next?.heldBy, held?.next?.at],
      ['open', 'snooze', at(60).toISOString()],
    );
    assert.deepEqual(await reached(), ['nurse']);
    await endSnoozes(60);
    await pass(id, 60);
    assert.equal((await pass(id, 60))?.next, null);
    assert.deepEqual(await reached(), ['nurse', 'nurse', 'head']);
    assert.deepEqual(
      (await customer.sent()).map(({ text }) => text.split('\n')[0]),
      [
        'New alert (step 1 of 3):',
        'Still open after its snooze (step 2 of 3):',
        'Still open after its snooze (step 3 of 3):',
      ],
    );
  });

  it('makes a step at the end of a snooze even if the alert is not new again yet', async () => {
    await customer.escalation([[10, nurse]]);
    const { id } = await openAlert();
    await customer.acknowledge(id, { snoozeUntil: at(60) });
    await pass(id, 60);
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('continues for an alert that was acknowledged and then snoozed, and not if the snooze was taken back', async () => {
    await customer.escalation([[10, nurse]]);
    const { id } = await openAlert();
    await customer.acknowledge(id);
    assert.equal((await pass(id, 5))?.state, 'acknowledged');
    await customer.acknowledge(id, { snoozeUntil: at(60) });
    assert.equal((await pass(id, 20))?.next?.at, at(60).toISOString());
    await customer.acknowledge(id, { snoozeUntil: null });
    assert.equal((await pass(id, 60))?.state, 'acknowledged');
    assert.deepEqual(await reached(), []);
  });

  it('waits for the end of a mute, after which the sweep finds the step', async () => {
    await customer.escalation([[0, nurse]]);
    const { id } = await openAlert();
    await customer.mute(id, { until: at(30) });
    assert.equal((await customer.show(id)).escalation?.nextStepAt, at(30).toISOString());
    const held = await pass(id, 1);
    assert.deepEqual([held?.next?.heldBy, held?.next?.at], ['mute', at(30).toISOString()]);
    assert.deepEqual(await reached(), []);
    assert.deepEqual([await isDue(id, 29), await isDue(id, 30)], [false, true]);
    await pass(id, 30);
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('waits through a maintenance that was planned before the step, and has begun by then', async () => {
    await customer.escalation([[10, nurse]]);
    const { id } = await openAlert();
    await customer.mute(id, { from: at(5), until: at(30) });
    assert.equal((await pass(id, 1))?.next?.heldBy, null);
    assert.equal((await pass(id, 10))?.next?.heldBy, 'mute');
    assert.deepEqual(await reached(), []);
    await pass(id, 30);
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('shows its run the channels of the latest and of the next step, without addresses, and the latest errors', async () => {
    await customer.escalation([
      [0, nurse],
      [10, head],
    ]);
    await query(
      dms.service.sql,
      "update notification_channels set type = 'email', target = 'ada@example.com' where id = ?",
      [head],
    );
    const { id } = await openAlert();
    const made = (await pass(id, 0))?.details;
    assert.equal(made?.isStepNew, true);
    await query(
      dms.service.sql,
      "update notification_channels set last_error = 'it answered 500' where id = ?",
      [nurse],
    );
    assert.deepEqual((await pass(id, 1))?.details, {
      beganAt: at(0).toISOString(),
      ageMs: MINUTE_MS,
      notified: [{ place: 'webhook at 127.0.0.1:9', lastError: 'it answered 500' }],
      nextChannels: [{ place: 'email at example.com', lastError: null }],
      held: null,
      isStepNew: false,
    });
  });

  it('shows its run a snooze or a mute after the last step, too', async () => {
    await customer.escalation([[0, nurse]]);
    const { id } = await openAlert();
    await pass(id, 0);
    const until = new Date(Date.now() + 60 * MINUTE_MS).toISOString();
    await customer.acknowledge(id, { snoozeUntil: until });
    const snoozed = await pass(id, 1);
    assert.equal(snoozed?.next, null);
    assert.deepEqual(snoozed?.details?.held, { by: 'snooze', until });
  });

  it('continues when the mute that its run has read ends early', async () => {
    await customer.escalation([[0, nurse]]);
    const { id } = await openAlert();
    const endMute = await customer.mute(id, { until: at(30) });
    await pass(id, 1);
    await endMute();
    assert.equal(await isDue(id, 2), false);
    await steps.followChanges();
    assert.equal(await isDue(id, 2), true);
    await pass(id, 2);
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('makes a step when the mute ends while its run reads it', async () => {
    await customer.escalation([[0, nurse]]);
    const { id } = await openAlert();
    const endMute = await customer.mute(id, { until: at(30) });
    const escalationsIn: EscalationRunDeps['escalationsIn'] = (sql) => {
      const escalations = createAlertEscalationsRepository(sql);
      return {
        ...escalations,
        async findMutedUntil(...given) {
          const until = await escalations.findMutedUntil(...given);
          if (until) await endMute();
          if (until) await steps.followChanges();
          return until;
        },
      };
    };
    await pass(id, 1, { escalationsIn });
    assert.deepEqual(await reached(), ['nurse']);
  });

  it('follows the policy as it is at the time of the step', async () => {
    const policyId = await customer.escalation([
      [0, nurse],
      [10, nurse],
    ]);
    const { id } = await openAlert();
    await pass(id, 0);
    const steps = [
      { afterMinutes: 0, channelIds: [nurse] },
      { afterMinutes: 5, channelIds: [head] },
    ];
    await org.api.patch(`/escalations/${policyId}`, { steps, repeatMinutes: 5 });
    await pass(id, 1);
    assert.equal((await customer.show(id)).escalation?.nextStepAt, at(5).toISOString());
    await pass(id, 5);
    assert.equal((await customer.show(id)).escalation?.nextStepAt, at(10).toISOString());
    await pass(id, 10);
    assert.deepEqual(await reached(), ['nurse', 'head', 'head']);
  });

  it('names a step by its place in a policy that has lost steps', async () => {
    const policyId = await customer.escalation([
      [0, nurse],
      [5, nurse],
    ]);
    const { id } = await openAlert();
    await pass(id, 0);
    await pass(id, 5);
    const shorter = [{ afterMinutes: 0, channelIds: [nurse] }];
    await org.api.patch(`/escalations/${policyId}`, { steps: shorter, repeatMinutes: 5 });
    const view = await pass(id, 10);
    assert.deepEqual([view?.stepsMade, view?.stepCount], [1, 1]);
    const [, , { subject, text } = { subject: '', text: '' }] = await customer.sent();
    assert.match(subject, /^Escalation, step 1:/);
    assert.match(text, /\(step 1 of 1 again\)/);
  });

  it('makes no step when the policy was disabled or deleted', async () => {
    const policyId = await customer.escalation([[5, nurse]]);
    const one = await openAlert();
    await org.api.patch(`/escalations/${policyId}`, { status: 'disabled' });
    assert.equal((await pass(one.id, 5))?.state, 'policy_disabled');
    assert.equal((await customer.show(one.id)).escalation?.nextStepAt, null);
    const other = await customer.escalation([[5, nurse]]);
    const two = await openAlert();
    await org.api.delete(`/escalations/${other}`);
    assert.equal((await pass(two.id, 5))?.state, 'policy_deleted');
    assert.deepEqual(await reached(), []);
  });

  it('skips channels that are disabled or unconfirmed by then, and counts the step all the same', async () => {
    await customer.escalation([[0, nurse, head]]);
    const { id } = await openAlert();
    await org.api.patch(`/notification-channels/${nurse}`, { status: 'disabled' });
    await pass(id, 0);
    assert.deepEqual(await reached(), ['head']);
    await org.api.patch(`/notification-channels/${head}`, { status: 'disabled' });
    const second = await openAlert();
    assert.equal((await pass(second.id, 0))?.stepsMade, 1);
    assert.match((await customer.show(second.id)).history.at(-1)?.comment ?? '', /no channel/);
  });

  it('shows its run no channel as the next one that is disabled', async () => {
    await customer.escalation([[10, nurse, head]]);
    const { id } = await openAlert();
    await org.api.patch(`/notification-channels/${head}`, { status: 'disabled' });
    assert.equal((await pass(id, 0))?.details?.nextChannels.length, 1);
  });

  it('ignores types, groups and delay of its channels', async () => {
    const strict = await customer.channel('strict', { alertTypes: ['no_data'], delayMinutes: 600 });
    await customer.escalation([[0, strict]]);
    const { id } = await openAlert();
    await pass(id, 0);
    assert.deepEqual(await reached(), ['strict']);
  });

  it('uses the oldest active policy that matches type, severity and group', async () => {
    const { body: group } = await org.api.post('/groups', { name: 'Fridges' });
    await customer.escalation([[0, nurse]], { alertTypes: ['high_temp'] });
    await customer.escalation([[0, nurse]], { severities: ['warning'] });
    await customer.escalation([[0, nurse]], { status: 'disabled' });
    const ofGroup = await customer.escalation([[0, nurse]], { groupIds: [group.id] });
    const oldest = await customer.escalation([[0, nurse]]);
    await customer.escalation([[0, nurse]]);
    const outside = await openAlert();
    assert.equal((await customer.show(outside.id)).escalation?.id, oldest);
    const serial = 'BATTERY-IN-GROUP';
    await register(org, serial, { groupId: group.id });
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
    await org.device.post(`/devices/${serial}/measurements`, { readings, batteryStatus: 'low' });
    const { items } = (await org.api.get('/alerts?limit=1')).body;
    assert.equal(items[0].escalation.id, ofGroup);
  });

  it('keeps its channels from notifying separately of alerts that match its policy', async () => {
    const queued = async () =>
      (
        await query<{ channel_id: string }>(
          dms.service.sql,
          'select channel_id from notification_alerts where organization_id = ?',
          [org.id],
        )
      ).map(({ channel_id }) => channel_id);
    await customer.escalation([[10, nurse]]);
    const { resolve } = await openAlert();
    assert.deepEqual(await queued(), [head]);
    await resolve();
    assert.deepEqual([...new Set(await queued())], [head]);
  });

  it('shows the escalation in the event of the alert that begins it', async () => {
    await org.api.post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['alert.created'] });
    const policyId = await customer.escalation([[5, nurse]]);
    const { id } = await openAlert();
    const [row] = await query<{ body: string }>(
      dms.service.sql,
      `select body from events where organization_id = ?`,
      [org.id],
    );
    const { data } = JSON.parse(row?.body ?? '{}');
    assert.deepEqual(
      [data.id, data.escalation],
      [id, { id: policyId, step: 0, nextStepAt: at(5).toISOString() }],
    );
  });

  it('costs one statement in a batch of frames that opens alerts, and none in others', async () => {
    const seen: string[] = [];
    const onQuery = ({ sql }: { sql: string }) => void seen.push(sql);
    dms.service.sql.on('query', onQuery);
    const { resolve } = await customer.openAlert('No policy');
    dms.service.sql.off('query', onQuery);
    const changes = seen.filter((text) => /insert into alert_escalations/.test(text));
    assert.equal(changes.length, 1);
    const rows = await query(dms.service.sql, 'select 1 from alert_escalations where organization_id = ?', [
      org.id,
    ]);
    assert.equal(rows.length, 0);
    await resolve();
  });

  it('finds a due step without a run in the sweep', async () => {
    await customer.escalation([[5, nurse]]);
    const { id } = await openAlert();
    const escalations = createAlertEscalationsRepository(dms.service.sql);
    const ids = async (minutes: number) =>
      (await escalations.listWithoutWorkflow(at(minutes), 0, 500))
        .filter(({ organizationId }) => organizationId === org.id)
        .map(({ alertId }) => alertId);
    assert.deepEqual(await ids(0), [id]);
    assert.equal(await escalations.isDue({ organizationId: org.id, alertId: id }, at(4)), false);
    assert.equal(await escalations.isDue({ organizationId: org.id, alertId: id }, at(5)), true);
    await customer.acknowledge(id);
    assert.deepEqual(await ids(5), []);
  });

  it('finds due steps in turn with other organizations, even if many of these are due for longer', async () => {
    await customer.escalation([[5, nurse]]);
    for (let count = 0; count < 4; count++) await openAlert();
    const longDue = org.id;
    org = await dms.addOrganization();
    customer = toCustomer(dms, org);
    await customer.escalation([[5, await customer.channel('other')]]);
    const { id } = await openAlert();
    const escalations = createAlertEscalationsRepository(dms.service.sql);
    const own = [longDue, org.id];
    await query(dms.service.sql, 'delete from alert_escalations where organization_id <> all(?::uuid[])', [
      own,
    ]);
    const [, second] = await escalations.listWithoutWorkflow(at(60), 0, 3);
    assert.equal(second?.alertId, id);
  });
});
