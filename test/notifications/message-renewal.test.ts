/** Messages that wait for another attempt, while their alerts are acknowledged or end, with several workers. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createGathering, createStepGathering } from '../../src/notifications/gathering.service.ts';
import { type Message, NAMED_MAX, NOT_SENT } from '../../src/notifications/message.ts';
import { createMessageRenewal } from '../../src/notifications/message-renewal.service.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import {
  type ClaimedNotification,
  createNotificationsRepository,
} from '../../src/notifications/notifications.repository.ts';
import { createAlertNotificationsRepository } from '../../src/operator/alert-notifications.repository.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { newRun, toCustomer } from '../escalations/harness.ts';
import { untilLockWaits } from '../support/lock-waits.ts';
import { useOrganization, useService } from '../support/service.ts';

describe('A message that waits', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  const customer = toCustomer(dms, org);
  let channel: { organizationId: string; channelId: string };
  let minutes: number;

  beforeEach(async () => {
    minutes = 0;
    channel = { organizationId: org.id, channelId: await customer.channel('nurse', { reminderMinutes: 30 }) };
  });

  const now = () => new Date(Date.now() + minutes * MINUTE_MS);

  function newWorker() {
    const transact = createTransact(dms.service.sql);
    const ownerId = randomUUID();
    const notificationsIn = (sql: typeof dms.service.sql) => createNotificationsRepository(sql, ownerId);
    const notificationAlerts = createNotificationAlertsRepository(dms.service.sql);
    const given = { transact, notificationsIn, notificationAlerts, gatherIntervalMs: 0, now };
    const notificationAlertsIn = createNotificationAlertsRepository;
    return {
      gather: createGathering({ ...given, notificationAlertsIn, onSetAside: () => assert.fail('set aside') }),
      gatherSteps: createStepGathering(given),
      /** The transaction commits after `beforeCommit`. */
      claim: (leaseSeconds = 60, beforeCommit: () => Promise<unknown> = async () => {}) =>
        transact(async ({ sql }) => {
          const claim = { leaseSeconds, isForEscalations: false };
          const claimed = await notificationsIn(sql).claim(channel, now(), claim);
          await beforeCommit();
          return claimed;
        }),
      renew: createMessageRenewal({ ...given, notificationAlertsIn }),
      record: ({ id }: ClaimedNotification, state: 'pending' | 'sent') =>
        notificationsIn(dms.service.sql).record(
          {
            ...channel,
            id,
            state,
            nextAttemptAt: state === 'sent' ? null : new Date(now().getTime() + HOUR_MS),
            error: state === 'sent' ? null : 'it answered 500',
          },
          now(),
        ),
    };
  }
  type Worker = ReturnType<typeof newWorker>;

  /** Sends all that is due, and returns the subjects in their order. */
  async function send(worker: Worker): Promise<string[]> {
    const subjects: string[] = [];
    await worker.gather(channel);
    await worker.gatherSteps(channel);
    for (;;) {
      const claimed = await worker.claim();
      if (!claimed) return subjects;
      const content = await worker.renew(claimed);
      if (content === null) continue;
      subjects.push(content.subject);
      await worker.record(claimed, 'sent');
    }
  }

  /** Gathers, and lets the first attempt fail. */
  async function fail(worker: Worker): Promise<Message> {
    await worker.gather(channel);
    await worker.gatherSteps(channel);
    const claimed = await worker.claim();
    assert.ok(claimed);
    await worker.record(claimed, 'pending');
    return claimed.content;
  }

  const outcomes = (alertId: string) =>
    createAlertNotificationsRepository(dms.service.sql).listOfSteps(
      { organizationId: org.id, alertId },
      { first: new Date(Date.now() - HOUR_MS), last: new Date(Date.now() + HOUR_MS) },
    );
  const step = (alertId: string) => newRun(dms, now).makeDueStep({ organizationId: org.id, alertId });

  it('is not sent after the end of its alert, which is mentioned where an attempt was made', async () => {
    const alert = await customer.openAlert('Fridge');
    await fail(newWorker());
    await alert.resolve();
    assert.deepEqual(await send(newWorker()), ['Over: Fridge, low battery']);
    minutes = 61;
    assert.deepEqual(await send(newWorker()), []);
  });

  it('leaves no end to mention when its alert has ended before the first attempt', async () => {
    const worker = newWorker();
    for (const isGathered of [true, false]) {
      const alert = await customer.openAlert('Fridge');
      await worker.gather(channel);
      await alert.resolve();
      if (isGathered) await worker.gather(channel);
      assert.deepEqual(await send(worker), []);
      assert.deepEqual(await send(worker), []);
    }
  });

  it('is not sent once its alert is acknowledged, and shows no error on its channel', async () => {
    const { id } = await customer.openAlert('Fridge');
    await newWorker().gather(channel);
    await customer.acknowledge(id);
    assert.deepEqual(await send(newWorker()), []);
    const { body } = await org.api.get(`/notification-channels/${channel.channelId}`);
    assert.equal(body.lastError, null);
  });

  it('names only those of its alerts that are still new', async () => {
    const alerts = [await customer.openAlert('Fridge'), await customer.openAlert('Freezer')];
    const worker = newWorker();
    assert.match((await fail(worker)).subject, /^2 new alerts/);
    await customer.acknowledge(alerts[0]?.id ?? '');
    minutes = 61;
    const claimed = await worker.claim();
    assert.ok(claimed);
    const content = await worker.renew(claimed);
    assert.equal(content?.subject, 'New alert: Freezer, low battery');
    assert.doesNotMatch(JSON.stringify(content), /Fridge/);
    assert.deepEqual(content?.data.counts, { opened: 1, reminder: 0, resolved: 0, late: 0 });
  });

  for (const [attempted, subject] of [
    ['before its first attempt', 'New alert: Fridge, low battery'],
    ['after a failed attempt', 'Still open: Fridge, low battery'],
  ] as const)
    it(`is not sent while its device is under maintenance ${attempted}, and mentions its alert afterwards`, async () => {
      const worker = newWorker();
      await org.api.patch(`/notification-channels/${channel.channelId}`, { reminderMinutes: null });
      const { id } = await customer.openAlert('Fridge');
      await (attempted === 'after a failed attempt' ? fail(worker) : worker.gather(channel));
      const { assetId } = (await org.api.get(`/alerts/${id}`)).body;
      const until = new Date(Date.now() + 90 * MINUTE_MS).toISOString();
      const muted = await org.api.post(`/assets/${assetId}/mute`, { until, reason: 'Defrosting' });
      assert.equal(muted.status, 201, muted.text);
      minutes = 61;
      assert.deepEqual(await send(worker), []);
      assert.deepEqual(await send(worker), []);
      minutes = 91;
      assert.deepEqual(await send(worker), [subject]);
    });

  it('is sent during a maintenance if it counts an alert without naming it', async () => {
    const worker = newWorker();
    const alerts = [];
    for (const index of Array(NAMED_MAX + 1).keys()) alerts.push(await customer.openAlert(`Fridge ${index}`));
    await worker.gather(channel);
    const until = new Date(Date.now() + 90 * MINUTE_MS).toISOString();
    for (const { id } of alerts) {
      const { assetId } = (await org.api.get(`/alerts/${id}`)).body;
      await org.api.post(`/assets/${assetId}/mute`, { until, reason: 'Defrosting' });
    }
    const [subject = ''] = await send(worker);
    assert.match(subject, /21 new alerts/);
  });

  it('is not sent after a reminder that was made later', async () => {
    await customer.openAlert('Fridge');
    await fail(newWorker());
    minutes = 31;
    assert.deepEqual(await send(newWorker()), ['Still open: Fridge, low battery']);
    minutes = 61;
    assert.deepEqual(await send(newWorker()), ['Still open: Fridge, low battery']);
  });

  it('is overtaken by none about the same alert while another worker sends it', async () => {
    const [first, second] = [newWorker(), newWorker()];
    const alert = await customer.openAlert('Fridge');
    await first.gather(channel);
    const opening = await first.claim();
    await alert.resolve();
    await customer.openAlert('Freezer');
    await second.gather(channel);
    assert.equal(await second.claim(), null);
    assert.ok(opening);
    await first.record(opening, 'sent');
    assert.match((await second.claim())?.content.subject ?? '', /1 new alert, 1 over/);
  });

  it('is overtaken by none about the same alert that another worker claims at the same moment', async () => {
    const [first, second] = [newWorker(), newWorker()];
    const alert = await customer.openAlert('Fridge');
    await fail(first);
    await alert.resolve();
    await customer.openAlert('Freezer');
    minutes = 61;
    await second.gather(channel);
    let overtaking = null as ReturnType<typeof second.claim> | null;
    const opening = await first.claim(60, () => {
      overtaking = second.claim();
      return Promise.race([overtaking, untilLockWaits(dms.service.sql, 1)]);
    });
    assert.match(opening?.content.subject ?? '', /^New alert: Fridge/);
    assert.equal(await overtaking, null);
  });

  it('holds up none about another alert while another worker sends it', async () => {
    const [first, second] = [newWorker(), newWorker()];
    await customer.openAlert('Fridge');
    await first.gather(channel);
    await first.claim();
    await customer.openAlert('Freezer');
    assert.deepEqual(await send(second), ['New alert: Freezer, low battery']);
  });

  it('is taken for sent when the worker that sent it has died, so that the end is mentioned', async () => {
    for (const isClaimedFirst of [true, false]) {
      const alert = await customer.openAlert('Fridge');
      const killed = newWorker();
      await killed.gather(channel);
      assert.ok(await killed.claim(0));
      await alert.resolve();
      const worker = newWorker();
      const claimed = isClaimedFirst ? await worker.claim() : null;
      if (claimed) assert.equal(await worker.renew(claimed), null);
      assert.deepEqual(await send(worker), ['Over: Fridge, low battery']);
    }
  });

  it('as a step leaves out an acknowledged alert, and the history of that alert says so', async () => {
    await customer.escalation([[0, channel.channelId]]);
    const [fridge, freezer] = [await customer.openAlert('Fridge'), await customer.openAlert('Freezer')];
    for (const { id } of [fridge, freezer]) await step(id);
    assert.match((await fail(newWorker())).subject, /^2 alerts: Fridge/);
    await customer.acknowledge(fridge.id);
    minutes = 61;
    assert.deepEqual(await send(newWorker()), ['Escalation, step 1: Freezer, low battery']);
    const shown = async (id: string) => (await outcomes(id)).map(({ state, error }) => [state, error]);
    assert.deepEqual(await shown(fridge.id), [['failed', NOT_SENT]]);
    assert.deepEqual(await shown(freezer.id), [['sent', null]]);
  });

  it('as a step is not sent after a later step of the alert, nor after its acknowledgement', async () => {
    const again = { repeatMinutes: 30 };
    await customer.escalation([[0, channel.channelId]], again);
    const { id } = await customer.openAlert('Fridge');
    await step(id);
    await fail(newWorker());
    minutes = 31;
    await step(id);
    await fail(newWorker());
    minutes = 62;
    const worker = newWorker();
    const first = await worker.claim();
    assert.ok(first);
    assert.equal(await worker.renew(first), null);
    await customer.acknowledge(id);
    minutes = 100;
    assert.deepEqual(await send(worker), []);
    assert.deepEqual(
      (await outcomes(id)).map(({ state, error }) => [state, error]),
      [
        ['failed', NOT_SENT],
        ['failed', NOT_SENT],
      ],
    );
  });

  it('as a step is sent when the snooze of its alert has ended, even if the alert is not new again yet', async () => {
    await customer.escalation([[0, channel.channelId]]);
    const { id } = await customer.openAlert('Fridge');
    await customer.acknowledge(id, { snoozeUntil: new Date(Date.now() + 10 * MINUTE_MS).toISOString() });
    minutes = 11;
    await step(id);
    assert.deepEqual(await send(newWorker()), ['Escalation, step 1: Fridge, low battery']);
  });

  it('as a step of an overdue fleet is sent after the device of its alert is back, while the fleet is neither back nor acknowledged', async () => {
    await customer.escalation([[0, channel.channelId]]);
    const ofFleet = async () => {
      const { id, resolve } = await customer.openAlert('Fridge');
      await step(id);
      await query(
        dms.service.sql,
        'update overdue_fleets set escalated_alert_id = ? where organization_id = ?',
        [id, org.id],
      );
      await query(
        dms.service.sql,
        'update alerts set is_announced = false where organization_id = ? and id = ?',
        [org.id, id],
      );
      return { resolve, acknowledge: () => customer.acknowledge(id) };
    };
    await query(
      dms.service.sql,
      `insert into overdue_fleets (organization_id, since, overdue_count, total_count) values (?, now(), 25, 25)`,
      [org.id],
    );
    await (await ofFleet()).resolve();
    assert.equal((await send(newWorker())).length, 1);
    const inHand = await ofFleet();
    await inHand.acknowledge();
    await inHand.resolve();
    assert.deepEqual(await send(newWorker()), []);
    await (await ofFleet()).resolve();
    await query(dms.service.sql, 'delete from overdue_fleets where organization_id = ?', [org.id]);
    assert.deepEqual(await send(newWorker()), []);
  });
});
