/** The page of escalations, and the escalation on the page of an alert. */
import assert from 'node:assert/strict';
import { newDevice } from '../notifications/harness.ts';
import { startService, type TestService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

describe('The page of escalations', () => {
  let dms: TestService;
  let cookie: string;
  let channelId: string;

  before(async () => {
    dms = await startService({ withWorker: false });
    cookie = await signIn(dms, { name: 'Grace Hopper' });
    const channel = { type: 'webhook', target: 'http://127.0.0.1:9/nurse' };
    channelId = (await dms.api.post('/notification-channels', channel)).body.id;
  });
  after(() => dms.stop());

  const see = async (path: string, as = cookie) => visit(`${dms.baseUrl}/operator${path}`, { cookie: as });
  const send = (path: string, form: Record<string, string>) =>
    visit(`${dms.baseUrl}/operator${path}`, { cookie, form });
  const form = (more: Record<string, string> = {}) => ({
    name: '<i>Night</i>',
    alertTypes: 'low_battery',
    severities: 'critical',
    'steps.0.afterMinutes': '0',
    'steps.0.channelIds': channelId,
    'steps.1.afterMinutes': '15',
    'steps.1.channelIds': channelId,
    'steps.2.afterMinutes': '',
    repeatMinutes: '30',
    ...more,
  });
  const escalations = async () => (await dms.api.get('/escalations')).body.items;

  it('creates, changes, disables and deletes escalations, and shows their steps', async () => {
    assert.equal((await send('/forms/createEscalation', form())).status, 303);
    const [{ id, name, steps, alertTypes, repeatMinutes }] = await escalations();
    assert.deepEqual(
      [name, steps.length, alertTypes, repeatMinutes],
      ['<i>Night</i>', 2, ['low_battery'], 30],
    );
    const { text } = await see('/escalations');
    assert.match(text, /&lt;i>Night|&lt;i&gt;Night/);
    assert.match(text, /after 15 min: http:\/\/127\.0\.0\.1:9\/nurse/);
    const edit = `/forms/updateEscalation?escalationId=${id}`;
    const page = (await see(edit)).text;
    assert.match(page, /name="steps\.1\.afterMinutes"[^>]* value="15"/);
    const shown = (page.match(/name="shown" value="([^"]*)"/)?.[1] ?? '')
      .replace(/&quot;/g, '"')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>');
    const changed = form({ shown, name: 'Day', repeatMinutes: '', status: 'disabled' });
    assert.equal((await send(edit, changed)).status, 303);
    const [now] = await escalations();
    assert.deepEqual([now.name, now.repeatMinutes, now.status], ['Day', null, 'disabled']);
    assert.equal((await send(`/forms/deleteEscalation?escalationId=${id}`, {})).status, 303);
    assert.deepEqual(await escalations(), []);
  });

  it('explains a wrong form, and changes nothing', async () => {
    const { status, text } = await send('/forms/createEscalation', form({ 'steps.1.afterMinutes': '0' }));
    assert.equal(status, 400);
    assert.match(text, /in the order of After minutes/);
    assert.deepEqual(await escalations(), []);
  });

  it('shows escalations without forms to people who may only read', async () => {
    await send('/forms/createEscalation', form());
    const reader = await signIn(dms, { name: 'Ada', role: 'read' });
    const { status, text } = await see('/escalations', reader);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /Create an escalation|Edit/);
    const [{ id }] = await escalations();
    assert.equal((await see(`/forms/updateEscalation?escalationId=${id}`, reader)).status, 403);
  });

  it('shows beside the alert which step was made, and when the next one follows', async () => {
    await (await newDevice(dms, 'Cold room'))('low');
    const { items } = (await dms.api.get('/alerts?limit=1')).body;
    const { text } = await see(`/alerts/${items[0].id}`);
    assert.match(text, /Escalation<\/dt><dd>no step was made yet, \S+ is next, <time/);
    assert.match(text, /<dt>Notified<\/dt><dd><span class="quiet">no channel</);
    await dms.service.sql.raw('update alert_escalations set steps_made = 1 where alert_id = ?', [
      items[0].id,
    ]);
    assert.match(
      (await see(`/alerts/${items[0].id}`)).text,
      /<dt>Notified<\/dt><dd>http:\/\/127\.0\.0\.1:9\/nurse</,
    );
  });
});
