/** The start page: what needs somebody now, and nothing else. */
import assert from 'node:assert/strict';
import { apply, applyAnswer, createProfile, FACTORY, FRIDGE, refuse, register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

describe('The start page', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Grace Hopper' });
  });

  const see = async (as = cookie): Promise<string> => {
    const { status, text } = await visit(`${dms.baseUrl}/operator`, { cookie: as });
    assert.equal(status, 200, text);
    return text;
  };
  const send = (serial: string, value: number, more: object = {}) =>
    dms.device.post(`/devices/${serial}/measurements`, {
      readings: [{ channel: 'probe', type: 'temperature', value, measuredAt: new Date().toISOString() }],
      ...more,
    });

  it('says that all is well only when each logger is heard, and how many sent within the hour', async () => {
    assert.match(await see(), /Begin here.*No logger is registered yet.*Register a logger.*Import devices/s);
    assert.doesNotMatch(await see(await signIn(dms, { role: 'read' })), /Import devices/);
    await register(dms, '282C02424E01', { name: 'Attic' });
    await register(dms, '282C02424E02', { name: 'Cellar' });
    await send('282C02424E01', 5);
    const text = await see();
    assert.match(
      text,
      /Nothing new.*<strong>1 of 2<\/strong> loggers sent within the last hour, 1 is online/s,
    );
    assert.match(text, /status=new">1 logger<\/a> never reported/);
    await send('282C02424E02', 5);
    assert.match(await see(), /All is well.*<strong>2 of 2<\/strong> loggers.*2 are online/s);
  });

  it('shows alerts by name, most urgent first, with value, bound, who is notified and who is next', async () => {
    const target = 'http://127.0.0.1:9/night';
    const { body: channel } = await dms.api.post('/notification-channels', { type: 'webhook', target });
    const steps = [{ afterMinutes: 15, channelIds: [channel.id] }];
    await dms.api.post('/escalations', { name: 'On call', steps });
    const slug = await createProfile(dms, {
      slug: 'fridge',
      temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }],
    });
    await apply(dms, slug, { serialNumbers: ['282C02424E02'] });
    const { body: pending } = await dms.device.get('/devices/282C02424E02/pending-config');
    await dms.device.post('/devices/282C02424E02/config-reports', { ...FACTORY, ...pending.pendingConfig });
    await send('282C02424E01', 5, { batteryStatus: 'low' });
    await send('282C02424E02', 119.6);
    const text = await see();
    assert.match(
      text,
      /What needs you now.*Cellar.*119\.6 °C on probe \(channel 1\), allowed 2 to 8 °C.*Attic.*low battery/s,
    );
    assert.match(text, /http:\/\/127\.0\.0\.1:9\/night <time/);
    const list = await visit(`${dms.baseUrl}/operator/alerts?status=new`, { cookie });
    for (const shown of [text, list.text])
      assert.match(shown, /data-label="Since"><time datetime="[^"]+" data-clock="age">/);
  });

  it('acknowledges an alert in place and comes back', async () => {
    const [, action = ''] = (await see()).match(/action="([^"]*acknowledgeAlert[^"]*)"/) ?? [];
    const reply = await visit(dms.baseUrl + action, { cookie, form: { return: '/operator' } });
    assert.equal(reply.headers.get('location'), '/operator?done=acknowledgeAlert');
    const text = await see();
    assert.doesNotMatch(text, /Cellar/);
    assert.match(text, /Attic.*status=acknowledged">1 alert is in hand<\/a>, and not over/s);
    const elsewhere = await visit(dms.baseUrl + action, { cookie, form: { return: '//evil.example' } });
    assert.doesNotMatch(elsewhere.headers.get('location') ?? '', /evil/);
  });

  it('says that many devices that are overdue at once are one outage, how many by now, and which alert stands for all', async () => {
    const [alert] = (await dms.api.get('/alerts?status=new')).body.items;
    await dms.service.sql('alerts').where({ organization_id: dms.id }).update({ is_announced: false });
    const outages = dms.service.sql('overdue_fleets');
    const row = { organization_id: dms.id, since: new Date(), overdue_count: 1, total_count: 4_812 };
    await outages.clone().insert({ ...row, escalated_alert_id: alert.id });
    assert.match(
      await see(),
      new RegExp(
        `<strong>2 of 4,812 loggers have missed their contact</strong>.*/operator/alerts/${alert.id}">One alert</a> escalates for all`,
        's',
      ),
    );
    await outages.clone().where({ organization_id: dms.id }).update({ overdue_count: 312 });
    assert.match(await see(), /<strong>312 of 4,812 loggers/);
    await outages.clone().where({ organization_id: dms.id }).update({ overdue_count: 1 });
    const { text } = await visit(`${dms.baseUrl}/operator/alerts/${alert.id}`, { cookie });
    assert.match(text, /<strong>2 of 4,812 loggers have missed their contact<.*This alert escalates for all/);
    const other = await signIn(dms, { organizationId: (await dms.addOrganization()).id });
    assert.doesNotMatch(await see(other), /one outage/);
    await outages.clone().where({ organization_id: dms.id }).delete();
    assert.doesNotMatch(await see(), /one outage/);
  });

  it('shows changes that failed and unregistered loggers, and offers no action to a reader', async () => {
    const slug = await createProfile(dms, { slug: 'ten', intervals: { measurementIntervalMinutes: 10 } });
    await apply(dms, slug, { serialNumbers: ['282C02424E01'] });
    await refuse(dms, '282C02424E01', { code: 7, message: 'no memory' });
    await send('282C02424EFF', 5);
    const text = await see();
    assert.match(text, /Changes that failed.*Attic.*jobs\/[^>]*>ten<.*no memory.*withdrawDeviceConfig/s);
    assert.match(text, /Jobs with failures.*>ten<.*retryConfigJob.*cancelConfigJob/s);
    assert.match(text, /Unregistered loggers.*282c02424eff.*Register/s);
    const reader = await see(await signIn(dms, { role: 'read' }));
    assert.match(reader, /Changes that failed.*Attic/s);
    assert.doesNotMatch(reader, /operator\/forms/);
  });

  it('shows rollouts that ended themselves, for a day, and devices whose settings drifted', async () => {
    const [job] = (await dms.api.get('/devices/config-jobs')).body.items;
    const end = (at: string) =>
      dms.service.sql.raw(
        `update config_jobs set status = 'aborted', reason = 'too many devices failed', finished_at = now() - ?::interval,
           target_counts = '{"applied": 1, "failed": 1}'
         where id = ?`,
        [at, job.id],
      );
    await end('23 hours');
    const wayBack = `href="/operator/jobs/${job.id}">Put back…`;
    assert.match(
      await see(),
      new RegExp(
        `Rollouts that ended themselves.*/operator/jobs/${job.id}.*too many devices failed.*${wayBack}.*Retry…`,
        's',
      ),
    );
    assert.doesNotMatch(await see(await signIn(dms, { role: 'read' })), /Put back/);
    await end('25 hours');
    assert.doesNotMatch(await see(), /Rollouts that ended/);
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'drifting' });
    await apply(dms, slug, { serialNumbers: ['282C02424E02'] });
    await applyAnswer(dms, '282C02424E02');
    await dms.device.post('/devices/282C02424E02/config-reports', {
      ...FACTORY,
      transmissionInterval: 7_200,
    });
    assert.match(await see(), /Settings that drifted.*Cellar.*Apply Vaccine fridge again…/s);
  });

  it('leads back from the withdrawal of a failed change', async () => {
    const [, link = ''] = (await see()).match(/href="([^"]+withdrawDeviceConfig[^"]+)"/) ?? [];
    const { text } = await visit(dms.baseUrl + link.replaceAll('&amp;', '&'), { cookie });
    const [, action = ''] = text.match(/action="([^"]+withdrawDeviceConfig[^"]+)"/) ?? [];
    const { headers } = await visit(dms.baseUrl + action, { cookie, form: hiddenIn(text) });
    assert.equal(headers.get('location'), '/operator?done=withdrawDeviceConfig');
  });

  it('resumes in place a webhook that was disabled, and retries one that fails', async () => {
    const { id } = (await dms.api.post('/webhooks', { url: 'http://127.0.0.1:9/gone' })).body;
    const endpoint = dms.service.sql('endpoints').where({ organization_id: dms.id, id });
    await endpoint.clone().update({ breaker: 'open', failing_since: new Date(0), next_probe_at: new Date() });
    assert.match(await see(), /Webhooks in trouble.*>failing<.*forms\/retryWebhook\?webhookId=/s);
    await endpoint.clone().update({ status: 'disabled', disabled_reason: 'gone' });
    assert.match(await see(), /Webhooks in trouble.*>disabled<.*forms\/resumeWebhook\?webhookId=/s);
    assert.doesNotMatch(await see(await signIn(dms, { role: 'read' })), /resumeWebhook/);
  });

  it('shows nothing of another organization', async () => {
    const other = await dms.addOrganization();
    const text = await see(await signIn(dms, { organizationId: other.id }));
    assert.doesNotMatch(text, /Attic|Cellar|282C/i);
  });
});
