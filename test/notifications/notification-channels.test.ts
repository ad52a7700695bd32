/** Notification channels: what they send, when, and how they are stored. */
import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { query } from '../../src/db/query.ts';
import { newChannel } from '../../src/notifications/notification-channel.ts';
import { createChannelsRepository } from '../../src/notifications/notification-channels.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { apply, applyAnswer, createProfile, eventually, FRIDGE, register } from '../support/fleet.ts';
import { type TestOrganization, type TestService, useService } from '../support/service.ts';
import { validateEventBody } from '../support/validate-events.ts';
import {
  confirmAddress,
  newDevice,
  startMailService,
  startMessageReceiver,
  type TestMailServer,
} from './harness.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PLAN = {
  scheduleMs: [0, 50, 50],
  probePlan: { firstMs: 50, share: 0.1, maxMs: 50 },
  disableAfterMs: 60_000,
};

describe('Notification channels', () => {
  let dms: TestService;
  let org: TestOrganization;
  let receiver: Awaited<ReturnType<typeof startMessageReceiver>>;
  let mail: TestMailServer;
  let stop: () => Promise<void>;
  let aheadMs = 0;

  before(async () => {
    ({ dms, mail, stop } = await startMailService({
      now: () => new Date(Date.now() + aheadMs),
      deliveryPlan: PLAN,
    }));
  });
  after(() => stop());
  beforeEach(async () => {
    aheadMs = 0;
    org = await dms.addOrganization();
    receiver = await startMessageReceiver();
  });
  afterEach(() => receiver.stop());

  async function create(body: object): Promise<string> {
    const answer = await org.api.post('/notification-channels', body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  }
  const slack = (more: object = {}) => create({ type: 'slack', target: receiver.url, ...more });
  const slackAnswer = (name: unknown) =>
    org.api.post('/notification-channels', { type: 'slack', target: receiver.url, name });
  const shown = async (id: string) => (await org.api.get(`/notification-channels/${id}`)).body;
  const texts = () => receiver.received.map(({ body }) => JSON.parse(body).text as string);
  const untilTexts = (enough: number) =>
    eventually(
      async () => texts(),
      (all) => all.length >= enough,
    );
  const countQueued = async () => {
    const rows = await query(dms.service.sql, 'select 1 from notification_alerts where organization_id = ?', [
      org.id,
    ]);
    return rows.length;
  };
  const untilShown = (id: string, holds: (channel: Record<string, unknown>) => boolean) =>
    eventually(() => shown(id), holds);
  const time = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString().slice(11, 16);
  /** Until so many alerts wait for the end of quiet hours, which is more than an hour ahead. */
  function untilPostponed(count: number) {
    const postponed = `select 1 from notification_alerts where organization_id = ? and due_at > now() + interval '1 hour'`;
    return eventually(
      () => query(dms.service.sql, postponed, [org.id]),
      ({ length }) => length === count,
    );
  }

  it('notifies Slack of the opening and the end of an alert, and never shows the whole URL again', async () => {
    const id = await slack();
    const setBattery = await newDevice(org, 'Cold <room>');
    await setBattery('low');
    const [opened] = await untilTexts(1);
    assert.match(opened ?? '', /^New alert: Cold &lt;room&gt;, low battery\n\nNew alerts:\n/);
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').mrkdwn, false, 'names are shown as typed');
    const { items } = (await org.api.get('/alerts')).body;
    const link = `https://operators.example/operator/alerts/${items[0].id}`;
    assert.ok(opened?.endsWith(`See and acknowledge after signing in:\n\n${link}`), opened);
    await setBattery('ok');
    const [, over] = await untilTexts(2);
    assert.match(over ?? '', /^Over: Cold &lt;room&gt;, low battery/);
    const channel = await untilShown(id, ({ lastSentAt }) => lastSentAt !== null);
    assert.equal(channel.target, `${new URL(receiver.url).origin}/…`);
    const patched = await org.api.patch(`/notification-channels/${id}`, {
      target: channel.target,
      delayMinutes: 0,
    });
    assert.equal(patched.status, 200, patched.text);
    await setBattery('low');
    await untilTexts(3);
    assert.equal(await countQueued(), 1);
  });

  it('sends a message once whose outcome is recorded in conflict with another transaction', async () => {
    const id = await slack();
    await query(
      dms.service.sql,
      `create sequence conflicts; create function conflict_once() returns trigger language plpgsql as $$
       begin
         if nextval('conflicts') = 1 then raise exception using errcode = 'deadlock_detected'; end if;
         return new;
       end $$;
       create trigger conflict before update of last_sent_at on notification_channels for each row
       when (old.id = '${id}') execute function conflict_once()`,
    );
    await (await newDevice(org, 'Cold room'))('low');
    await untilShown(id, ({ lastSentAt }) => lastSentAt !== null);
    await query(dms.service.sql, 'drop function conflict_once() cascade; drop sequence conflicts');
    assert.equal(texts().length, 1);
  });

  it('signs messages to a webhook, in the form of the event catalogue', async () => {
    await create({ type: 'webhook', target: receiver.url, secret: SECRET });
    await (await newDevice(org, 'Cold room'))('low');
    const [posted] = await eventually(
      async () => receiver.received,
      ({ length }) => length > 0,
    );
    assert.ok(posted);
    new Webhook(SECRET).verify(posted.body, posted.headers as Record<string, string>);
    validateEventBody(posted.body);
    const { type, data } = JSON.parse(posted.body);
    assert.deepEqual(
      [type, data.counts.opened, data.alerts[0].alert.type],
      ['notification', 1, 'low_battery'],
    );
  });

  it('sends e-mail through the mail server of the operator', async () => {
    await create({ type: 'email', target: 'quality@example.com' });
    await confirmAddress(dms, mail.mails, 'quality@example.com');
    await (await newDevice(org, 'Kühlraum'))('low');
    const [, sent] = await eventually(
      async () => mail.mails,
      ({ length }) => length > 1,
    );
    assert.deepEqual([sent?.from, sent?.to], ['alerts@example.com', ['quality@example.com']]);
    assert.match(sent?.source ?? '', /Subject: .*low battery|Subject: =\?UTF-8\?/);
  });

  it('gives up a mailbox that the mail server does not know, and shows why', async () => {
    const id = await create({ type: 'email', target: 'gone@example.com' });
    await confirmAddress(dms, mail.mails, 'gone@example.com');
    mail.remove('gone@example.com');
    await (await newDevice(org, 'Cold room'))('low');
    const channel = await untilShown(id, ({ lastError }) => lastError !== null);
    assert.equal(channel.lastError, 'the mail server answered 550');
    const [row] = await query<{ state: string }>(
      dms.service.sql,
      'select state from notifications where organization_id = ?',
      [org.id],
    );
    assert.equal(row?.state, 'failed');
  });

  it('notifies after the delay, of alerts that are still open, all in one message', async () => {
    await slack({ delayMinutes: 10 });
    const devices = await Promise.all(
      Array.from({ length: 25 }, (_, index) => newDevice(org, `Room ${index}`)),
    );
    await Promise.all(devices.map((setBattery) => setBattery('low')));
    await Promise.all(devices.slice(0, 3).map((setBattery) => setBattery('ok')));
    assert.deepEqual(texts(), []);
    aheadMs = 11 * MINUTE_MS;
    const [text] = await untilTexts(1);
    assert.match(text ?? '', /^22 new alerts: .+, and 21 more\n/);
    assert.match(text ?? '', /\nand 2 more|and 2 more$/);
    assert.doesNotMatch(text ?? '', /Room [012] /);
    await eventually(countQueued, (queued) => queued === 22);
    assert.equal(texts().length, 1);
  });

  it('reminds of open alerts from the change of the reminder on', async () => {
    const id = await slack();
    await (await newDevice(org, 'Cold room'))('low');
    await untilTexts(1);
    await org.api.patch(`/notification-channels/${id}`, { reminderMinutes: 60 });
    aheadMs = 61 * MINUTE_MS;
    const [, reminder] = await untilTexts(2);
    assert.match(reminder ?? '', /^Still open: Cold room/);
  });

  it('plans no reminder of open alerts once the reminder is taken away', async () => {
    const id = await slack({ reminderMinutes: 60 });
    await (await newDevice(org, 'Cold room'))('low');
    await untilTexts(1);
    await org.api.patch(`/notification-channels/${id}`, { reminderMinutes: null });
    const planned = await query(
      dms.service.sql,
      'select 1 from notification_alerts where organization_id = ? and due_at is not null',
      [org.id],
    );
    assert.deepEqual(planned, []);
  });

  it('sends at once when the quiet hours that held it are taken away', async () => {
    const id = await slack({ quietHours: { from: time(-60), to: time(120), timezone: 'UTC' } });
    await (await newDevice(org, 'Cold room'))('low');
    await untilPostponed(1);
    await org.api.patch(`/notification-channels/${id}`, { quietHours: null });
    const [text] = await untilTexts(1);
    assert.match(text ?? '', /^New alert: Cold room/);
  });

  it('sends nothing about an acknowledged alert until its snooze is over', async () => {
    await slack({ reminderMinutes: 60 });
    await slack({ delayMinutes: 30, target: `${receiver.url}2` });
    const setBattery = await newDevice(org, 'Cold room');
    await setBattery('low');
    await untilTexts(1);
    const [{ id }] = (await org.api.get('/alerts')).body.items;
    const acknowledge = (more: object) => org.api.patch(`/alerts/${id}`, { status: 'acknowledged', ...more });
    await acknowledge({});
    aheadMs = 61 * MINUTE_MS;
    await (await newDevice(org, 'Warm room'))('low');
    const [, next] = await untilTexts(2);
    assert.match(next ?? '', /^New alert: Warm room/);
    const isAtRest = `select 1 from notification_alerts where organization_id = ? and alert_id = ? and due_at is null`;
    await eventually(
      () => query(dms.service.sql, isAtRest, [org.id, id]),
      ({ length }) => length === 2,
    );
    await acknowledge({ snoozeUntil: new Date(Date.now() + 90 * MINUTE_MS).toISOString() });
    aheadMs = 95 * MINUTE_MS;
    const all = await eventually(
      async () => texts().filter((text) => text.includes('Cold room')),
      ({ length }) => length >= 3,
    );
    assert.deepEqual(all.map((text) => text.slice(0, 9)).toSorted(), ['2 new ale', 'New alert', 'Still ope']);
  });

  it('keeps the delay of a channel when a snooze ends before it', async () => {
    await slack();
    await slack({ delayMinutes: 30 });
    await (await newDevice(org, 'Cold room'))('low');
    await untilTexts(1);
    const [{ id }] = (await org.api.get('/alerts')).body.items;
    const dueAt = async () => {
      const unnotified = `select due_at from notification_alerts
        where organization_id = ? and alert_id = ? and notified_at is null`;
      return query(dms.service.sql, unnotified, [org.id, id]);
    };
    const due = await dueAt();
    assert.equal(due.length, 1);
    for (const minutes of [20, 5]) {
      const snoozeUntil = new Date(Date.now() + minutes * MINUTE_MS).toISOString();
      await org.api.patch(`/alerts/${id}`, { status: 'acknowledged', snoozeUntil });
      assert.deepEqual(await dueAt(), due);
    }
    aheadMs = 31 * MINUTE_MS;
    const all = await untilTexts(3);
    assert.deepEqual(all.map((text) => text.slice(0, 9)).toSorted(), ['New alert', 'New alert', 'Still ope']);
  });

  it('holds alerts until quiet hours end, and drops those that have ended by then', async () => {
    await slack({ quietHours: { from: time(-60), to: time(120), timezone: 'UTC' } });
    const first = await newDevice(org, 'First room');
    const second = await newDevice(org, 'Second room');
    await Promise.all([first('low'), second('low')]);
    await untilPostponed(2);
    await second('ok');
    assert.deepEqual(texts(), []);
    aheadMs = 121 * MINUTE_MS;
    const [text] = await untilTexts(1);
    assert.match(text ?? '', /^New alert: First room, low battery/);
    assert.equal(await countQueued(), 1);
  });

  it('mentions an excursion in late data once, as over, and holds it in quiet hours', async () => {
    await slack({
      alertTypes: ['high_temp'],
      reminderMinutes: 5,
      quietHours: { from: time(100), to: time(180), timezone: 'UTC' },
    });
    await register(org, 'LATE-1', { name: 'Cold room' });
    await apply(org, await createProfile(org, FRIDGE), { serialNumbers: ['LATE-1'] });
    await applyAnswer(org, 'LATE-1');
    const reading = (minute: number, value: number) => ({
      channel: 1,
      type: 'temperature',
      value,
      measuredAt: new Date(Date.now() + minute * MINUTE_MS).toISOString(),
    });
    const send = (...readings: object[]) => org.device.post('/devices/LATE-1/measurements', { readings });
    const [warm, cold] = [reading(60, 12), reading(70, 5)];
    aheadMs = 120 * MINUTE_MS;
    await send(reading(120, 5));
    await send(warm, cold);
    const isPostponed = `select 1 from notification_alerts where organization_id = ? and due_at > ?`;
    await eventually(
      () => query(dms.service.sql, isPostponed, [org.id, new Date(Date.now() + aheadMs + MINUTE_MS)]),
      ({ length }) => length === 1,
    );
    assert.deepEqual(texts(), []);
    aheadMs = 181 * MINUTE_MS;
    const [text] = await untilTexts(1);
    assert.match(text ?? '', /^Over already: Cold room, too warm\n/);
    assert.match(text ?? '', /from .* to .*, up to 12 °C$/);
    assert.equal(await countQueued(), 0);
  });

  it('mentions an excursion within one frame once, and only on channels whose delay is not longer', async () => {
    const [atOnce, short, long] = [0, 5, 15].map((delayMinutes) => ({
      type: 'webhook',
      target: `${receiver.url}/${delayMinutes}`,
      alertTypes: ['high_temp'],
      delayMinutes,
    }));
    const escalating = await create(atOnce ?? {});
    await create(short ?? {});
    await create(long ?? {});
    const steps = [{ afterMinutes: 0, channelIds: [escalating] }];
    assert.equal((await org.api.post('/escalations', { name: 'On call', steps })).status, 201);
    await register(org, 'FRAME-1', { name: 'Cold room' });
    await apply(org, await createProfile(org, FRIDGE), { serialNumbers: ['FRAME-1'] });
    await applyAnswer(org, 'FRAME-1');
    const startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    const readings = [5, 12, 13, 5].map((value, index) => ({
      channel: 1,
      type: 'temperature',
      value,
      measuredAt: new Date(startMs + (index - 3) * 5 * MINUTE_MS).toISOString(),
    }));
    assert.equal((await org.device.post('/devices/FRAME-1/measurements', { readings })).status, 202);
    const said = async () =>
      receiver.received.map(({ path, body }) => [
        path.at(-1),
        JSON.parse(body).data.text.replace(/ UTC/g, ''),
      ]);
    const [minute] = [1, 3].map((index) => readings[index]?.measuredAt.slice(0, 16).replace('T', ' '));
    const over = readings[3]?.measuredAt.slice(0, 16).replace('T', ' ');
    const text = `Over already:\n- Cold room (FRAME-1): too warm, 12 °C on probe (channel 1), above 8 °C, from ${minute} to ${over}`;
    await eventually(said, ({ length }) => length === 1);
    aheadMs = 5 * MINUTE_MS;
    await eventually(said, ({ length }) => length === 2);
    assert.deepEqual(await said(), [
      ['0', text],
      ['5', text],
    ]);
    assert.equal(await countQueued(), 0);
  });

  it('repeats a message with the same id until it is accepted', async () => {
    let failures = 2;
    receiver.answer((response) => void response.writeHead(failures-- > 0 ? 500 : 200).end());
    const id = await slack();
    await (await newDevice(org, 'Cold room'))('low');
    const posted = await eventually(
      async () => receiver.received,
      ({ length }) => length === 3,
    );
    assert.equal(new Set(posted.map(({ headers }) => headers['webhook-id'])).size, 1);
    await untilShown(id, ({ lastSentAt, lastError }) => lastSentAt !== null && lastError === null);
  });

  it('sends no opening again whose alert has ended during a failed attempt, but the end once', async () => {
    const held: Array<(status: number) => void> = [];
    receiver.answer((response) => void held.push((status) => void response.writeHead(status).end()));
    await slack();
    const setBattery = await newDevice(org, 'Cold room');
    await setBattery('low');
    const [first] = await eventually(
      async () => held,
      ({ length }) => length === 1,
    );
    await setBattery('ok');
    receiver.answer((response) => void response.writeHead(200).end());
    first?.(500);
    const states = () =>
      query<{ state: string }>(
        dms.service.sql,
        'select state from notifications where organization_id = ? order by id',
        [org.id],
      );
    await eventually(states, (all) => all.length === 2 && all.every(({ state }) => state !== 'pending'));
    assert.deepEqual(
      (await states()).map(({ state }) => state),
      ['failed', 'sent'],
    );
    assert.deepEqual(
      texts().map((text) => text.split(':')[0]),
      ['New alert', 'Over'],
    );
  });

  it('shows the error of a failed test on the channel until a message arrives', async () => {
    const id = await slack();
    const test = () => org.api.post(`/notification-channels/${id}/test`);
    receiver.answer((response) => void response.writeHead(500).end());
    assert.equal((await test()).body.delivered, false);
    assert.match((await shown(id)).lastError ?? '', /500/);
    receiver.answer((response) => void response.writeHead(200).end());
    assert.equal((await test()).body.delivered, true);
    assert.equal((await shown(id)).lastError, null);
  });

  it('sends a test at once, even of a disabled channel, with the same limit as tests of webhooks', async () => {
    const id = await slack({ status: 'disabled' });
    const test = () => org.api.post(`/notification-channels/${id}/test`);
    const { status, body } = await test();
    assert.deepEqual([status, body.delivered, body.statusCode, body.error], [200, true, 200, null]);
    const held: Array<() => void> = [];
    receiver.answer((response) => void held.push(() => void response.writeHead(200).end()));
    const tests = Array.from({ length: 9 }, test);
    assert.equal((await Promise.race(tests)).status, 429);
    await eventually(
      async () => held,
      ({ length }) => length === 8,
    );
    for (const finish of held) finish();
    assert.equal((await Promise.all(tests)).filter((each) => each.status === 200).length, 8);
  });

  it('neither queues nor sends when disabled or deleted, or for other types or groups', async () => {
    const ids = [
      await slack({ status: 'disabled' }),
      await slack({ alertTypes: ['high_temp'] }),
      await slack({ groupIds: [(await org.api.post('/groups', { name: 'Elsewhere' })).body.id] }),
    ];
    const setBattery = await newDevice(org, 'Cold room');
    await setBattery('low');
    assert.equal(await countQueued(), 0);
    const later = await slack({ delayMinutes: 60 });
    await setBattery('ok');
    await setBattery('low');
    assert.equal(await countQueued(), 1);
    await org.api.patch(`/notification-channels/${later}`, { status: 'disabled' });
    assert.equal(await countQueued(), 0);
    for (const id of [...ids, later])
      assert.equal((await org.api.delete(`/notification-channels/${id}`)).status, 204);
    assert.deepEqual((await org.api.get('/notification-channels')).body, { items: [], nextCursor: null });
  });

  it('accepts only existing groups, and keeps one that is deleted later', async () => {
    const { body: group } = await org.api.post('/groups', { name: 'Deleted later' });
    const { body: foreign } = await (await dms.addOrganization()).api.post('/groups', { name: 'Foreign' });
    const path = `/notification-channels/${await slack({ groupIds: [group.id] })}`;
    for (const unknown of [foreign.id, '01920000-0000-7000-8000-000000000000']) {
      const { status } = await org.api.patch(path, { groupIds: [group.id, unknown] });
      assert.equal(status, 404);
      const channel = { type: 'slack', target: receiver.url, groupIds: [unknown] };
      assert.equal((await org.api.post('/notification-channels', channel)).status, 404);
    }
    assert.equal((await org.api.delete(`/groups/${group.id}`)).status, 204);
    assert.equal((await org.api.patch(path, { groupIds: [group.id], delayMinutes: 5 })).status, 200);
    assert.equal((await org.api.delete(path)).status, 204);
  });

  it('allows at most a hundred channels', async () => {
    await slack();
    await query(
      dms.service.sql,
      `insert into notification_channels
         (organization_id, id, type, target, alert_types, group_ids, delay_minutes, status)
       select ?, uuidv7(), 'webhook', 'https://example.com', '{}', '{}', 0, 'active' from generate_series(1, 99)`,
      [org.id],
    );
    const full = await org.api.post('/notification-channels', { type: 'slack', target: receiver.url });
    assert.equal(full.status, 409);
  });

  it('names a channel in any script, trimmed, also like another one, and takes the name away', async () => {
    const id = await slack({ name: '  Årsta, 夜勤  ' });
    assert.equal((await shown(id)).name, 'Årsta, 夜勤');
    const same = await slack({ name: 'Årsta, 夜勤' });
    const { items } = (await org.api.get('/notification-channels')).body;
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['Årsta, 夜勤', 'Årsta, 夜勤'],
    );
    assert.equal(
      (await org.api.patch(`/notification-channels/${same}`, { delayMinutes: 5 })).body.name,
      'Årsta, 夜勤',
    );
    assert.equal((await org.api.patch(`/notification-channels/${same}`, { name: null })).body.name, null);
    assert.equal((await shown(await slack())).name, null);
    const [entry] = (await org.api.get(`/audit?subject=${same}`)).body.items;
    assert.deepEqual(
      [entry.before.name, entry.after.name, entry.subjectName],
      ['Årsta, 夜勤', null, `${new URL(receiver.url).origin}/…`],
    );
    const created = (await org.api.get(`/audit?subject=${id}`)).body.items.at(-1);
    assert.deepEqual([created.action, created.subjectName], ['createNotificationChannel', 'Årsta, 夜勤']);
    assert.equal((await slackAnswer('é'.repeat(100))).status, 201);
    for (const name of ['', ' ', 'a\nb', '\u200b', 'é'.repeat(101), 7]) {
      const refused = await slackAnswer(name);
      assert.equal(refused.status, 400, JSON.stringify(name));
      assert.match(refused.body.message, /^name /);
    }
  });

  it('refuses invalid settings with 400 and the name of the field', async () => {
    const target = receiver.url;
    const cases: Array<[object, RegExp]> = [
      [{ type: 'email', target: 'quality' }, /^target must be one e-mail address/],
      [{ type: 'email', target: 'a@example.com, b@example.com' }, /^target must be one e-mail/],
      [{ type: 'slack', target: 'https://10.0.0.1/x' }, /^target must lead to a public address/],
      [{ type: 'slack', target, secret: SECRET }, /^secret is for the type webhook/],
      [
        { type: 'slack', target, quietHours: { from: '22:00', to: '22:00', timezone: 'UTC' } },
        /quietHours\.to/,
      ],
      [{ type: 'slack', target, quietHours: { from: '22:00', to: '07:00', timezone: 'Mars' } }, /timezone/],
    ];
    for (const [body, message] of cases) {
      const answer = await org.api.post('/notification-channels', body);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.body.message, message);
    }
  });
});

describe('A service without a mail server', () => {
  const dms = useService({ withWorker: false });

  it('refuses channels of type email with 409', async () => {
    const body = { type: 'email', target: 'quality@example.com' };
    const answer = await dms.api.post('/notification-channels', body);
    assert.deepEqual([answer.status, /SMTP_URL/.test(answer.body.message)], [409, true]);
  });

  it('refuses another address of a channel of type email with 409', async () => {
    const channels = createChannelsRepository(dms.service.sql);
    const ref = { organizationId: dms.id, channelId: await channels.nextId() };
    const settings = newChannel({ type: 'email', target: 'quality@example.com' });
    await channels.insert(ref, 'email', settings, { isConfirmed: true, sealedTarget: null, secret: null });
    const change = { target: 'safety@example.com' };
    const answer = await dms.api.patch(`/notification-channels/${ref.channelId}`, change);
    assert.deepEqual([answer.status, /SMTP_URL/.test(answer.body.message)], [409, true]);
  });
});
