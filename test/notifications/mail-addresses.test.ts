/**
 * E-mail addresses get nothing before their owner has agreed, and no more than the limit of mails per hour.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { mailWaitMs, type PlannedMail } from '../../src/notifications/mail-limits.ts';
import { createNotificationAlertsRepository } from '../../src/notifications/notification-alerts.repository.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { visit } from '../operator/visitor.ts';
import { eventually } from '../support/fleet.ts';
import type { TestOrganization, TestService } from '../support/service.ts';
import {
  confirmAddress,
  linkIn,
  newDevice,
  type ReceivedMail,
  startMailService,
  type TestMailServer,
  textOf,
} from './harness.ts';

const LIMITS = { perAddress: 60, perOrganization: 600 };

describe('E-mail addresses of channels', () => {
  let dms: TestService;
  let org: TestOrganization;
  let mail: TestMailServer;
  let stop: () => Promise<void>;
  let aheadMs = 0;
  let count = 0;
  let target: string;

  before(async () => {
    ({ dms, mail, stop } = await startMailService({
      now: () => new Date(Date.now() + aheadMs),
      settings: { mailLimits: { perAddress: 8, perOrganization: 600 } },
    }));
  });
  after(() => stop());
  beforeEach(async () => {
    aheadMs = 0;
    org = await dms.addOrganization();
    target = `quality-${++count}@example.com`;
  });

  const create = async (body: object = {}) =>
    (await org.api.post('/notification-channels', { type: 'email', target, ...body })).body;
  const act = (id: string, action: string) => org.api.post(`/notification-channels/${id}/${action}`);
  const statusOf = async (id: string) => (await org.api.get(`/notification-channels/${id}`)).body.status;
  const received = () => mail.mails.filter(({ to }) => to.includes(target));
  const untilMails = (enough: number): Promise<ReceivedMail[]> =>
    eventually(
      async () => received(),
      ({ length }) => length >= enough,
    );
  const page = (link: string) => `${dms.baseUrl}${new URL(link).pathname}`;
  const press = (link: string) =>
    visit(page(link), { form: { token: new URL(link).searchParams.get('token') ?? '' } });

  it('counts no alert as delayed that waits for the address of its channel to be confirmed', async () => {
    const { id } = await create({ delayMinutes: 10 });
    await confirmAddress(dms, mail.mails, target);
    await (await newDevice(org, 'Cold room'))('low');
    const at = new Date(Date.now() + HOUR_MS);
    const alerts = createNotificationAlertsRepository(dms.service.sql);
    assert.ok((await alerts.findOldestDueSeconds(at, at)) > 0);
    await org.api.patch(`/notification-channels/${id}`, { target: `typo-${target}` });
    assert.equal(await alerts.findOldestDueSeconds(at, at), 0);
  });

  it('leaves an address unconfirmed until the button behind the link was pressed, and says in the mail who asks', async () => {
    const { id, status } = await create();
    assert.equal(status, 'unconfirmed');
    const [sent] = await untilMails(1);
    const text = textOf(sent as ReceivedMail).replace(/\s+/g, ' ');
    assert.match(text, /test [\w-]{36} wants to send alerts of its temperature loggers to this address/);
    const link = linkIn(sent as ReceivedMail);
    const opened = await visit(`${page(link)}${new URL(link).search}`);
    assert.equal(opened.status, 200);
    assert.match(opened.text, /action="[^"]+\?token=[^"]+".*Confirm the address/s);
    assert.equal(await statusOf(id), 'unconfirmed');
    assert.equal((await press(link)).status, 200);
    assert.equal(await statusOf(id), 'active');
    const open = () => visit(`${page(link)}${new URL(link).search}`);
    for (const again of [await press(link), await open()]) {
      assert.equal(again.status, 200);
      assert.match(
        again.text,
        /The address is confirmed.* to <strong>[^<]+<\/strong>(?: from now on)?\.<\/p>/s,
      );
    }
    aheadMs = 48 * HOUR_MS;
    assert.match((await open()).text, /The address is confirmed.*This link was used <time/s);
    assert.equal((await act(id, 'confirm-again')).status, 409);
    assert.equal((await create({ target: target.toUpperCase() })).status, 'active');
    assert.equal(received().length, 1);
  });

  it('records the confirmation in the audit trail, for each channel with the address', async () => {
    const channels = [await create(), await create({ delayMinutes: 5 })];
    await untilMails(1);
    await confirmAddress(dms, mail.mails, target);
    const { items } = (await org.api.get('/audit')).body;
    const shown = items
      .filter(({ action }: { action: string }) => action === 'confirmAddress')
      .map(({ recType: _, id: __, at: ___, serialNumber: ____, ...entry }: Record<string, unknown>) => entry);
    const entryOf = ({ id }: { id: string }) => ({
      actor: { keyId: null, name: 'owner of the address' },
      action: 'confirmAddress',
      subject: id,
      subjectName: target,
      before: { target, status: 'unconfirmed' },
      after: { target, status: 'active' },
    });
    const bySubject = (a: { subject: string }, b: { subject: string }) => a.subject.localeCompare(b.subject);
    assert.deepEqual(shown.sort(bySubject), channels.map(entryOf).sort(bySubject));
  });

  it('sends only the link before the confirmation: no test, and no alert', async () => {
    const { id } = await create();
    await untilMails(1);
    const refused = await act(id, 'test');
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /not confirmed/);
    await (await newDevice(org, 'Cold room'))('low');
    await confirmAddress(dms, mail.mails, target);
    await (await newDevice(org, 'Warm room'))('low');
    const [, alert] = await untilMails(2);
    assert.match(alert?.source ?? '', /Warm room/);
    assert.doesNotMatch(alert?.source ?? '', /Cold room/);
  });

  it('accepts only the newest link, for 24 hours, and sends five links an hour', async () => {
    const { id } = await create();
    const [first] = await untilMails(1);
    const again = await act(id, 'confirm-again');
    assert.deepEqual([again.status, again.body.status], [202, 'unconfirmed']);
    const [, second] = await untilMails(2);
    assert.equal((await press(linkIn(first as ReceivedMail))).status, 404);
    for (let sent = 2; sent < 5; sent++) assert.equal((await act(id, 'confirm-again')).status, 202);
    const refused = await act(id, 'confirm-again');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) > 3_500);
    const mails = await untilMails(5);
    aheadMs = DAY_MS + 1_000;
    for (const sent of [second, ...mails.slice(2)])
      assert.equal((await press(linkIn(sent as ReceivedMail))).status, 404);
    assert.equal((await act(id, 'confirm-again')).status, 202);
    await untilMails(6);
    await confirmAddress(dms, received().slice(-1), target);
    assert.equal(await statusOf(id), 'active');
  });

  it('sends a mailbox five links an hour from each organization', async () => {
    for (const sender of [org, await dms.addOrganization()]) {
      const { body } = await sender.api.post('/notification-channels', { type: 'email', target });
      const again = () => sender.api.post(`/notification-channels/${body.id}/confirm-again`);
      for (let sent = 1; sent < 5; sent++) assert.equal((await again()).status, 202);
      assert.equal((await again()).status, 429);
    }
  });

  it('shows on the channel why the link was not sent, until it is sent', async () => {
    const { id } = await create();
    await untilMails(1);
    const errorOf = async () => (await org.api.get(`/notification-channels/${id}`)).body.lastError;
    mail.remove(target);
    assert.equal((await act(id, 'confirm-again')).status, 202);
    assert.equal(await eventually(errorOf, (error) => error !== null), 'the mail server answered 550');
    mail.restore(target);
    assert.equal((await act(id, 'confirm-again')).status, 202);
    await eventually(errorOf, (error) => error === null);
  });

  it('requires a new confirmation when a channel gets another address', async () => {
    const { id } = await create();
    await confirmAddress(dms, mail.mails, target);
    const other = `other-${target}`;
    const changed = await org.api.patch(`/notification-channels/${id}`, { target: other });
    assert.deepEqual([changed.status, changed.body.status], [200, 'unconfirmed']);
    await confirmAddress(dms, mail.mails, other);
    assert.equal(await statusOf(id), 'active');
  });

  it('sends five links an hour through a channel, for any sequence of targets', async () => {
    const { id } = await create();
    const changeTo = (address: string) => org.api.patch(`/notification-channels/${id}`, { target: address });
    for (let sent = 1; sent < 5; sent++) assert.equal((await changeTo(`link-${sent}-${target}`)).status, 200);
    assert.equal((await changeTo(`link-5-${target}`)).status, 429);
    assert.equal((await org.api.get(`/notification-channels/${id}`)).body.target, `link-4-${target}`);
  });

  it('sends one message about everything that happened while there were too many mails within the hour', async () => {
    const { id } = await create();
    await confirmAddress(dms, mail.mails, target);
    for (let sent = 0; sent < 5; sent++) await act(id, 'test');
    for (const name of ['Room 1', 'Room 2']) {
      await (await newDevice(org, name))('low');
      await untilMails(received().length + 1);
    }
    for (const name of ['Room 3', 'Room 4', 'Room 5']) await (await newDevice(org, name))('low');
    const other = await create({ target: `other-${target}` });
    assert.equal(other.status, 'unconfirmed');
    assert.equal(received().length, 8);
    aheadMs = HOUR_MS + 1_000;
    const gathered = (await untilMails(9)).at(-1)?.source ?? '';
    for (const name of ['Room 3', 'Room 4', 'Room 5']) assert.match(gathered, new RegExp(name));
    assert.equal(received().length, 9);
  });

  it('counts no mail that the mail server has put off, so that the limit does not hold it afterwards', async () => {
    const { id } = await create();
    await confirmAddress(dms, mail.mails, target);
    for (let sent = 0; sent < 5; sent++) await act(id, 'test');
    mail.putOff(target);
    await (await newDevice(org, 'Room 1'))('low');
    const untilAttempts = (count: number) =>
      eventually(
        () =>
          query(
            dms.service.sql,
            'select attempt_count as count from notifications where organization_id = ?',
            [org.id],
          ),
        ([row]) => (row as { count: number } | undefined)?.count === count,
      );
    for (const attempts of [1, 2, 3]) {
      await untilAttempts(attempts);
      aheadMs += 7 * MINUTE_MS;
    }
    mail.restore(target);
    aheadMs = 50 * MINUTE_MS;
    assert.match((await untilMails(7)).at(-1)?.source ?? '', /Room 1/);
  });

  it('sends five tests an hour through a channel, and counts none of a clock that was ahead', async () => {
    const { id } = await create();
    await confirmAddress(dms, mail.mails, target);
    aheadMs = 6 * HOUR_MS;
    for (let sent = 0; sent < 5; sent++) assert.equal((await act(id, 'test')).body.error, null);
    assert.equal((await act(id, 'test')).status, 429);
    aheadMs = 0;
    assert.equal((await act(id, 'test')).status, 200);
  });

  it('answers 404 for unknown channels, and 409 for channels without an address', async () => {
    const { body } = await org.api.post('/notification-channels', {
      type: 'webhook',
      target: 'http://127.0.0.1:9/',
    });
    assert.equal((await act(body.id, 'confirm-again')).status, 409);
    assert.equal((await visit(`${dms.baseUrl}/operator/confirm-address?token=x`)).status, 404);
  });
});

describe('The limit of mails', () => {
  const now = new Date('2026-03-02T12:00:00Z');
  const at = (minutesAgo: number) => new Date(now.getTime() - minutesAgo * 60_000);
  const mailTo = (addressKey: string, more: Partial<PlannedMail> = {}): PlannedMail => ({
    addressKey,
    channelId: 'one',
    kind: 'notification',
    ...more,
  });
  const sent = (times: number, mail: PlannedMail, minutesAgo: number) =>
    Array.from({ length: times }, () => ({ ...mail, sentAt: at(minutesAgo) }));

  it('counts per address and per organization, and returns the wait until the next mail', () => {
    const full = [...sent(1, mailTo('a'), 50), ...sent(59, mailTo('a'), 10)];
    assert.equal(mailWaitMs(mailTo('a'), full, LIMITS, now), 10 * 60_000);
    assert.equal(mailWaitMs(mailTo('b'), full, LIMITS, now), 0);
    assert.equal(mailWaitMs(mailTo('a'), full.slice(1), LIMITS, now), 0);
    const others = sent(600, mailTo('b', { channelId: 'two' }), 30);
    assert.equal(mailWaitMs(mailTo('a'), others, LIMITS, now), 30 * 60_000);
  });

  it('counts tests per channel', () => {
    const tests = sent(5, mailTo('a', { kind: 'test' }), 20);
    assert.equal(mailWaitMs(mailTo('a', { kind: 'test' }), tests, LIMITS, now), 40 * 60_000);
    assert.equal(mailWaitMs(mailTo('a', { kind: 'test', channelId: 'two' }), tests, LIMITS, now), 0);
    assert.equal(mailWaitMs(mailTo('a', { kind: 'link' }), tests, LIMITS, now), 0);
  });

  it('counts links per channel, and per mailbox regardless of the tag of the address', () => {
    const link = (addressKey: string, channelId: string) => mailTo(addressKey, { kind: 'link', channelId });
    const links = sent(5, link('ops+cold@example.com', 'one'), 20);
    const waitOf = (mail: PlannedMail) => mailWaitMs(mail, links, LIMITS, now);
    assert.equal(waitOf(link('ops+cold@example.com', 'two')), 40 * 60_000);
    assert.equal(waitOf(link('ops+warm+1@example.com', 'two')), 40 * 60_000);
    assert.equal(waitOf(link('ops@example.com', 'two')), 40 * 60_000);
    assert.equal(waitOf(link('qa@example.com', 'one')), 40 * 60_000);
    assert.equal(waitOf(link('ops+cold@example.org', 'two')), 0);
    assert.equal(waitOf(mailTo('ops@example.com', { channelId: 'one' })), 0);
  });
});
