/** Webhooks and notification channels as an operator reads them: devices, times, and the meaning of states. */
import assert from 'node:assert/strict';
import { register, sendLowBattery } from '../support/fleet.ts';
import { useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

describe('The pages of receivers', () => {
  const receiver = useReceiver();
  const dms = useService({ withWorker: false });
  let cookie: string;
  let webhookId: string;

  before(async () => {
    receiver.answer((response) => response.writeHead(503).end('not now'));
    cookie = await signIn(dms);
    const webhook = { url: receiver.url, events: ['alert.created'] };
    webhookId = (await dms.api.post('/webhooks', webhook)).body.id;
    await register(dms, '282C02424E00', { name: 'Attic' });
    await sendLowBattery(dms, '282C02424E00');
  });

  const see = async (path: string) => (await visit(`${dms.baseUrl}/operator${path}`, { cookie })).text;
  const send = async (path: string) =>
    (await visit(`${dms.baseUrl}/operator${path}`, { cookie, form: {} })).text;
  const seeWebhook = () => see(`/webhooks/events/${webhookId}`);

  it('calls no webhook healthy before its first delivery, and leads from the address of a test back to it', async () => {
    assert.match(await seeWebhook(), /<h1>[^<]+<span class="badge info" title="[^"]+">not sent yet<\/span>/);
    const { id } = (await dms.api.post('/webhooks', { url: receiver.url, events: ['device.online'] })).body;
    assert.match(
      await see(`/webhooks/events/${id}`),
      /<h1>[^<]+<span class="quiet">nothing to send yet<\/span>/,
    );
    await dms.api.delete(`/webhooks/${id}`);
    await dms.service
      .sql('endpoints')
      .where({ organization_id: dms.id, id: webhookId })
      .update({ last_attempt_at: new Date(0), last_status: 'delivered' });
    assert.match(await seeWebhook(), /<span class="badge good"[^>]*>healthy</);
    const { status, headers } = await visit(`${dms.baseUrl}/operator/webhooks/events/${webhookId}/test`, {
      cookie,
    });
    assert.deepEqual([status, headers.get('location')], [303, `/operator/webhooks/events/${webhookId}`]);
  });

  it('counts the kinds of events where they are many', async () => {
    const { body } = await dms.api.post('/webhooks', { url: receiver.url });
    assert.match(await see(`/webhooks/events/${body.id}`), /<dt>Receives<\/dt><dd>\d+ kinds of events</);
    await dms.api.delete(`/webhooks/${body.id}`);
  });

  it('shows the device and the time of each delivery', async () => {
    const text = await seeWebhook();
    assert.match(text, /alert\.created<\/a><\/td><td[^>]*><a class="name"[^>]*>Attic<\/a>/);
    assert.match(text, /data-label="Created"><time/);
  });

  it('says that an attempt is due now, never that it was', async () => {
    await dms.service
      .sql('deliveries')
      .where({ organization_id: dms.id, endpoint_id: webhookId })
      .update({
        state: 'retrying',
        attempt_count: 1,
        last_error: 'status 503',
        next_attempt_at: new Date(0),
      });
    assert.match(await seeWebhook(), /retrying.*data-label="Next attempt">now<\/td>/s);
  });

  it('shows when a failing webhook is probed in place of a delivery that was due before', async () => {
    const endpoint = () => dms.service.sql('endpoints').where({ organization_id: dms.id, id: webhookId });
    const probeAt = new Date(Date.UTC(2999, 0, 1));
    await endpoint().update({ breaker: 'open', failing_since: new Date(0), next_probe_at: probeAt });
    const text = await seeWebhook();
    assert.match(text, /data-label="Next attempt"><time datetime="2999-01-01T00:00:00\.000Z"/);
    const [, delivery = ''] = text.match(/href="\/operator(\/webhooks\/[^"]+\/deliveries\/[^"]+)"/) ?? [];
    assert.match(await see(delivery), /<dt>Next attempt<\/dt><dd><time datetime="2999-/);
    assert.match(text, /<dt>Trouble since<\/dt>/);
    await endpoint().update({ breaker: 'draining' });
    const recovering = await seeWebhook();
    assert.match(recovering, /data-label="Next attempt"><span class="quiet">in its turn</);
    assert.match(recovering, /<dt>Recovering since<\/dt>/);
    assert.doesNotMatch(recovering, /Trouble since/);
    await endpoint().update({ breaker: 'closed', failing_since: null, next_probe_at: null });
  });

  it('offers to rotate or take away a secret only where there is one', async () => {
    const unsigned = await seeWebhook();
    assert.match(unsigned, />Sign deliveries</);
    assert.doesNotMatch(unsigned, /Rotate the secret|Take the secret away/);
    const form = `${dms.baseUrl}/operator/forms/signWebhook?webhookId=${webhookId}`;
    assert.match((await visit(form, { cookie, form: {} })).text, /Deliveries are signed.*whsec_/s);
    const signed = await seeWebhook();
    assert.match(signed, />Rotate the secret<.*>Take the secret away</s);
    assert.doesNotMatch(signed, />Sign deliveries</);
  });

  it('calls sending again by one word, for one delivery and for many, and a retry another', async () => {
    const text = await seeWebhook();
    assert.match(text, />Retry now<.*>Send again…<.*<button class="plain">Send again</s);
    assert.doesNotMatch(text, /Resend|Replay/);
  });

  it('filters deliveries by the type of their event, with the state', async () => {
    const types = async (query: string) =>
      (await see(`/webhooks/events/${webhookId}?${query}`)).match(/<a class="name"[^>]*>alert\.created</g) ??
      [];
    assert.ok((await types('eventType=alert.created&state=retrying')).length > 0);
    assert.deepEqual(await types('eventType=device.online&state=retrying'), []);
    const text = await see(`/webhooks/events/${webhookId}?eventType=alert.created`);
    assert.match(text, /<option value="alert\.created" selected>/);
    assert.match(text, /href="[^"]*state=failed&amp;eventType=alert\.created"/);
  });

  it('sends deliveries again that were made between any two times', async () => {
    const deliveries = dms.service
      .sql('deliveries')
      .where({ organization_id: dms.id, endpoint_id: webhookId });
    await deliveries.clone().update({ state: 'failed' });
    const replay = async (span: Record<string, string>) => {
      const url = `${dms.baseUrl}/operator/forms/replayWebhook?webhookId=${webhookId}`;
      assert.equal(
        (await visit(url, { cookie, form: { since: '-1', states: 'failed', ...span } })).status,
        303,
      );
      return (await dms.api.get(`/audit?subject=${webhookId}`)).body.items[0].after.queued;
    };
    assert.equal(await replay({ 'since-at': '2026-01-02T03:04', until: '2026-01-02T05:00' }), 0);
    assert.ok((await replay({ 'since-at': '2026-01-02T03:04' })) > 0);
    await deliveries.clone().update({ state: 'retrying' });
  });

  it('tells a delivery that is sent again on request from one that failed', async () => {
    await dms.service
      .sql('deliveries')
      .where({ organization_id: dms.id, endpoint_id: webhookId })
      .update({ last_error: null, last_status_code: 204 });
    assert.match(
      await seeWebhook(),
      /<span class="badge info" title="The delivery arrived before[^"]+">sent again<\/span>/,
    );
  });

  it('says before a pause that events meanwhile are not kept, as is so', async () => {
    const { body } = await dms.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] });
    const form = (name: string) => `/forms/${name}?webhookId=${body.id}`;
    assert.match(await see(form('pauseWebhook')), /events meanwhile are not kept for this webhook/);
    await send(form('pauseWebhook'));
    await register(dms, '282C02424E09', { name: 'Loft' });
    await sendLowBattery(dms, '282C02424E09');
    await send(form('resumeWebhook'));
    assert.deepEqual((await dms.api.get(`/webhooks/${body.id}/deliveries`)).body.items, []);
    await dms.api.delete(`/webhooks/${body.id}`);
  });

  it('says since when a webhook is paused, in place of a trouble that pausing began', async () => {
    await dms.api.patch(`/webhooks/${webhookId}`, { status: 'disabled' });
    const text = await seeWebhook();
    assert.match(text, /<dt>Paused since<\/dt><dd><time/);
    assert.doesNotMatch(text, /Trouble since/);
  });

  it('says why a test did not arrive, and shows a delivery with its payload, which it sends again', async () => {
    const { id } = (await dms.api.post('/webhooks', { url: receiver.url, events: ['alert.created'] })).body;
    const path = `/webhooks/events/${id}`;
    assert.match(
      await send(`${path}/test`),
      /role="status"><span class="problem">The test did not arrive.*503/,
    );
    await register(dms, '282C02424E01', { name: 'Cellar' });
    await sendLowBattery(dms, '282C02424E01');
    const [, delivery = ''] =
      (await see(path)).match(/href="\/operator(\/webhooks\/[^"]+\/deliveries\/[^"]+)"/) ?? [];
    const text = await see(delivery);
    assert.match(text, /<pre[^>]*><code>\{.*&quot;type&quot;: &quot;alert\.created&quot;/s);
    const [, action = ''] = text.match(/action="([^"]+resendWebhookDelivery[^"]+)"/) ?? [];
    const sent = await visit(dms.baseUrl + action.replaceAll('&amp;', '&'), { cookie, form: {} });
    const { text: after } = await visit(dms.baseUrl + sent.headers.get('location'), { cookie });
    assert.match(after, /role="status">The delivery is sent again\./);
    await dms.api.delete(`/webhooks/${id}`);
  });

  it('shows groups, also deleted ones, and quiet hours of a channel, and a failed test as a failure', async () => {
    const channel = {
      type: 'webhook',
      target: receiver.url,
      quietHours: { from: '22:00', to: '06:00', timezone: 'Europe/Stockholm' },
      groupIds: [(await dms.api.post('/groups', { name: 'Blood bank' })).body.id],
    };
    const { body } = await dms.api.post('/notification-channels', channel);
    assert.match(
      await see('/channels'),
      /data-label="Alerts">all, in Blood bank<.*quiet from 22:00 to 06:00 \(Europe\/Stockholm\).*no alert yet/s,
    );
    const tested = await send(`/channels/${body.id}/test`);
    assert.match(tested, /role="status"><span class="problem">The test did not arrive/);
    const again = await visit(`${dms.baseUrl}/operator/channels/${body.id}/test`, { cookie });
    assert.deepEqual([again.status, again.headers.get('location')], [303, '/operator/channels']);
    const live = (await see('/channels')).split('data-live="channels"')[1] ?? '';
    assert.match(live, /active<\/span> <span class="problem">\S/);
    receiver.answer((response) => response.writeHead(204).end());
    assert.match(await send(`/channels/${body.id}/test`), /role="status">The test arrived/);
    await dms.api.delete(`/groups/${channel.groupIds[0]}`);
    assert.match(
      await see(`/forms/updateNotificationChannel?channelId=${body.id}`),
      new RegExp(`name="groupIds" value="${channel.groupIds[0]}" checked> a deleted group<`),
    );
  });
});
