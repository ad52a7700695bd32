/** An overdue fleet escalates once, by one of its alerts. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createOverdueFleetsRepository } from '../../src/presence/overdue-fleets.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { missContact, newFleet } from '../support/overdue-devices.ts';
import { useOrganization, useService } from '../support/service.ts';
import { openSteps, useSteps } from '../support/steps.ts';
import { newRun, toCustomer } from './harness.ts';

interface Listed {
  id: string;
  serialNumber: string;
  status: string;
  acknowledgedBy: { name: string } | null;
  escalation: { id: string; step: number } | null;
}

describe('An overdue fleet that escalates', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  const customer = toCustomer(dms, org);
  const steps = useSteps(dms);
  let nurse: string;

  beforeEach(async () => {
    nurse = await customer.channel('nurse');
  });

  /** Oldest first. */
  const alerts = async (): Promise<Listed[]> =>
    (await org.api.get('/alerts?limit=500')).body.items.toReversed();
  const escalating = async () => (await alerts()).filter(({ escalation }) => escalation !== null);
  const pass = (alertId: string, minutes = 1) =>
    newRun(dms, () => new Date(Date.now() + minutes * MINUTE_MS)).makeDueStep({
      organizationId: org.id,
      alertId,
    });
  async function loseFleet(count: number): Promise<string[]> {
    const serials = await newFleet(dms, org, count);
    await missContact(dms, org, serials);
    await steps.sweepOffline();
    await steps.escalateFleets();
    return serials;
  }
  async function comeBack(serial: string): Promise<void> {
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
    const nextTransmissionAt = new Date(Date.now() + 3_600_000).toISOString();
    await org.device.post(`/devices/${serial}/measurements`, { readings, nextTransmissionAt });
  }

  it('escalates by the first of its alerts, with the number of overdue devices in the message', async () => {
    await customer.escalation([[0, nurse]]);
    await loseFleet(25);
    const [first] = await alerts();
    assert.deepEqual(
      (await escalating()).map(({ id }) => id),
      [first?.id],
    );
    await steps.escalateFleets();
    assert.equal((await escalating()).length, 1);
    await pass(first?.id ?? '');
    const [message, ...others] = await customer.sent();
    assert.deepEqual(others, []);
    assert.match(message?.subject ?? '', /25 of 25 devices/);
    assert.match(message?.text ?? '', /25 of 25 devices/);
  });

  it('acknowledges the whole fleet with that alert, including devices that become overdue later', async () => {
    await customer.escalation([[0, nurse]]);
    await loseFleet(25);
    const [first] = await escalating();
    await customer.acknowledge(first?.id ?? '');
    await steps.escalateFleets();
    await loseFleet(5);
    const all = await alerts();
    assert.equal(all.length, 30);
    assert.deepEqual([...new Set(all.map(({ status }) => status))], ['acknowledged']);
    assert.equal(new Set(all.map(({ acknowledgedBy }) => acknowledgedBy?.name)).size, 1);
    const { history } = await customer.show(all[29]?.id ?? '');
    assert.deepEqual(
      history.map(({ action }) => action),
      ['opened', 'acknowledged'],
    );
    assert.equal((await escalating()).length, 1);
  });

  it('records on each alert that it acknowledges when that was, after its begin, and its snooze', async () => {
    await customer.escalation([[0, nurse]]);
    await loseFleet(25);
    const [first] = await escalating();
    const snoozeUntil = new Date(Date.now() + 60 * MINUTE_MS).toISOString();
    await customer.acknowledge(first?.id ?? '', { snoozeUntil });
    await loseFleet(5);
    const { id: last } = (await alerts())[29] ?? {};
    const { body } = await org.api.get(`/alerts/${last}`);
    const entries = body.history as Array<{ action: string; at: string; comment: string | null }>;
    assert.deepEqual(
      entries.map(({ action, comment }) => [action, comment]),
      [
        ['opened', null],
        ['acknowledged', null],
        ['snoozed', snoozeUntil],
      ],
    );
    assert.ok(body.acknowledgedAt >= body.timestamp);
    assert.ok(Math.abs(Date.parse(body.acknowledgedAt) - Date.parse(entries[1]?.at ?? '')) < MINUTE_MS);
    assert.equal(body.snoozeUntil, snoozeUntil);
  });

  it('acknowledges more than five hundred alerts in several transactions', async () => {
    await customer.escalation([[0, nurse]]);
    await loseFleet(1_010);
    const [first] = await query<{ alert_id: string }>(
      dms.service.sql,
      'select alert_id from alert_escalations where organization_id = ?',
      [org.id],
    );
    await customer.acknowledge(first?.alert_id ?? '');
    await steps.escalateFleets();
    const { totalItems } = (await org.api.get('/alerts?limit=1&status=acknowledged')).body;
    assert.equal(totalItems, 1_010);
  });

  it('continues at the same step and after the same snooze with the next alert when the device of the first one is back', async () => {
    await customer.escalation([
      [0, nurse],
      [60, nurse],
    ]);
    await loseFleet(30);
    const [first] = await escalating();
    await pass(first?.id ?? '');
    const snoozeUntil = new Date(Date.now() + 50 * MINUTE_MS);
    await customer.acknowledge(first?.id ?? '', { snoozeUntil });
    await comeBack(first?.serialNumber ?? '');
    const afterSnooze = openSteps(dms, { now: () => new Date(snoozeUntil.getTime() + MINUTE_MS) });
    await afterSnooze.escalateFleets().finally(afterSnooze.close);
    const [ended, next, ...others] = await escalating();
    assert.deepEqual(others, []);
    assert.deepEqual([ended?.id, ended?.status], [first?.id, 'resolved']);
    assert.equal(next?.escalation?.step, 1);
    await pass(next?.id ?? '', 2);
    assert.equal((await customer.sent()).length, 1);
    await pass(next?.id ?? '', 61);
    const [, second] = await customer.sent();
    assert.match(second?.text ?? '', /Still open after its snooze.*29 of 30 devices/s);
  });

  it('restarts with the next alert when the policy of the first one is gone', async () => {
    const policyId = await customer.escalation([[0, nurse]]);
    await loseFleet(25);
    const [first] = await escalating();
    await pass(first?.id ?? '');
    const other = await customer.escalation([[0, nurse]]);
    await org.api.delete(`/escalations/${policyId}`);
    await comeBack(first?.serialNumber ?? '');
    await steps.escalateFleets();
    const [, next] = await escalating();
    assert.deepEqual([next?.escalation?.id, next?.escalation?.step], [other, 0]);
  });

  it('begins from the first step with the next alert when its policy was disabled and enabled again', async () => {
    const policyId = await customer.escalation([
      [0, nurse],
      [60, nurse],
    ]);
    await loseFleet(30);
    const [first] = await escalating();
    await pass(first?.id ?? '');
    for (const status of ['disabled', 'active']) await org.api.patch(`/escalations/${policyId}`, { status });
    await pass(first?.id ?? '', 2);
    await comeBack(first?.serialNumber ?? '');
    await steps.escalateFleets();
    const [, next] = await escalating();
    assert.equal(next?.escalation?.step, 0);
  });

  it('ignores the mute of the one device, also where the next step is shown', async () => {
    await customer.escalation([[0, nurse]]);
    await loseFleet(25);
    const [first] = await escalating();
    const { escalation } = await customer.show(first?.id ?? '');
    await customer.mute(first?.id ?? '', { until: new Date(Date.now() + 60 * MINUTE_MS) });
    assert.deepEqual((await customer.show(first?.id ?? '')).escalation, escalation);
    await pass(first?.id ?? '');
    assert.equal((await customer.sent()).length, 1);
  });

  it('escalates by no device that is under maintenance, and by none while all are', async () => {
    await customer.escalation([[0, nurse]]);
    const serials = await newFleet(dms, org, 25);
    const { body: group } = await org.api.post('/groups', { name: 'Cold store' });
    const others = serials.slice(1);
    await org.api.post(`/groups/${group.id}/add-members`, { serialNumbers: others });
    const [{ id: assetId }] = (await org.api.get(`/assets?serialNumber=${serials[0]}`)).body.items;
    const body = { until: new Date(Date.now() + 60 * MINUTE_MS), reason: 'Defrosting' };
    for (const path of [`/assets/${assetId}/mute`, `/groups/${group.id}/mute`])
      assert.equal((await org.api.post(path, body)).status, 201);
    await missContact(dms, org, serials);
    await steps.sweepOffline();
    await steps.escalateFleets();
    assert.deepEqual(await escalating(), []);
    await org.api.delete(`/groups/${group.id}/mute`);
    await steps.escalateFleets();
    const [only, ...more] = await escalating();
    assert.deepEqual(more, []);
    assert.ok(others.includes(only?.serialNumber ?? ''));
  });

  it('starts no second escalation for alerts that are announced when the fleet is back', async () => {
    await customer.escalation([
      [0, nurse],
      [60, nurse],
    ]);
    await loseFleet(25);
    await createOverdueFleetsRepository(dms.service.sql).confirm(org.id);
    await steps.sweepOffline();
    const [only, ...others] = await escalating();
    assert.deepEqual(others, []);
    for (const minutes of [1, 62]) await pass(only?.id ?? '', minutes);
    const [first, second] = await customer.sent();
    assert.doesNotMatch(first?.text ?? '', /of 25 devices/);
    assert.match(second?.subject ?? '', /^Escalation, step 2: FLEET-\S+, no contact$/);
  });

  it('escalates a few devices separately, without other notifications of a named channel', async () => {
    await customer.escalation([[0, nurse]]);
    const other = await customer.channel('head');
    await loseFleet(3);
    assert.equal((await escalating()).length, 3);
    const queued = await query<{ channel_id: string }>(
      dms.service.sql,
      'select distinct channel_id from notification_alerts where organization_id = ?',
      [org.id],
    );
    assert.deepEqual(queued, [{ channel_id: other }]);
  });

  it('waits until a policy matches one of its alerts, and escalates by the first match', async () => {
    await customer.escalation([[0, nurse]], { alertTypes: ['high_temp'] });
    const serials = await loseFleet(25);
    assert.deepEqual(await escalating(), []);
    const { body: group } = await org.api.post('/groups', { name: 'Cold store' });
    await org.api.post(`/groups/${group.id}/add-members`, { serialNumbers: [serials[20]] });
    await customer.escalation([[0, nurse]], { groupIds: [group.id] });
    await steps.escalateFleets();
    assert.deepEqual(
      (await escalating()).map(({ serialNumber }) => serialNumber),
      [serials[20]],
    );
  });
});
