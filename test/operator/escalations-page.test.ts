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
    'afterMinutes-0': '0',
    'channelIds-0': channelId,
    'afterMinutes-1': '15',
    'channelIds-1': channelId,
    'afterMinutes-2': '30',
    repeatMinutes: '30',
    ...more,
  });
  const escalations = async () => (await dms.api.get('/escalations')).body.items;

  it('creates, changes, disables and deletes them, and shows their steps', async () => {
    assert.equal((await send('/escalations', form())).status, 303);
    const [{ id, name, steps, alertTypes, repeatMinutes }] = await escalations();
    assert.deepEqual(
      [name, steps.length, alertTypes, repeatMinutes],
      ['<i>Night</i>', 2, ['low_battery'], 30],
    );
    const { text } = await see('/escalations');
    assert.match(text, /&lt;i>Night|&lt;i&gt;Night/);
    assert.match(text, /after 15 min: http:\/\/127\.0\.0\.1:9\/nurse/);
    assert.match((await see(`/escalations/${id}`)).text, /value="15"/);
    assert.equal((await send(`/escalations/${id}`, form({ name: 'Day', repeatMinutes: '' }))).status, 303);
    await send(`/escalations/${id}/status`, { status: 'disabled' });
    const [changed] = await escalations();
    assert.deepEqual([changed.name, changed.repeatMinutes, changed.status], ['Day', null, 'disabled']);
    assert.equal((await send(`/escalations/${id}/delete`, {})).status, 303);
    assert.deepEqual(await escalations(), []);
  });

  it('says what is wrong with a form, and changes nothing', async () => {
    const { status, text } = await send('/escalations', form({ 'afterMinutes-1': '0' }));
    assert.equal(status, 400);
    assert.match(text, /in the order of afterMinutes/);
    assert.deepEqual(await escalations(), []);
  });

  it('shows them to whoever may only read, without forms', async () => {
    await send('/escalations', form());
    const reader = await signIn(dms, { name: 'Ada', role: 'read' });
    const { status, text } = await see('/escalations', reader);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /New escalation|Disable/);
    const [{ id }] = await escalations();
    assert.equal((await see(`/escalations/${id}`, reader)).status, 403);
  });

  it('is beside the alert: which step was made, and when the next one follows', async () => {
    await (await newDevice(dms, 'Cold room'))('low');
    const { items } = (await dms.api.get('/alerts?limit=1')).body;
    const { text } = await see(`/alerts/${items[0].id}`);
    assert.match(text, /Escalation<\/dt><dd>no step was made yet, \S+ is next, <time/);
  });
});
