/** The queue of notifications itself, with several workers, crashes, and many alerts. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createGathering } from '../../src/notifications/gathering.service.ts';
import { TEST_MESSAGE } from '../../src/notifications/message.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import { createChannelsRepository } from '../../src/notifications/notification-channels.repository.ts';
import { UNSENT_MAX } from '../../src/notifications/notification-plan.ts';
import {
  createNotificationsRepository,
  type NotificationsRepository,
} from '../../src/notifications/notifications.repository.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { register } from '../support/fleet.ts';
import { untilLockWaits, whileLocked } from '../support/lock-waits.ts';
import { type TestOrganization, useOrganization, useService } from '../support/service.ts';
import { statementsOf } from '../support/statements-of.ts';
import { newDevice } from './harness.ts';

const NOBODY = 'http://127.0.0.1:9/hook';

describe('The queue of notifications', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let channel: { organizationId: string; channelId: string };
  let setAside: string[] = [];

  beforeEach(async () => {
    channel = await addChannel(org);
    setAside = [];
  });

  async function addChannel(organization: TestOrganization) {
    const body = { type: 'webhook', target: NOBODY };
    const { body: created } = await organization.api.post('/notification-channels', body);
    return { organizationId: organization.id, channelId: created.id as string };
  }

  /** The parts that each worker has of its own. */
  function newWorker(
    notificationAlertsIn = createNotificationAlertsRepository,
    { gatherIntervalMs = 0, aheadMs = 0 } = {},
  ): {
    gather: ReturnType<typeof createGathering>;
    notifications: NotificationsRepository;
  } {
    const { sql } = dms.service;
    const ownerId = randomUUID();
    return {
      notifications: createNotificationsRepository(sql, ownerId),
      gather: createGathering({
        transact: createTransact(sql),
        notificationAlertsIn,
        notificationsIn: (handle) => createNotificationsRepository(handle, ownerId),
        gatherIntervalMs,
        now: () => new Date(Date.now() + aheadMs),
        onSetAside: ({ alertId }) => void setAside.push(alertId),
      }),
    };
  }

  /** Changes something while a worker gathers: it has `listed` due alerts, or has also `stored` what it makes of them. */
  async function gatherDuring(
    held: 'listed' | 'stored',
    change: () => Promise<{ status: number; text: string }>,
  ): Promise<void> {
    let changing = null as ReturnType<typeof change> | null;
    const hold = () => {
      changing = change();
      return Promise.race([changing, untilLockWaits(dms.service.sql, 1)]);
    };
    const { gather } = newWorker((sql) => {
      const alerts = createNotificationAlertsRepository(sql);
      return {
        ...alerts,
        async listDue(...given) {
          const due = await alerts.listDue(...given);
          if (held === 'listed') await hold();
          return due;
        },
        async remove(...given) {
          await alerts.remove(...given);
          if (held === 'stored') await hold();
        },
      };
    });
    await gather(channel);
    const answer = await changing;
    assert.ok(answer && answer.status < 300, answer?.text);
  }

  const contents = () =>
    query<{ content: { data: { counts: { opened: number }; alerts: unknown[] } } }>(
      dms.service.sql,
      'select content from notifications where organization_id = ?',
      [org.id],
    );

  /** Open alerts of one asset, queued for the channel, as many frames would store them. */
  async function addAlerts(count: number, serialNumber = 'MANY'): Promise<void> {
    const assetId = await register(org, serialNumber);
    await query(
      dms.service.sql,
      `with opened as (
         insert into alerts (organization_id, asset_id, serial_number, type, details, started_at)
         select ?, ?, ?, 'low_battery', '{}', now() from generate_series(1, ?::int) returning *
       )
       insert into notification_alerts (organization_id, alert_id, channel_id, kind, due_at)
       select organization_id, id, ?, 'opening', now() - interval '1 second' from opened`,
      [org.id, assetId, serialNumber, count, channel.channelId],
    );
  }

  it('gives a message to another worker whose lease began while the clock of the database was a day ahead', async () => {
    const lease = { leaseSeconds: 60, isForEscalations: false };
    const [first, second] = [newWorker(), newWorker()];
    await addAlerts(1);
    await first.gather(channel);
    assert.ok(await first.notifications.claim(channel, new Date(), lease));
    assert.equal(await second.notifications.claim(channel, new Date(), lease), null);
    await query(
      dms.service.sql,
      "update notifications set leased_until = leased_until + interval '1 day' where organization_id = ?",
      [org.id],
    );
    assert.ok(await second.notifications.claim(channel, new Date(), lease));
  });

  it('gathers any number of alerts into one message, with any number of workers', async () => {
    await addAlerts(10_000);
    const workers = Array.from({ length: 4 }, () => newWorker());
    await Promise.all(workers.map(({ gather }) => gather(channel)));
    const [only, ...others] = await contents();
    assert.deepEqual(others, []);
    assert.deepEqual([only?.content.data.counts.opened, only?.content.data.alerts.length], [10_000, 20]);
    const claims = await Promise.all(
      workers.map(({ notifications }) =>
        notifications.claim(channel, new Date(), { leaseSeconds: 60, isForEscalations: false }),
      ),
    );
    assert.equal(claims.filter((claim) => claim !== null).length, 1);
  });

  it('neither gathers, nor counts as delayed, alerts that wait for a receiver that takes nothing', async () => {
    const oldest = (gatheredBefore: Date) =>
      createNotificationAlertsRepository(dms.service.sql).findOldestDueSeconds(later, gatheredBefore);
    const later = new Date(Date.now() + HOUR_MS);
    await query(dms.service.sql, 'delete from notification_alerts');
    const { insertEscalation } = newWorker().notifications;
    for (let steps = 0; steps < UNSENT_MAX; steps++)
      await insertEscalation(channel, TEST_MESSAGE, new Date());
    for (let unsent = 0; unsent < UNSENT_MAX; unsent++) {
      await addAlerts(1, `UNSENT-${unsent}`);
      assert.ok((await oldest(later)) > 3_000, `${unsent} unsent`);
      if (unsent > 0) assert.equal(await oldest(new Date(Date.now() - HOUR_MS)), 0);
      await newWorker().gather(channel);
    }
    await addAlerts(1);
    assert.equal(await oldest(later), 0);
    await newWorker().gather(channel);
    assert.equal((await contents()).length, 2 * UNSENT_MAX, 'steps hold up no alerts');
  });

  it('gathers, and counts as delayed, what comes after a clock that was ahead is set right', async () => {
    await query(dms.service.sql, 'delete from notification_alerts');
    const gatherIntervalMs = 10_000;
    const ahead = newWorker(createNotificationAlertsRepository, { gatherIntervalMs, aheadMs: 6 * HOUR_MS });
    await addAlerts(1, 'FIRST');
    await ahead.gather(channel);
    await addAlerts(1, 'SECOND');
    const right = newWorker(createNotificationAlertsRepository, { gatherIntervalMs });
    const now = new Date(Date.now() + 1_000);
    const gatheredBefore = new Date(now.getTime() - gatherIntervalMs);
    const alerts = createNotificationAlertsRepository(dms.service.sql);
    assert.ok((await alerts.findOldestDueSeconds(now, gatheredBefore)) > 0);
    const due = await right.notifications.listDueChannels(now, gatheredBefore);
    assert.ok(due.some(({ channelId }) => channelId === channel.channelId));
    await right.gather(channel);
    assert.equal((await contents()).length, 2);
  });

  it('takes as many statements for ten thousand alerts as for one', async () => {
    const countStatements = async () =>
      (await statementsOf(dms.service.sql, () => newWorker().gather(channel))).length;
    await (await newDevice(org, 'One'))('low');
    const forOne = await countStatements();
    await addAlerts(10_000);
    assert.equal(await countStatements(), forOne);
  });

  it('hands a message of a worker that died to another one, and records nothing for the first', async () => {
    await (await newDevice(org, 'Cold room'))('low');
    const [first, second] = [newWorker(), newWorker()];
    await first.gather(channel);
    const claim = await first.notifications.claim(channel, new Date(), {
      leaseSeconds: 0,
      isForEscalations: false,
    });
    const again = await second.notifications.claim(channel, new Date(), {
      leaseSeconds: 60,
      isForEscalations: false,
    });
    assert.ok(claim && again);
    assert.equal(again.id, claim.id);
    const sent = { ...channel, id: claim.id, state: 'sent' as const, nextAttemptAt: null, error: null };
    await first.notifications.record(sent, new Date());
    const stateOf = async () =>
      (
        await query<{ state: string }>(
          dms.service.sql,
          'select state from notifications where organization_id = ?',
          [org.id],
        )
      )[0]?.state;
    assert.equal(await stateOf(), 'pending');
    await second.notifications.record(sent, new Date());
    assert.equal(await stateOf(), 'sent');
  });

  it('sets aside an alert that no message can hold, and notifies of all others', async () => {
    await addAlerts(30);
    const [bad] = await query<{ id: string }>(
      dms.service.sql,
      `update alerts set details = '{"name": "not storable"}'
       where organization_id = ? and id = (
         select id from alerts where organization_id = ? order by id offset 7 limit 1
       ) returning id`,
      [org.id, org.id],
    );
    await query(
      dms.service.sql,
      `alter table notifications add constraint test_check check (content::text not like '%not storable%')`,
    );
    await newWorker().gather(channel);
    await query(dms.service.sql, 'alter table notifications drop constraint test_check');
    const messages = await contents();
    assert.equal(
      messages.map(({ content }) => content.data.counts.opened).reduce((sum, count) => sum + count),
      29,
    );
    assert.deepEqual(setAside, [bad?.id]);
    const { body } = await org.api.get(`/notification-channels/${channel.channelId}`);
    assert.match(body.lastError, /^an alert cannot be put into a notification/);
    assert.equal(await newWorker().gather(channel), true);
    assert.equal((await contents()).length, messages.length, 'it is not tried again at once');
  });

  it('names a device whose name is cut beside a character of two code units', async () => {
    const setBattery = await newDevice(org, `${'x'.repeat(58)}\u{1F9CA} fridge in the pharmacy`);
    await setBattery('low');
    await newWorker().gather(channel);
    const [message] = await contents();
    assert.match(JSON.stringify(message), /x{58}…/);
    assert.deepEqual(setAside, []);
  });

  for (const held of ['listed', 'stored'] as const) {
    it(`notifies of an alert whose mute ends early while a worker has ${held} it`, async () => {
      const setBattery = await newDevice(org, 'Cold room');
      const path = `/assets/${(await org.api.get('/assets')).body.items[0].id}/mute`;
      const until = new Date(Date.now() + HOUR_MS).toISOString();
      assert.equal((await org.api.post(path, { until, reason: 'Defrosting' })).status, 201);
      await setBattery('low');
      await gatherDuring(held, () => org.api.delete(path));
      await newWorker().gather(channel);
      assert.equal((await contents()).length, 1);
    });

    for (const state of ['new', 'acknowledged'])
      it(`notifies at the end of a snooze that begins while a worker has ${held} the alert as ${state}`, async () => {
        await (await newDevice(org, 'Cold room'))('low');
        const path = `/alerts/${(await org.api.get('/alerts')).body.items[0].id}`;
        const acknowledge = (more = {}) => org.api.patch(path, { status: 'acknowledged', ...more });
        if (state === 'acknowledged') assert.equal((await acknowledge()).status, 200);
        const snoozeUntil = new Date(Date.now() + HOUR_MS);
        await gatherDuring(held, () => acknowledge({ snoozeUntil }));
        const due = await createNotificationAlertsRepository(dms.service.sql).listDue(
          channel,
          snoozeUntil,
          1,
        );
        assert.equal(due.length, 1);
      });
  }

  it('drops at the enabling of a channel a message whose transaction had seen it before it was disabled', async () => {
    const path = `/notification-channels/${channel.channelId}`;
    const { notifications } = newWorker();
    await createTransact(dms.service.sql)(async ({ sql }) => {
      const [seen] = await createChannelsRepository(sql).listActive(org.id, [channel.channelId]);
      assert.ok(seen);
      assert.equal((await org.api.patch(path, { status: 'disabled' })).status, 200);
      await createNotificationsRepository(sql, randomUUID()).insertEscalation(
        channel,
        TEST_MESSAGE,
        new Date(),
      );
    });
    assert.equal((await notifications.listSteps(channel, 1)).length, 1);
    assert.equal((await org.api.patch(path, { status: 'active' })).status, 200);
    assert.deepEqual(await notifications.listSteps(channel, 1), []);
  });

  it('queues alerts while a worker gathers, and gathers them the next time', async () => {
    const setBattery = await newDevice(org, 'Cold room');
    await createTransact(dms.service.sql)(async ({ sql }) => {
      await createNotificationsRepository(sql, randomUUID()).lockChannel(channel);
      await setBattery('low');
    });
    await newWorker().gather(channel);
    assert.equal((await contents()).length, 1);
  });

  it('stores frames that open alerts while those of a deleted channel are removed, and leaves none of it', async () => {
    await addAlerts(1, 'REMOVED');
    await register(org, 'MEANWHILE');
    const { channelId } = channel;
    const measuredAt = new Date(Date.now() - HOUR_MS).toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt }];
    const queued = `select from notification_alerts where channel_id = '${channelId}' for update`;
    const { deleting } = await whileLocked(dms.service.sql, queued, async () => {
      const deleting = org.api.delete(`/notification-channels/${channelId}`);
      await untilLockWaits(dms.service.sql, 1);
      const frame = { readings, batteryStatus: 'low' };
      const { status, text } = await org.device.post('/devices/MEANWHILE/measurements', frame);
      assert.equal(status, 202, text);
      return { deleting };
    });
    assert.equal((await deleting).status, 204);
    const ofChannel = { organization_id: org.id, channel_id: channelId };
    assert.deepEqual(await dms.service.sql('notification_alerts').where(ofChannel).select('alert_id'), []);
  });

  it('runs no statement for frames that open or end no alert', async () => {
    const setBattery = await newDevice(org, 'Cold room');
    const notificationsOf = async (work: () => Promise<unknown>) =>
      (await statementsOf(dms.service.sql, work)).filter((text) => text.includes('notification_')).length;
    assert.equal(await notificationsOf(() => setBattery('ok')), 0);
    assert.equal(await notificationsOf(() => setBattery('low')), 1);
  });
});
