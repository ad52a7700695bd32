/** The page of escalations, and the escalation on the page of an alert. */
import assert from 'node:assert/strict';
import { createAlertActionsRepository } from '../../src/alerts/alert-actions.repository.ts';
import { NO_CHANNEL } from '../../src/escalations/escalation-view.ts';
import { createNotificationsRepository } from '../../src/notifications/notifications.repository.ts';
import { newDevice } from '../notifications/harness.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

describe('The page of escalations', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;
  let channelId: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Grace Hopper' });
    const channel = { type: 'webhook', target: 'http://127.0.0.1:9/nurse' };
    channelId = (await dms.api.post('/notification-channels', channel)).body.id;
  });

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
  const addEntry = (alertId: string, comment: string) =>
    createAlertActionsRepository(dms.service.sql).insert(
      dms.id,
      alertId,
      [{ action: 'escalated', comment }],
      null,
    );
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
    const { shown = '' } = hiddenIn(page);
    const changed = form({ shown, name: 'Day', repeatMinutes: '', status: 'disabled' });
    assert.equal((await send(edit, changed)).status, 303);
    const [now] = await escalations();
    assert.deepEqual([now.name, now.repeatMinutes, now.status], ['Day', null, 'disabled']);
    assert.equal((await send(`/forms/deleteEscalation?escalationId=${id}`, {})).status, 303);
    assert.deepEqual(await escalations(), []);
  });

  it('adds up to ten steps to a new escalation, one by one, and takes out those whose box is ticked', async () => {
    const { text } = await see('/forms/createEscalation');
    assert.match(text, /name="steps\.9\.afterMinutes"/);
    assert.doesNotMatch(text, /name="steps\.10\.afterMinutes"/);
    assert.equal(text.match(/<summary>Add a step<\/summary>/g)?.length, 9);
    assert.match(text, />Create the escalation<\/button>/);
    assert.equal((await send('/forms/createEscalation', form())).status, 303);
    const [{ id, name, steps, alertTypes, severities, groupIds, repeatMinutes, status }] =
      await escalations();
    const shown = JSON.stringify({ name, steps, alertTypes, severities, groupIds, repeatMinutes, status });
    const edit = `/forms/updateEscalation?escalationId=${id}`;
    const page = (await see(edit)).text;
    assert.equal(page.match(/Remove this step/g)?.length, 2);
    assert.match(page, />Save the escalation<\/button>/);
    assert.equal((await send(edit, form({ shown, status, 'steps.0.remove': 'true' }))).status, 303);
    const [after] = await escalations();
    assert.deepEqual(after.steps, [{ afterMinutes: 15, channelIds: [channelId] }]);
    const refused = await send(edit, form({ shown, status, name: '', 'steps.1.remove': 'true' }));
    assert.equal(refused.status, 400);
    assert.doesNotMatch(refused.text, /name="steps\.1\.afterMinutes"[^>]* value="15"/);
    await send(`/forms/deleteEscalation?escalationId=${id}`, {});
  });

  it('shows channels by their names in place of their addresses, and groups', async () => {
    await dms.api.patch(`/notification-channels/${channelId}`, { name: 'Nurse, on call' });
    await send('/forms/createEscalation', form());
    const [{ id }] = await escalations();
    assert.match(
      (await see('/channels')).text,
      /class="name">Nurse, on call<\/span> <span class="quiet">http:/,
    );
    assert.match((await see('/escalations')).text, /after 15 min: Nurse, on call</);
    const groupIds = [(await dms.api.post('/groups', { name: 'Cold rooms' })).body.id];
    await dms.api.patch(`/escalations/${id}`, { groupIds });
    assert.match((await see('/escalations')).text, /low battery: critical, in Cold rooms</);
    await dms.api.patch(`/escalations/${id}`, { groupIds: [] });
    const boxes = (await see(`/forms/updateEscalation?escalationId=${id}`)).text;
    assert.match(boxes, new RegExp(`value="${channelId}" checked> Nurse, on call<`));
    await (await newDevice(dms, 'Named room'))('low');
    const [alert] = (await dms.api.get('/alerts?limit=1')).body.items;
    assert.match((await see(`/alerts/${alert.id}`)).text, /Nurse, on call is next, <time/);
    await addEntry(alert.id, 'step 1 of 2: Nurse, on call');
    assert.match((await see(`/alerts/${alert.id}`)).text, /<dt>Notified<\/dt><dd>Nurse, on call</);
    await send(`/forms/deleteEscalation?escalationId=${id}`, {});
    await dms.api.patch(`/notification-channels/${channelId}`, { name: null });
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
    await addEntry(items[0].id, 'step 1 of 1: webhook http://127.0.0.1:9/nurse');
    assert.match(
      (await see(`/alerts/${items[0].id}`)).text,
      /<dt>Notified<\/dt><dd>http:\/\/127\.0\.0\.1:9\/nurse</,
    );
  });

  it('names beside an alert, and on Now, the channels that its steps have notified, whatever became of the escalation', async () => {
    const { body: policy } = await dms.api.post('/escalations', {
      name: 'At night',
      alertTypes: ['low_battery'],
      steps: [{ afterMinutes: 0, channelIds: [channelId] }],
    });
    await (await newDevice(dms, 'Ice room'))('low');
    const [{ id }] = (await dms.api.get('/alerts?limit=1')).body.items;
    const notified = async () =>
      /<dt>Notified<\/dt><dd>(.*?)<\/dd>/.exec((await see(`/alerts/${id}`)).text)?.[1] ?? '';
    await addEntry(id, `step 1 of 3: ${NO_CHANNEL}`);
    assert.match(await notified(), /no channel</);
    await addEntry(id, 'step 2 of 3: webhook http://127.0.0.1:9/nurse, Ada, at home');
    await addEntry(id, 'step 3 of 3: Ada, at home');
    await dms.api.delete(`/escalations/${policy.id}`);
    assert.equal(await notified(), 'http://127.0.0.1:9/nurse, Ada, at home');
    assert.match((await see('')).text, /http:\/\/127\.0\.0\.1:9\/nurse, Ada, at home/);
  });

  it('names as next no channel that messages may not be sent to', async () => {
    const target = { type: 'webhook', target: 'http://127.0.0.1:9/away' };
    const away = (await dms.api.post('/notification-channels', target)).body.id;
    const { body: policy } = await dms.api.post('/escalations', {
      name: 'Away',
      alertTypes: ['low_battery'],
      steps: [{ afterMinutes: 30, channelIds: [channelId, away] }],
    });
    await (await newDevice(dms, 'Hall'))('low');
    const [{ id, escalation }] = (await dms.api.get('/alerts?limit=1')).body.items;
    const next = async () =>
      /<dt>Escalation<\/dt><dd>no step was made yet, (.*?) is next/.exec(
        (await see(`/alerts/${id}`)).text,
      )?.[1];
    await dms.api.patch(`/escalations/${escalation.id}`, {
      steps: [{ afterMinutes: 30, channelIds: [channelId, away] }],
    });
    await dms.api.patch(`/notification-channels/${away}`, { status: 'disabled' });
    assert.equal(await next(), 'http://127.0.0.1:9/nurse');
    await dms.api.patch(`/escalations/${escalation.id}`, {
      steps: [{ afterMinutes: 30, channelIds: [away] }],
    });
    assert.equal(await next(), 'nobody (no channel of the step is active)');
    await dms.api.delete(`/escalations/${policy.id}`);
    await dms.api.patch(`/escalations/${escalation.id}`, {
      steps: [{ afterMinutes: 0, channelIds: [channelId] }],
    });
  });

  it('shows the latest of many messages of steps, and of a channel that was disabled that it was not sent', async () => {
    await (await newDevice(dms, 'Warm hall'))('low');
    const [{ id }] = (await dms.api.get('/alerts?limit=1')).body.items;
    const target = { type: 'webhook', target: 'http://127.0.0.1:9/many' };
    const to = {
      organizationId: dms.id,
      channelId: (await dms.api.post('/notification-channels', target)).body.id,
    };
    const content = { subject: '', data: { text: '', alerts: [{ alert: { id } }] } } as never;
    const notifications = createNotificationsRepository(dms.service.sql, dms.id);
    await addEntry(id, 'step 1 of 2: webhook http://127.0.0.1:9/many');
    for (let count = 0; count < 101; count++) await notifications.insertEscalation(to, content, new Date());
    await dms.service
      .sql('notifications')
      .where({ organization_id: dms.id, channel_id: to.channelId })
      .update({ state: 'sent' });
    await addEntry(id, 'step 2 of 2: webhook http://127.0.0.1:9/many');
    await notifications.insertEscalation(to, content, new Date());
    const history = async () => (await see(`/alerts/${id}`)).text.split('<h2>History</h2>')[1] ?? '';
    assert.match(
      await history(),
      /step 2 of 2[^:]*: webhook \S+many<br><span class="quiet">http\S+many: waiting/,
    );
    await dms.api.patch(`/notification-channels/${to.channelId}`, { status: 'disabled' });
    assert.match(await history(), /many: failed, the channel was disabled, not tried again/);
  });

  it('says beside a step which message failed or waits, and nothing of one that has arrived', async () => {
    await (await newDevice(dms, 'Warm room'))('low');
    const [{ id }] = (await dms.api.get('/alerts?limit=1')).body.items;
    const second = { type: 'webhook', target: 'http://127.0.0.1:9/head' };
    const headId = (await dms.api.post('/notification-channels', second)).body.id;
    const addStep = async (comment: string, channelIds: string[]) => {
      await addEntry(id, comment);
      const content = { subject: '', data: { text: '', alerts: [{ alert: { id } }] } };
      for (const to of channelIds)
        await createNotificationsRepository(dms.service.sql, dms.id).insertEscalation(
          { organizationId: dms.id, channelId: to },
          content as never,
          new Date(),
        );
    };
    await addStep('step 1 of 2: webhook http://127.0.0.1:9/nurse', [channelId]);
    const history = async () => (await see(`/alerts/${id}`)).text.split('<h2>History</h2>')[1] ?? '';
    assert.match(
      await history(),
      /step 1 of 2[^:]*: webhook \S+nurse<br><span class="quiet">http\S+nurse: waiting/,
    );
    const set = (to: string, values: object) =>
      dms.service
        .sql('notifications')
        .where({ organization_id: dms.id, channel_id: to, is_escalation: true })
        .update(values);
    await set(channelId, { state: 'sent' });
    await addStep('step 2 of 2: webhook http://127.0.0.1:9/head', [headId]);
    await set(headId, { last_error: 'the receiver answered 500', next_attempt_at: new Date() });
    assert.doesNotMatch(await history(), /nurse: (waiting|failed)/);
    assert.match(
      await history(),
      /<span class="problem">http\S+head: failed, the receiver answered 500, tried again <time/,
    );
    await set(headId, { state: 'failed', next_attempt_at: null });
    assert.match(await history(), /answered 500, not tried again/);
  });
});
