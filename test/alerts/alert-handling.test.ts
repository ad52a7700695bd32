/** Alerts handled by people: acknowledged, commented on, assigned, and snoozed. */
import assert from 'node:assert/strict';
import { createAlertActionsRepository } from '../../src/alerts/alert-actions.repository.ts';
import { createAlertHandling } from '../../src/alerts/alert-handling.service.ts';
import { createAlertsRepository } from '../../src/alerts/alerts.repository.ts';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { FRIDGE } from '../support/fleet.ts';
import { untilLockWaits } from '../support/lock-waits.ts';
import { useDevice } from './harness.ts';

interface Action {
  at: string;
  action: string;
  by: { keyId: string; name: string } | null;
  comment: string | null;
}

describe('An alert in the hands of people', () => {
  const device = useDevice();
  const { confirmProfile, measure, onlyAlert } = device;
  let id: string;

  beforeEach(async () => {
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    ({ id } = await onlyAlert());
  });

  const acknowledge = (more: object = {}) =>
    device.org.api.patch(`/alerts/${id}`, { status: 'acknowledged', ...more });
  const show = async () => (await device.org.api.get(`/alerts/${id}`)).body;
  const comment = (text: unknown) => device.org.api.post(`/alerts/${id}/comments`, { comment: text });
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString();
  /** Runs the sweep of the worker. */
  const sweepIn = (minutes: number, alertsIn = createAlertsRepository, setAside: string[] = []) =>
    createAlertHandling({
      alertsIn,
      actionsIn: createAlertActionsRepository,
      remindAgain: async () => {},
      holdEscalation: async () => {},
      publish: async () => {},
      observe: () => {},
      onSetAside: ({ alertId }) => void setAside.push(alertId),
      transact: createTransact(device.dms.service.sql),
      now: () => new Date(Date.now() + minutes * MINUTE_MS),
    }).endSnoozes(() => true);
  /** Sweeps while `change` comes between the listing of the alerts and their update. */
  const sweepAround = (minutes: number, change: () => Promise<unknown>) =>
    sweepIn(minutes, (sql) => ({
      ...createAlertsRepository(sql),
      async listSnoozeEnded(now, limit) {
        const found = await createAlertsRepository(sql).listSnoozeEnded(now, limit);
        await change();
        return found;
      },
    }));
  const words = (history: Action[]) => history.map(({ action, comment: said }) => [action, said]);

  it('shows who has acknowledged and assigned an alert, when, and all further actions', async () => {
    assert.deepEqual(words((await show()).history), [['opened', null]]);
    const { status, body } = await acknowledge({ comment: 'Door closed', assignee: 'Ada' });
    assert.equal(status, 200);
    assert.deepEqual([body.status, body.assignee, body.snoozeUntil], ['acknowledged', 'Ada', null]);
    assert.ok(body.acknowledgedBy.keyId);
    assert.deepEqual([body.acknowledgedAt, body.updatedAt], Array(2).fill(body.history[1].at));
    assert.equal((await comment('Goods moved\nto room 2')).status, 201);
    await measure(1, 5);
    const ended = await show();
    assert.deepEqual(words(ended.history), [
      ['opened', null],
      ['acknowledged', null],
      ['assigned', 'Ada'],
      ['commented', 'Door closed'],
      ['commented', 'Goods moved\nto room 2'],
      ['resolved', null],
    ]);
    const by = ended.history.map(({ by: actor }: Action) => actor?.keyId ?? null);
    const { keyId } = body.acknowledgedBy;
    assert.deepEqual(by, [null, keyId, keyId, keyId, keyId, null]);
    assert.deepEqual(ended.acknowledgedBy, body.acknowledgedBy);
    const times = ended.history.map(({ at }: Action) => at);
    assert.deepEqual(times, times.toSorted());
  });

  it('resolves an alert after the acknowledgement that a reading in bounds waited for', async () => {
    const { sql } = device.dms.service;
    const waiting = await createTransact(sql)(async (tx) => {
      await query(tx.sql, 'select 1 from alerts where organization_id = ? and id = ? for update', [
        device.org.id,
        id,
      ]);
      const acknowledged = acknowledge();
      await untilLockWaits(sql, 1);
      const measured = measure(1, 5);
      await untilLockWaits(sql, 2);
      return { acknowledged, measured };
    });
    assert.equal((await waiting.acknowledged).status, 200);
    await waiting.measured;
    const { status, updatedAt, acknowledgedAt, history } = await show();
    assert.equal(status, 'resolved');
    assert.deepEqual(words(history), [
      ['opened', null],
      ['acknowledged', null],
      ['resolved', null],
    ]);
    assert.ok(updatedAt >= acknowledgedAt, `${updatedAt} ${acknowledgedAt}`);
  });

  it('accepts comments after the end of an alert, too', async () => {
    await measure(1, 5);
    const { status, body } = await comment('It was the defrosting');
    assert.deepEqual([status, body.action, body.comment], [201, 'commented', 'It was the defrosting']);
    assert.deepEqual(words((await show()).history).at(-1), ['commented', 'It was the defrosting']);
  });

  it('publishes the acknowledgement of an alert once, even when it is repeated', async () => {
    const webhookId = await device.subscribe(['alert.acknowledged']);
    const first = await acknowledge();
    await acknowledge();
    const again = await acknowledge({ assignee: 'Grace' });
    assert.deepEqual([again.body.acknowledgedAt, again.body.assignee], [first.body.acknowledgedAt, 'Grace']);
    const [event, ...others] = await device.published(webhookId);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [event.type, event.data.id, event.data.status],
      ['alert.acknowledged', id, 'acknowledged'],
    );
    assert.equal(event.timestamp, first.body.acknowledgedAt);
  });

  it('keeps an acknowledgement that comes after the end of the snooze and before the sweep', async () => {
    const until = inMinutes(60);
    await acknowledge({ snoozeUntil: until });
    const past = `update alerts set snooze_until = now() - interval '1 second' where organization_id = ? and id = ?`;
    await query(device.dms.service.sql, past, [device.org.id, id]);
    const { body } = await acknowledge();
    assert.deepEqual([body.status, body.snoozeUntil], ['acknowledged', null]);
    await sweepIn(1);
    const { status, history } = await show();
    assert.equal(status, 'acknowledged');
    assert.deepEqual(words(history), [
      ['opened', null],
      ['acknowledged', null],
      ['snoozed', until],
      ['snooze_ended', null],
      ['acknowledged', null],
    ]);
  });

  it('makes an alert new again when its snooze ends, unless the snooze is extended or the alert ends meanwhile', async () => {
    const until = inMinutes(60);
    const snoozed = await acknowledge({ snoozeUntil: until });
    assert.equal(snoozed.body.snoozeUntil, until);
    await sweepIn(59);
    assert.equal((await show()).status, 'acknowledged');
    await sweepIn(61);
    const { status, acknowledgedAt, acknowledgedBy, snoozeUntil, history } = await show();
    assert.deepEqual([status, acknowledgedAt, acknowledgedBy, snoozeUntil], ['new', null, null, null]);
    assert.deepEqual(words(history), [
      ['opened', null],
      ['acknowledged', null],
      ['snoozed', until],
      ['snooze_ended', null],
    ]);
    assert.equal(history.at(-1).by, null);
    await acknowledge({ snoozeUntil: inMinutes(60) });
    await sweepAround(61, () => acknowledge({ snoozeUntil: inMinutes(120) }));
    assert.equal((await show()).status, 'acknowledged');
    await sweepAround(240, () => measure(1, 5));
    assert.equal((await show()).status, 'resolved');
  });

  it('ends the snooze of an alert even if that of another one cannot be ended', async () => {
    await acknowledge({ snoozeUntil: inMinutes(60) });
    await device.newDevice();
    await confirmProfile(FRIDGE);
    await measure(0, 20);
    const other = (await onlyAlert()).id;
    const snoozeUntil = inMinutes(61);
    await device.org.api.patch(`/alerts/${other}`, { status: 'acknowledged', snoozeUntil });
    const setAside: string[] = [];
    const failing: typeof createAlertsRepository = (sql) => ({
      ...createAlertsRepository(sql),
      async endSnoozes(organizationId, alertIds, now) {
        if (alertIds.includes(id)) throw new Error('the disk is full');
        return createAlertsRepository(sql).endSnoozes(organizationId, alertIds, now);
      },
    });
    await sweepIn(62, failing, setAside);
    assert.deepEqual(setAside, [id]);
    assert.equal((await show()).status, 'acknowledged');
    assert.equal((await device.org.api.get(`/alerts/${other}`)).body.status, 'new');
    await sweepIn(62);
    assert.equal((await show()).status, 'new');
  });

  it('keeps an alert acknowledged when its snooze is taken back', async () => {
    await acknowledge({ snoozeUntil: inMinutes(60) });
    const { body } = await acknowledge({ snoozeUntil: null });
    assert.equal(body.snoozeUntil, null);
    assert.deepEqual(
      [body.history.at(-1).action, body.history.at(-1).by.keyId],
      ['snooze_ended', body.acknowledgedBy.keyId],
    );
    await sweepIn(61);
    assert.equal((await show()).status, 'acknowledged');
  });

  it('refuses to acknowledge a resolved alert with 409', async () => {
    await measure(1, 5);
    assert.equal((await acknowledge()).status, 409);
    assert.equal((await show()).status, 'resolved');
  });

  it('refuses invalid statuses, comments, names and times, and changes nothing', async () => {
    for (const said of ['', ' \n ', '\u200b', 'x'.repeat(2_001), 7, null])
      assert.equal((await comment(said)).status, 400, JSON.stringify(said).slice(0, 40));
    for (const more of [
      { status: 'resolved' },
      { status: 'new' },
      { comment: '' },
      { assignee: 'a\nb' },
      { assignee: 'x'.repeat(129) },
      { snoozeUntil: inMinutes(-1) },
      { snoozeUntil: inMinutes(24 * 60 + 2) },
      { snoozeUntil: 'tomorrow' },
    ])
      assert.equal((await acknowledge(more)).status, 400, JSON.stringify(more).slice(0, 40));
    assert.equal((await show()).status, 'new');
    assert.equal((await comment('🌡️'.repeat(1_000))).status, 201);
    assert.deepEqual((await show()).history.length, 2);
  });

  it('shows at most 500 entries of history by people, and still accepts an acknowledgement', async () => {
    await query(
      device.dms.service.sql,
      `insert into alert_actions (organization_id, alert_id, action, comment)
       select ?, ?, 'commented', 'x' from generate_series(1, 495)`,
      [device.org.id, id],
    );
    await acknowledge({ snoozeUntil: inMinutes(60) });
    assert.equal((await acknowledge({ assignee: 'Ada', comment: 'x', snoozeUntil: null })).status, 409);
    assert.equal((await acknowledge({ assignee: 'Ada', comment: 'x' })).body.history.length, 500);
    assert.equal((await comment('one more')).status, 409);
    assert.equal((await acknowledge()).status, 200);
    await sweepIn(61);
    assert.equal((await acknowledge()).status, 200);
    const { status, history } = await show();
    assert.deepEqual([status, history.length], ['acknowledged', 502]);
  });
});
