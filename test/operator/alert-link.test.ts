/** The links in mails: to one alert with one button, or to all alerts of the mail, and to nothing else. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createAlertLinks } from '../../src/notifications/alert-links.service.ts';
import { createChannelsRepository } from '../../src/notifications/notification-channels.repository.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import { createSigner } from '../../src/process/signer.ts';
import {
  alertLinkIn,
  confirmAddress,
  newDevice,
  type ReceivedMail,
  startMailService,
  type TestMailServer,
} from '../notifications/harness.ts';
import { apply, createProfile, eventually, FRIDGE, register, sendTemperature } from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

const FORMS_OF_ANOTHER_SITE = { origin: 'https://elsewhere.example' };

describe('The link in a mail about an alert', () => {
  let dms: TestService;
  let org: TestOrganization;
  let mail: TestMailServer;
  let stop: () => Promise<void>;
  let aheadMs = 0;
  let count = 0;
  let target: string;
  const lines: string[] = [];

  before(async () => {
    ({ dms, mail, stop } = await startMailService({
      now: () => new Date(Date.now() + aheadMs),
      log: createLog('trace', { write: (line) => void lines.push(line) }),
    }));
  });
  after(() => stop());
  beforeEach(async () => {
    aheadMs = 0;
    org = await dms.addOrganization();
    target = `night-${++count}@example.com`;
  });

  async function addChannel(more: object = {}): Promise<string> {
    const { body } = await org.api.post('/notification-channels', { type: 'email', target, ...more });
    await confirmAddress(dms, mail.mails, target);
    return body.id;
  }

  /** Links in the mails to the address, once there are as many mails that match. */
  const links = async (enough: number, subject: RegExp): Promise<string[]> => {
    const matching = ({ to, source }: ReceivedMail) => to.includes(target) && subject.test(source);
    const sent = await eventually(
      async () => mail.mails.filter(matching),
      ({ length }) => length >= enough,
    );
    return sent.map(alertLinkIn);
  };

  async function openAlert(name = 'Cold room') {
    const setBattery = await newDevice(org, name);
    await setBattery('low');
    const { items } = (await org.api.get('/alerts?limit=1')).body;
    return { id: items[0].id as string, resolve: () => setBattery('ok') };
  }

  /** Without waiting for a mail. */
  const linkFor = (id: string, channelId: string, kind: 'alert' | 'message' = 'alert'): string => {
    const made = createAlertLinks({
      signer: createSigner(dms.settings.secretsKeys, 'alert link'),
      baseUrl: dms.settings.operatorUrl,
      listActive: createChannelsRepository(dms.service.sql).listActive,
      now: () => new Date(Date.now() + aheadMs),
    });
    return made.toUrl({ kind, organizationId: org.id, id, channelId }, target) ?? '';
  };
  const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';
  const open = (token: string) => visit(`${dms.baseUrl}/operator/alert-link?token=${token}`);
  /** As a browser sends the form of a page without a referrer. */
  const press = (token: string) =>
    visit(`${dms.baseUrl}/operator/alert-link`, { form: { token }, headers: { origin: 'null' } });
  const shown = async (id: string) => (await org.api.get(`/alerts/${id}`)).body;

  it('shows the alert and who is next, and acknowledges only when its button is pressed', async () => {
    const channelId = await addChannel();
    const steps = [0, 30].map((afterMinutes) => ({ afterMinutes, channelIds: [channelId] }));
    assert.equal((await org.api.post('/escalations', { name: 'On call', steps })).status, 201);
    const { id } = await openAlert();
    const [link = ''] = await links(1, /Subject: Escalation, step 1/);
    assert.match(link, /^https:\/\/operators\.example\/operator\/alert-link\?token=/);
    const page = await open(tokenOf(link));
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1>Cold room .*low battery/);
    assert.match(
      page.text,
      new RegExp(`Since.*<time[^>]* data-clock="age">.*step 1 was made<.*Next</dt><dd>${target}, <time`, 's'),
    );
    assert.equal(page.text.match(/<button/g)?.length, 1);
    await fetch(`${dms.baseUrl}/operator/alert-link?token=${tokenOf(link)}`, { method: 'HEAD' });
    assert.equal((await shown(id)).status, 'new');
    const { status, headers } = await press(tokenOf(link));
    assert.equal(status, 303);
    const after = await visit(dms.baseUrl + headers.get('location'));
    assert.match(after.text, /Acknowledged by night-\d@example\.com \(link in an e-mail\), <time/);
    assert.doesNotMatch(after.text, /<button/);
    const { acknowledgedBy, escalation } = await shown(id);
    const actor = { keyId: null, name: `${target} (link in an e-mail)` };
    assert.deepEqual([acknowledgedBy, escalation.nextStepAt], [actor, null]);
    const { items } = (await org.api.get(`/audit?subject=${id}`)).body;
    assert.deepEqual(
      items.map((entry: { action: string; actor: unknown }) => [entry.action, entry.actor]),
      [['acknowledgeAlert', actor]],
    );
  });

  it('names the channel that follows by its own delay, until somebody acknowledges', async () => {
    const channelId = await addChannel({ delayMinutes: 180 });
    const { id } = await openAlert();
    const token = tokenOf(linkFor(id, channelId));
    assert.match((await open(token)).text, new RegExp(`Next</dt><dd>${target}, <time`));
    await press(token);
    assert.doesNotMatch((await open(token)).text, /<dt>Next</);
  });

  it('names the place and the group of the device', async () => {
    const channelId = await addChannel();
    const { id } = await openAlert();
    const { assetId } = await shown(id);
    const { body: group } = await org.api.post('/groups', { name: 'Blood bank' });
    const where = { buildingId: 'North', floor: 2, spaceId: 'Lab', groupId: group.id };
    assert.equal((await org.api.patch(`/assets/${assetId}`, where)).status, 200);
    const { text } = await open(tokenOf(linkFor(id, channelId)));
    assert.match(text, /Place<\/dt><dd>North, floor 2, Lab<.*Group<\/dt><dd>Blood bank</s);
  });

  it('shows the latest reading and the one that began the alert, and leads to a curve that contains both', async () => {
    const serial = 'WARM-1';
    await register(org, serial, { name: 'Cold room', buildingId: 'North' });
    await apply(org, await createProfile(org, FRIDGE), { serialNumbers: [serial] });
    const measuredMs = Date.now();
    const measure = (seconds: number, value: number) =>
      sendTemperature(org, serial, value, new Date(measuredMs + seconds * 1_000));
    await measure(0, 13.4);
    await measure(1, 14.9);
    const { items } = (await org.api.get('/alerts?type=high_temp')).body;
    const channelId = await addChannel();
    const behindLink = await open(tokenOf(linkFor(items[0].id, channelId)));
    assert.match(behindLink.text, /<strong class="value problem">14.9 °C<.*measured .*13.4 °C when it began/);
    const cookie = await signIn(dms, { organizationId: org.id });
    const page = await visit(`${dms.baseUrl}/operator/alerts/${items[0].id}`, { cookie });
    assert.match(page.text, /Place<\/dt><dd>North<.*Latest readings<\/dt><dd>.*14.9 °C/s);
    const [, to = ''] = /[?&;]to=([^"#]+)#curve/.exec(page.text) ?? [];
    assert.ok(Date.parse(decodeURIComponent(to)) > measuredMs, to);
    await measure(2, 5);
    const over = await open(tokenOf(linkFor(items[0].id, channelId)));
    assert.match(over.text, /<strong class="value problem">13.4 °C<.*This alert is over/s);
  });

  it('acknowledges once, also when the button is pressed again', async () => {
    const channelId = await addChannel();
    const { id } = await openAlert();
    const token = tokenOf(linkFor(id, channelId));
    const snoozeUntil = new Date(Date.now() + DAY_MS / 2).toISOString();
    const body = { status: 'acknowledged', snoozeUntil };
    assert.equal((await org.api.patch(`/alerts/${id}`, body)).status, 200);
    assert.equal((await press(token)).status, 303);
    assert.equal((await org.api.get(`/audit?subject=${id}`)).body.items.length, 1);
    assert.equal((await shown(id)).acknowledgedBy.keyId, org.keyId);
    const snoozed = `It is snoozed until <time datetime="${snoozeUntil}" data-clock>[^<.]*</time>\\.</p>`;
    assert.match((await open(token)).text, new RegExp(snoozed));
  });

  it('says that an alert is over, before and after the button is pressed', async () => {
    const channelId = await addChannel();
    const { id, resolve } = await openAlert();
    const token = tokenOf(linkFor(id, channelId));
    await resolve();
    assert.equal((await press(token)).status, 303);
    assert.match((await open(token)).text, /This alert is over, <time/);
    assert.equal((await shown(id)).acknowledgedBy, null);
  });

  it('works only as it was written, in a browser by GET, HEAD and POST', async () => {
    const { id } = await openAlert();
    const token = tokenOf(linkFor(id, await addChannel()));
    // The last two bits of the last character stand for no byte.
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const other = digits[digits.indexOf(token.at(-1) as string) ^ 1];
    for (const changed of [token.slice(0, -1) + other, token.replace(/\.(\d+)\./, '.0$1.')]) {
      assert.notEqual(changed, token);
      assert.equal((await open(changed)).status, 404, changed);
    }
    const { status, headers } = await fetch(`${dms.baseUrl}/operator/alert-link`, { method: 'OPTIONS' });
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, POST']);
  });

  it('ends after 24 hours, with its channel, and with the address of its channel', async () => {
    const channelId = await addChannel();
    const { id } = await openAlert();
    const token = tokenOf(linkFor(id, channelId));
    const change = (body: object) => org.api.patch(`/notification-channels/${channelId}`, body);
    const isDead = async () => {
      const answers = await Promise.all([open(token), press(token)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404],
      );
      assert.match(answers[0]?.text ?? '', /older than 24 hours.*next message.*has a new one/s);
    };
    aheadMs = DAY_MS - 60_000;
    assert.equal((await open(token)).status, 200);
    aheadMs = DAY_MS + 1_000;
    await isDead();
    aheadMs = 0;
    await change({ status: 'disabled' });
    await isDead();
    await change({ status: 'active' });
    assert.equal((await open(token)).status, 200);
    const address = target;
    target = `other-${target}`;
    await change({ target });
    await confirmAddress(dms, mail.mails, target);
    await isDead();
    await change({ target: address });
    assert.equal((await open(token)).status, 200);
    await org.api.delete(`/notification-channels/${channelId}`);
    await isDead();
    assert.equal((await shown(id)).status, 'new');
  });

  it('opens no other alert, organization or page', async () => {
    const channelId = await addChannel();
    const [one, other] = [await openAlert(), await openAlert('Warm room')];
    const token = tokenOf(linkFor(one.id, channelId));
    const foreign = await dms.addOrganization();
    for (const [name, made] of Object.entries({
      'another alert': token.replace(one.id, other.id),
      'another organization': token.replace(org.id, foreign.id),
      'a later end': token.replace(/\.(\d+)\./, (_, until) => `.${Number(until) + 1}.`),
      'a changed signature': token.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
      'no token': '',
    }))
      assert.deepEqual([(await open(made)).status, (await press(made)).status], [404, 404], name);
    assert.equal((await visit(`${dms.baseUrl}/operator/alerts/${one.id}?token=${token}`)).status, 401);
    assert.equal((await org.with(token).get(`/alerts/${one.id}`)).status, 401);
    for (const { id } of [one, other]) assert.equal((await shown(id)).status, 'new');
  });

  describe('to all alerts of a message', () => {
    /** A message about these alerts, as it is stored when they are gathered. */
    async function addMessage(channelId: string, alertIds: string[]): Promise<string> {
      const alerts = alertIds.map((id) => ({ change: 'opened', assetName: 'Room', alert: { id } }));
      const [row] = await query<{ id: string }>(
        dms.service.sql,
        `insert into notifications (organization_id, channel_id, content, state, created_at)
         values (?, ?, ?, 'sent', now()) returning id`,
        [org.id, channelId, JSON.stringify({ subject: '', data: { text: '', counts: {}, alerts } })],
      );
      return row?.id ?? '';
    }
    const url = () => `${dms.baseUrl}/operator/alerts-link`;

    it('lists them with a button for all that are new, and acknowledges those that it sends, and no other alert', async () => {
      const channelId = await addChannel();
      const [one, two, over, other] = [
        await openAlert('Room 1'),
        await openAlert('Room 2'),
        await openAlert('Room 3'),
        await openAlert('Elsewhere'),
      ];
      const messageId = await addMessage(channelId, [one.id, two.id, over.id]);
      const token = tokenOf(linkFor(messageId, channelId, 'message'));
      await over.resolve();
      const page = await visit(`${url()}?token=${token}`);
      assert.match(page.text, /<h1>3 alerts.*Room 1.*Room 2.*Room 3.*This alert is over/s);
      assert.equal(
        page.text.match(/>Acknowledge<span class="hidden"> low battery of Room [12]</g)?.length,
        2,
      );
      const [, all = ''] = /class="thumb">(.*)Acknowledge all 2<\/button>/.exec(page.text) ?? [];
      assert.deepEqual(
        [...all.matchAll(/name="alertId" value="([^"]+)"/g)].map(([, id]) => id),
        [one.id, two.id],
      );
      const form = new URLSearchParams([
        ['token', token],
        ['alertId', one.id],
        ['alertId', over.id],
        ['alertId', other.id],
      ]);
      const sent = await fetch(url(), { method: 'POST', body: form, redirect: 'manual' });
      assert.equal(sent.status, 303);
      const statuses = await Promise.all(
        [one, two, over, other].map(async ({ id }) => (await shown(id)).status),
      );
      assert.deepEqual(statuses, ['acknowledged', 'new', 'resolved', 'new']);
      const after = await visit(dms.baseUrl + sent.headers.get('location'));
      assert.match(after.text, /Room 1.*Acknowledged by night-\d+@example\.com.*Room 2/s);
    });

    it('says of the alert that stands for an outage how many devices it has, by either link, and of no other alert', async () => {
      const channelId = await addChannel();
      const { id } = await openAlert();
      // So many that the sweep does not end the outage.
      const [first] = await query<{ id: string }>(
        dms.service.sql,
        `insert into alerts (organization_id, asset_id, serial_number, type, details, started_at, is_announced)
         select organization_id, asset_id, serial_number, 'no_data', '{}', now(), false from alerts, generate_series(1, 25)
         where organization_id = ? and id = ? returning id`,
        [org.id, id],
      );
      const outageId = first?.id ?? '';
      await dms.service.sql('overdue_fleets').insert({
        organization_id: org.id,
        since: new Date(),
        overdue_count: 21,
        total_count: 30,
        escalated_alert_id: outageId,
      });
      const messageId = await addMessage(channelId, [id, outageId]);
      const pages = await Promise.all([
        open(tokenOf(linkFor(outageId, channelId))),
        visit(`${url()}?token=${tokenOf(linkFor(messageId, channelId, 'message'))}`),
      ]);
      for (const { text } of pages) {
        assert.match(
          text,
          /<strong>25 of 30 loggers have missed their contact<.*acknowledging it acknowledges the others/,
        );
        assert.equal(text.match(/one outage/g)?.length, 1);
      }
      assert.doesNotMatch((await open(tokenOf(linkFor(id, channelId)))).text, /outage/);
    });

    it('opens no single alert, no message of another channel, and none that is gone', async () => {
      const channelId = await addChannel();
      const { id } = await openAlert();
      const messageId = await addMessage(channelId, [id]);
      const token = tokenOf(linkFor(messageId, channelId, 'message'));
      assert.equal((await open(token)).status, 404);
      const single = tokenOf(linkFor(id, channelId));
      assert.equal((await visit(`${url()}?token=${single}`)).status, 404);
      assert.equal((await visit(`${url()}?token=${token}`)).status, 200);
      await query(dms.service.sql, 'delete from notifications where organization_id = ? and id = ?', [
        org.id,
        messageId,
      ]);
      assert.equal((await visit(`${url()}?token=${token}`)).status, 404);
    });
  });

  it('stays out of logs, of caches and of the addresses that other pages see', async () => {
    const channelId = await addChannel();
    const { id } = await openAlert();
    const [link = ''] = await links(1, /Subject: New alert/);
    for (const token of [tokenOf(link), tokenOf(linkFor(id, channelId))]) {
      for (const { headers } of [await open(token), await press(token), await open(`${token}A`)]) {
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.equal(headers.get('referrer-policy'), 'no-referrer');
      }
      assert.ok(
        lines.some((line) => line.includes('/notification-channels') || line.includes('operationId')),
      );
      assert.ok(!lines.some((line) => line.includes(token.slice(-43))));
    }
  });

  it('takes the form of a page without a referrer, but no form of another site without the secret', async () => {
    const form = { token: '' };
    const url = `${dms.baseUrl}/operator/alert-link`;
    assert.equal((await visit(url, { form, headers: FORMS_OF_ANOTHER_SITE })).status, 404);
    const signIn = { form: { link: '' }, headers: FORMS_OF_ANOTHER_SITE };
    assert.equal((await visit(`${dms.baseUrl}/operator/sign-in`, signIn)).status, 403);
  });

  it('slows down guesses, and too many uses of one link', async () => {
    const channelId = await addChannel();
    const { id } = await openAlert();
    const { databaseUrl, secretsKeys, operatorUrl } = dms.settings;
    const customerLimit = { perSecond: 1, burst: 5 };
    const settings = { secretsKeys, operatorUrl, failedKeysPerMinute: 3, customerLimit };
    const limited = await startService({ withWorker: false, databaseUrl, settings });
    try {
      const token = tokenOf(linkFor(id, channelId));
      const at = `${limited.baseUrl}/operator/alert-link?token=`;
      const statuses = async (made: string) => {
        const answers = await Promise.all(Array.from({ length: 12 }, () => visit(at + made)));
        return new Set(answers.map(({ status }) => status));
      };
      const otherId = id.replace(/.$/, (last) => (last === 'f' ? '0' : 'f'));
      assert.deepEqual(await statuses(token.replace(id, otherId)), new Set([404, 429]));
      assert.deepEqual(await statuses(token), new Set([200, 429]));
    } finally {
      await limited.stop();
    }
  });
});
