/** Forms of operations: rendered from the schema, sent to the same use case as the API. */
import assert from 'node:assert/strict';
import { NO_COUNTS } from '../../src/config-jobs/config-job.ts';
import { query } from '../../src/db/query.ts';
import { FORMS } from '../../src/operator/forms.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FRIDGE,
  HOT_WATER,
  register,
  sendTemperature,
} from '../support/fleet.ts';
import { allowIdle, untilLockWaits } from '../support/lock-waits.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

describe('A form of an operation', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Grace Hopper' });
  });

  const url = (form: string) => `${dms.baseUrl}/operator/forms/${form}`;
  const see = async (form: string, as = cookie) => visit(url(form), { cookie: as });
  type Fields = Record<string, string> | Array<[string, string]>;
  const send = (form: string, fields: Fields, as = cookie) =>
    visit(url(form), { cookie: as, form: new URLSearchParams(fields) });
  /** Sends the form, and presses the button of the question that follows. */
  const answer = async (form: string, fields: Fields) =>
    send(form, [...inputsIn((await send(form, fields)).text), ['step', 'apply']]);

  it('shows the fields of the schema with their bounds and descriptions', async () => {
    const { status, text } = await see('registerAsset');
    assert.equal(status, 200);
    assert.match(text, /<input id="serialNumber" required [^>]*name="serialNumber"/);
    assert.match(text, /type="number" id="floor" name="floor"[^>]* min="-100" max="1000"/);
    assert.match(text, /name="name"[^>]* maxlength="256"/);
  });

  it('shows a warning of the answer beside the outcome, for a new logger and for one that replaces another', async () => {
    const odd = await send('registerAsset', { serialNumber: 'ZZZ' });
    const { body } = await dms.api.get('/assets?serialNumber=ZZZ');
    const replaced = await send(`replaceHardware?assetId=${body.items[0].id}`, { newSerialNumber: 'ZY9' });
    for (const { headers } of [odd, replaced])
      assert.match(
        (await visit(dms.baseUrl + headers.get('location'), { cookie })).text,
        /role="status">The logger is [^<]*not 12 hexadecimal digits[^<]*check it for typing errors/,
      );
  });

  it('speaks of a link alone to the creator of a channel for e-mail', async () => {
    const { headers } = await send('createNotificationChannel', {
      type: 'webhook',
      target: 'http://127.0.0.1:9/told',
    });
    const text = (await visit(dms.baseUrl + headers.get('location'), { cookie })).text;
    assert.match(text, /role="status">The channel is created\.</);
    assert.match(
      (await visit(`${dms.baseUrl}/operator/channels?done=createNotificationChannel-more`, { cookie })).text,
      /role="status">The channel is created\. Its address gets a link first/,
    );
  });

  it('names the value of a list that is refused, and takes it out of quotes', async () => {
    const groupId = (await dms.api.post('/groups', { name: 'Pasted' })).body.id;
    await register(dms, '282C02424E2E');
    const pasted = (serialNumbers: string) => send(`addGroupMembers?groupId=${groupId}`, { serialNumbers });
    assert.match(
      (await pasted('282C02424E2E\n28?C')).text,
      /serialNumbers-fault">Serial numbers: “28\?C” must be 1 to 64 letters/,
    );
    assert.equal((await pasted('"282C02424E2E"')).status, 303);
  });

  it('names the thing that would be deleted, ended or sent to', async () => {
    const target = 'http://127.0.0.1:9/pager';
    const { body: channel } = await dms.api.post('/notification-channels', { type: 'webhook', target });
    const steps = [{ afterMinutes: 0, channelIds: [channel.id] }];
    const { body: escalation } = await dms.api.post('/escalations', { name: 'On call', steps });
    const { body: webhook } = await dms.api.post('/webhooks', { url: 'http://127.0.0.1:9/erp' });
    const { body: key } = await dms.api.post('/keys', { name: 'Reports', kind: 'customer', role: 'read' });
    const { body: sessions } = await dms.api.get('/operator-sessions');
    for (const [form, name] of [
      [`deleteNotificationChannel?channelId=${channel.id}`, target],
      [`deleteEscalation?escalationId=${escalation.id}`, 'On call'],
      [`deleteWebhook?webhookId=${webhook.id}`, 'http://127.0.0.1:9/erp'],
      [`deleteKey?keyId=${key.id}`, 'Reports'],
      [`endOperatorSession?sessionId=${sessions.items[0].id}`, 'Grace Hopper'],
    ] as const) {
      const { status, text } = await see(form);
      assert.equal(status, 200, form);
      assert.ok(text.includes(`<span class="quiet">${name}</span></h1>`), form);
    }
    assert.match(
      (await visit(`${dms.baseUrl}/operator/sessions`, { cookie })).text,
      /Grace Hopper<\/span> <span class="quiet">yours</,
    );
    await dms.api.delete(`/escalations/${escalation.id}`);
    await dms.api.delete(`/notification-channels/${channel.id}`);
    await dms.api.delete(`/webhooks/${webhook.id}`);
    await dms.api.delete(`/keys/${key.id}`);
  });

  it('shows the message of a refusal at its field, and keeps everything that was typed', async () => {
    const typed = { serialNumber: '282C02424E11', name: '"><i>Attic', floor: '9999', model: 'TVO-T' };
    const { status, text } = await send('registerAsset', typed);
    assert.equal(status, 400);
    assert.match(text, /id="floor"[^>]*aria-describedby="[^"]*fault"[^>]* aria-invalid="true" autofocus/);
    assert.match(text, /id="floor-fault">Floor must be less than or equal to 1000/);
    for (const value of ['282C02424E11', '&quot;&gt;&lt;i&gt;Attic', '9999', 'TVO-T'])
      assert.ok(text.includes(`value="${value}"`), value);
    await register(dms, '282C02424E10');
    const taken = await send('registerAsset', { serialNumber: '282C02424E10', name: 'Again' });
    assert.equal(taken.status, 409);
    assert.match(taken.text, /value="Again"/);
    assert.equal((await dms.api.get('/assets?serialNumber=282C02424E11')).body.items.length, 0);
  });

  it('shows each refusal of the service at the field that it is about, and keeps what was typed', async () => {
    const unknown = '019cb0a6-11a0-7c33-9a53-0c2f5f7e8d11';
    const assetId = await register(dms, '282C02424E20');
    await register(dms, '282C02424E21');
    await createProfile(dms, { ...HOT_WATER, slug: 'taken' });
    const groupId = (await dms.api.post('/groups', { name: 'Taken' })).body.id;
    const otherId = (await dms.api.post('/groups', { name: 'Other' })).body.id;
    const jobId = await apply(dms, 'taken', { serialNumbers: ['282C02424E20'] });
    const alert = { 'temperatureAlerts.0.type': 'high', 'temperatureAlerts.0.channel': 'probe' };
    const shown = JSON.stringify({ name: 'Other', profileSlug: null });
    const step = { 'steps.0.afterMinutes': '7', 'steps.0.channelIds': unknown };
    const cases: [form: string, typed: Record<string, string>, path: string, status: number][] = [
      ['registerAsset', { serialNumber: '282C02424E21', name: 'Twin', floor: '3' }, 'serialNumber', 409],
      ['registerAsset', { serialNumber: '282C02424E22', name: 'Third', groupId: unknown }, 'groupId', 404],
      [`replaceHardware?assetId=${assetId}`, { newSerialNumber: '282C02424E21' }, 'newSerialNumber', 409],
      [`replaceHardware?assetId=${assetId}`, { newSerialNumber: '282C02424E20' }, 'newSerialNumber', 400],
      [
        'createProfile',
        { slug: 'taken', name: 'Mine', ...alert, 'temperatureAlerts.0.highC': '9' },
        'slug',
        409,
      ],
      ['createGroup', { name: 'TAKEN' }, 'name', 409],
      ['createGroup', { name: 'Fresh', profileSlug: 'no-such' }, 'profileSlug', 404],
      [`updateGroup?groupId=${otherId}`, { shown, name: 'taken' }, 'name', 409],
      [`addGroupMembers?groupId=${groupId}`, { serialNumbers: 'NO-SUCH' }, 'serialNumbers', 404],
      ['createWebhook', { url: 'http://user@127.0.0.1/', events: 'alert.created' }, 'url', 400],
      ['createNotificationChannel', { type: 'webhook', target: 'nonsense' }, 'target', 400],
      [
        'createKey',
        { name: 'Old', kind: 'customer', role: 'read', expiresAt: '2020-01-01T00:00' },
        'expiresAt',
        400,
      ],
      ['createEscalation', { name: 'Night', ...step }, 'steps.0.channelIds', 404],
      [`extendConfigJob?jobId=${jobId}`, { deadlineAt: '2020-01-01T00:00' }, 'deadlineAt', 400],
    ];
    for (const [form, typed, path, status] of cases) {
      const answer = await send(form, typed);
      const faulty = [...answer.text.matchAll(/id="([^"]+)-fault"/g)].map(([, each]) => each);
      assert.deepEqual([answer.status, faulty], [status, [path]], `${form}: ${answer.text}`);
      for (const text of Object.values(typed))
        if (text !== unknown && text !== 'no-such')
          assert.ok(answer.text.includes(text.replaceAll('"', '&quot;')), `${form}: ${text}`);
    }
  });

  it('creates a webhook with ticked events, and shows its secret on no page', async () => {
    const { status, headers } = await visit(url('createWebhook'), {
      cookie,
      form: {
        url: 'http://127.0.0.1:9/hook',
        events: 'alert.created',
        secret: 'a secret of 24 letters, or more',
      },
    });
    assert.equal(status, 303, (await headers.get('location')) ?? '');
    const { text } = await visit(dms.baseUrl + headers.get('location'), { cookie });
    assert.match(text, /The webhook is created/);
    assert.doesNotMatch(text, /24 letters/);
    const { items } = (await dms.api.get('/webhooks')).body;
    assert.deepEqual([items[0].url, items[0].events], ['http://127.0.0.1:9/hook', ['alert.created']]);
  });

  it('refuses a form whose operation needs a greater role', async () => {
    const reader = await signIn(dms, { role: 'read' });
    const writer = await signIn(dms, { role: 'write' });
    const { status, text } = await see('registerAsset', reader);
    assert.equal(status, 403);
    assert.match(text, /role write/);
    assert.equal((await send('registerAsset', { serialNumber: '282C02424E12' }, reader)).status, 403);
    assert.equal((await see('createKey', writer)).status, 403);
    assert.equal((await dms.api.get('/assets?serialNumber=282C02424E12')).body.items.length, 0);
  });

  it('sends the fields alone that differ from those that it showed', async () => {
    const id = await register(dms, '282C02424E13', { name: 'Cellar', floor: -1, model: 'TVO-T' });
    const { text } = await see(`changeAsset?assetId=${id}`);
    assert.match(text, /<label for="name">Name<\/label>/);
    const { shown = '' } = hiddenIn(text);
    await dms.api.patch(`/assets/${id}`, { model: 'TVO-THT' });
    const fields = { shown, name: 'Deep cellar', floor: '', model: 'TVO-T' };
    assert.equal((await send(`changeAsset?assetId=${id}`, fields)).status, 303);
    const { body } = await dms.api.get(`/assets/${id}`);
    assert.deepEqual([body.name, body.floor, body.model], ['Deep cellar', null, 'TVO-THT']);
  });

  it('requires a stored value that only another one can replace, and calls optional what can be left empty', async () => {
    const { body: group } = await dms.api.post('/groups', { name: 'Named' });
    const { text } = await see(`updateGroup?groupId=${group.id}`);
    assert.match(text, /<label for="name">Name<\/label>\s*<input id="name" required/);
    assert.match(text, /<label for="profileSlug">Profile <span class="optional">optional</);
    const created = (await see('registerAsset')).text;
    assert.match(created, /<label for="name">Name <span class="optional">optional</);
  });

  it('takes a form whose hidden values were changed for one that showed nothing', async () => {
    const id = await register(dms, '282C02424E18', { name: 'Hidden' });
    for (const shown of ['', '5', 'null', '[', '{"name":{"toString":1},"floor":[[1],{}],"model":5}']) {
      const { status } = await send(`changeAsset?assetId=${id}`, { shown, name: 'Found' });
      assert.equal(status, 303, shown);
    }
    const tampered = { shown: '{"steps":5,"alertTypes":{}}', 'steps.0.afterMinutes': '1' };
    const target = 'http://127.0.0.1:9/pager';
    const { body: channel } = await dms.api.post('/notification-channels', { type: 'webhook', target });
    const steps = [{ afterMinutes: 0, channelIds: [channel.id] }];
    const { body: escalation } = await dms.api.post('/escalations', { name: 'On call', steps });
    assert.equal((await send(`updateEscalation?escalationId=${escalation.id}`, tampered)).status, 400);
    await dms.api.delete(`/escalations/${escalation.id}`);
    await dms.api.delete(`/notification-channels/${channel.id}`);
  });

  it('creates a profile that is always on, and makes one with hours always on', async () => {
    const alert = {
      'temperatureAlerts.0.type': 'high',
      'temperatureAlerts.0.channel': 'probe',
      'temperatureAlerts.0.highC': '8',
    };
    const { status, text } = await send('createProfile', {
      slug: 'always',
      ...alert,
      'schedule.always': 'true',
    });
    assert.equal(status, 303, text);
    const profileOf = async (slug: string) =>
      (await dms.api.get(`/devices/config-profiles/${slug}`)).body.profile;
    assert.deepEqual((await profileOf('always')).schedule, { always: true });
    await createProfile(dms, HOT_WATER);
    const form = await see('updateProfile?slug=hot-water-guard');
    const changed = await answer('updateProfile?slug=hot-water-guard', [
      ...inputsIn(form.text),
      ['schedule.always', 'true'],
    ]);
    assert.equal(changed.status, 303, changed.text);
    assert.deepEqual((await profileOf('hot-water-guard')).schedule, { always: true });
  });

  it('refuses hours that are typed beside the ticked Always, and keeps them', async () => {
    const [path, slug] = ['updateProfile?slug=edited-always', 'edited-always'];
    await createProfile(dms, { ...FRIDGE, slug, schedule: { always: true } });
    const form = Object.fromEntries(inputsIn((await see(path)).text));
    const hours = { 'schedule.days': 'monday', 'schedule.from': '08:00' };
    for (const [name, inputs] of [
      [path, { ...form, ...hours }],
      ['createProfile', { slug: 'new', 'schedule.always': 'true', ...hours }],
    ] as const) {
      const { status, text } = await send(name, inputs);
      assert.equal(status, 400, text);
      assert.match(text, /id="schedule\.days-fault">Days must be left empty when Always is ticked</);
      assert.match(text, /<input id="schedule\.from"[^>]* value="08:00"/);
    }
    const renamed = await answer(path, { ...form, name: 'Renamed' });
    assert.equal(renamed.status, 303, renamed.text);
  });

  it('shows the intervals of a profile on its page and in its form, and keeps what is not changed', async () => {
    const page = await visit(`${dms.baseUrl}/operator/profiles/hot-water-guard`, { cookie });
    assert.match(page.text, /measures every 5 min, transmits every 6 h/);
    assert.match(page.text, /hysteresis 2 °C, critical/);
    assert.match((await see('createProfile')).text, /id="schedule-help">Left empty, always\./);
    const form = await see('updateProfile?slug=hot-water-guard');
    assert.match(form.text, /name="intervals.transmissionIntervalSeconds"[^>]* value="21600"/);
    assert.match(form.text, /<label for="name">Name<\/label>/);
    assert.doesNotMatch(form.text, /short name/);
    const inputs = Object.fromEntries(inputsIn(form.text));
    await answer('updateProfile?slug=hot-water-guard', {
      ...inputs,
      'intervals.transmissionIntervalSeconds': '7200',
    });
    const after = await visit(`${dms.baseUrl}/operator/profiles/hot-water-guard`, { cookie });
    assert.match(after.text, /measures every 5 min, transmits every 2 h/);
  });

  it('shows what changes in a profile, and which groups have it, before it is saved', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'asked' });
    const { body: group } = await dms.api.post('/groups', { name: 'Askers', profileSlug: slug });
    await register(dms, '282C02424ECA', { groupId: group.id });
    await register(dms, '282C02424ECC');
    await apply(dms, slug, { serialNumbers: ['282C02424ECC'] });
    await applyAnswer(dms, '282C02424ECC');
    const inputs = Object.fromEntries(inputsIn((await see(`updateProfile?slug=${slug}`)).text));
    const typed = { ...inputs, 'temperatureAlerts.0.highC': '6' };
    const { status, text } = await send(`updateProfile?slug=${slug}`, typed);
    assert.equal(status, 200, text);
    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    assert.match(
      words,
      /Save the changes of Vaccine fridge\?.* Alerts probe: 2 to 8 °C.* probe: 2 to 6 °C.* For whom.* Askers 1 .*It is the latest profile of 2 devices , in these groups/,
    );
    assert.doesNotMatch(words, /When/);
    const highOf = async () =>
      (await dms.api.get(`/devices/config-profiles/${slug}`)).body.profile.temperatureAlerts[0].highC;
    assert.equal(await highOf(), 8);
    const sent = Object.fromEntries(inputsIn(text));
    const path = `updateProfile?slug=${slug}`;
    const [saved, twice] = [
      await send(path, { ...sent, step: 'apply' }),
      await send(path, { ...sent, step: 'apply' }),
    ];
    assert.deepEqual([saved.status, twice.status], [303, 303]);
    assert.equal(await highOf(), 6);
    const silent = inputsIn((await see(path)).text).filter(
      ([name]) => name !== 'temperatureAlerts.0.transmitOnBreach',
    );
    assert.match(
      (await send(path, Object.fromEntries(silent))).text,
      /2 to 6 °C[^<]*, sent at once on a return alone/,
    );
    await dms.api.delete(`/groups/${group.id}`);
  });

  it('fills in the settings that devices ran before an edit of their profile, and leads back to the job', async () => {
    const serial = '282C02424ECB';
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'undone' });
    await register(dms, serial);
    await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    const [alert] = FRIDGE.temperatureAlerts;
    await dms.api.put(`/devices/config-profiles/${slug}`, { temperatureAlerts: [{ ...alert, highC: 12 }] });
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    await dms.service
      .sql('config_jobs')
      .where({ organization_id: dms.id, id: jobId })
      .update({ status: 'succeeded', target_counts: { ...NO_COUNTS, applied: 1 } });
    const job = await visit(`${dms.baseUrl}/operator/jobs/${jobId}`, { cookie });
    assert.match(job.text, /in an earlier version.*Apply it to the 1…/s);
    const [, link = ''] = job.text.match(/forms\/([^"]+)">Edit with the earlier settings…/) ?? [];
    const form = await see(link.replaceAll('&amp;', '&'));
    assert.match(form.text, /role="status">These are the settings that an earlier job brought/);
    const saved = await answer(`updateProfile?slug=${slug}`, inputsIn(form.text));
    assert.equal(saved.headers.get('location'), `/operator/jobs/${jobId}?done=updateProfile`);
    const { temperatureAlerts } = (await dms.api.get(`/devices/config-profiles/${slug}`)).body.profile;
    assert.equal(temperatureAlerts[0].highC, 8);
    const undo = { undo: jobId, slug };
    const preview = await visit(`${dms.baseUrl}/operator/apply`, { cookie, form: undo });
    assert.match(preview.text, new RegExp(`name="serialNumbers" value="${serial}"`));
  });

  it('asks once more where somebody else has saved the profile since the question', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'shared' });
    const path = `updateProfile?slug=${slug}`;
    const inputs = Object.fromEntries(inputsIn((await see(path)).text));
    const question = await send(path, { ...inputs, 'temperatureAlerts.0.lowC': '1' });
    await answer(path, { ...inputs, 'temperatureAlerts.0.highC': '6' });
    const again = await send(path, { ...hiddenIn(question.text), step: 'apply' });
    assert.match(again.text, /role="status">Somebody has changed the profile/);
    assert.match(again.text, /2 to 6 °C.*1 to 8 °C/s);
    assert.equal((await send(path, { ...hiddenIn(again.text), step: 'apply' })).status, 303);
    const { temperatureAlerts } = (await dms.api.get(`/devices/config-profiles/${slug}`)).body.profile;
    assert.deepEqual([temperatureAlerts[0].lowC, temperatureAlerts[0].highC], [1, 8]);
  });

  it('previews the job that another profile of a group begins, and leads to the job', async () => {
    await register(dms, '282C02424E19');
    await sendTemperature(dms, '282C02424E19', 20);
    const { body: group } = await dms.api.post('/groups', { name: 'Fridges' });
    await dms.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['282C02424E19'] });
    const path = `updateGroup?groupId=${group.id}`;
    const shown = JSON.stringify({ name: 'Fridges', profileSlug: null });
    const typed = { shown, name: 'Fridges', profileSlug: 'always' };
    const preview = await send(path, typed);
    assert.equal(preview.status, 200, preview.text);
    const text = preview.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    assert.match(
      text,
      /Group Fridges Profile always Devices 1 Would change 1.*1 of 1 device would be in breach/,
    );
    assert.equal((await dms.api.get(`/groups/${group.id}`)).body.profileSlug, null);
    assert.match(text, /Deadline 48 h after the start/);
    const again = await send(path, { ...typed, step: 'edit' });
    assert.match(again.text, /go first <span class="optional">for stages</);
    assert.match(again.text, /Left empty, 2880: 48 h\./);
    assert.match(again.text, /<option value="always" selected>/);
    await dms.api.put('/devices/config-profiles/always', { name: 'At all times' });
    const stale = await send(path, { ...hiddenIn(preview.text), step: 'apply' });
    assert.match(
      stale.text,
      /role="status">Somebody has changed the profile.*Give At all times to Fridges\?/s,
    );
    const { status, headers } = await send(path, { ...hiddenIn(stale.text), step: 'apply' });
    assert.equal(status, 303);
    const location = headers.get('location') ?? '';
    assert.match(location, /^\/operator\/jobs\/[^/?]+\?done=updateGroup$/);
    const job = await visit(dms.baseUrl + location, { cookie });
    assert.match(job.text, /role="status">The group is saved\. A job has begun:/);
    assert.equal((await dms.api.get(`/groups/${group.id}`)).body.profileSlug, 'always');
    const renamed = await send(path, { shown, name: 'Freezers', profileSlug: '' });
    assert.equal(renamed.headers.get('location'), `/operator/groups/${group.id}?done=updateGroup`);
  });

  it('shows every mistake of an attempt at its own field, and the focus at the first', async () => {
    const typed = { serialNumber: 'a'.repeat(65), name: 'x'.repeat(129), floor: 'two' };
    const { status, text } = await send('registerAsset', typed);
    assert.equal(status, 400);
    const faults = [...text.matchAll(/id="(\w+)-fault">([^<]*)</g)].map(([, ...found]) => found);
    assert.deepEqual(
      faults.map(([path, words = '']) => [path, words.split(' must ')[0]]),
      [
        ['serialNumber', 'Serial number'],
        ['name', 'Name length'],
        ['floor', 'Floor'],
      ],
    );
    assert.equal(text.match(/ autofocus/g)?.length, 1);
    assert.match(text, /<input id="serialNumber"[^>]* autofocus/);
  });

  it('says in the words of the page what is wrong', async () => {
    const alert = { 'temperatureAlerts.0.type': 'range', 'temperatureAlerts.0.channel': 'probe' };
    const faultOf = async (fields: Record<string, string>) =>
      (await send('createProfile', { slug: 'wrong', ...alert, ...fields })).text.match(
        /id="[^"]*-fault">([^<]*)/,
      )?.[1];
    const bounds = { 'temperatureAlerts.0.lowC': '8', 'temperatureAlerts.0.highC': '2' };
    assert.equal(await faultOf(bounds), 'At least °C must be lower than At most °C');
    const reversed = { 'temperatureAlerts.0.lowC': '2', 'temperatureAlerts.0.highC': '8' };
    assert.equal(
      await faultOf({ ...reversed, 'schedule.from': '08:00' }),
      'Days is required when Always is not ticked',
    );
    assert.equal(
      await faultOf({ ...reversed, 'temperatureAlerts.0.hysteresisC': '7' }),
      'Hysteresis °C must be 0 or from 0.1 to 6, which is At most °C - At least °C',
    );
  });

  it('names no field of the API and no null in a help text', async () => {
    const group = (await dms.api.post('/groups', { name: 'Helped' })).body.id;
    const channel = { type: 'webhook', target: 'http://127.0.0.1:9/helped' };
    const channelId = (await dms.api.post('/notification-channels', channel)).body.id;
    const forms = Object.keys(FORMS).filter((name) => name.startsWith('create'));
    const others = [`updateGroup?groupId=${group}`, `updateNotificationChannel?channelId=${channelId}`];
    for (const form of [...forms, 'registerAsset', ...others, 'updateProfile?slug=always']) {
      const { text } = await see(form);
      const helps = [...text.matchAll(/class="help"[^>]*>([^<]*)</g)].map(([, help = '']) => help);
      assert.deepEqual(
        helps.filter((help) => /\bnull\b|\b[a-z]+[A-Z]\w*/.test(help)),
        [],
        form,
      );
    }
  });

  it('shows a secret once, in the answer to the form', async () => {
    const { status, text } = await send('createKey', { name: 'Importer', kind: 'customer', role: 'read' });
    assert.equal(status, 200);
    assert.match(
      text,
      /<label for="revealed">API key<\/label><textarea id="revealed"[^>]* readonly[^>]*>dms_live_[^<]+<\/textarea>\n<div class="row"><button type="button" class="copy" hidden>/,
    );
    const list = await visit(`${dms.baseUrl}/operator/keys`, { cookie });
    assert.match(list.text, /Importer.*?<td data-label="Last used"><span class="quiet">never<\/span><\/td>/s);
    const [, key = 'none'] = text.match(/>(dms_live_[^<]+)</) ?? [];
    assert.ok(!list.text.includes(key));
  });

  it('carries a form out once that is sent twice, and shows both times its answer', async () => {
    const drawn = async (form: string) => {
      const [, once = ''] = (await see(form)).text.match(/name="once" value="([^"]+)"/) ?? [];
      return once;
    };
    const key = { name: 'Twice', kind: 'customer', role: 'read', once: await drawn('createKey') };
    const [first, second] = await Promise.all([send('createKey', key), send('createKey', key)]);
    assert.equal(first.text, second.text);
    assert.match(first.text, />dms_live_[^<]+</);
    assert.equal((await send('createKey', key)).text, first.text);
    assert.notEqual((await send('createKey', { ...key, once: await drawn('createKey') })).text, first.text);
    const group = { name: 'Sent twice', once: await drawn('createGroup') };
    for (const _ of [1, 2]) assert.equal((await send('createGroup', group)).status, 303);
    for (const _ of [1, 2])
      assert.match(
        (await send('createGroup', { ...group, once: 'other' })).text,
        /A group has this name already/,
      );
    assert.equal((await send('createGroup', { ...group, name: 'After going back' })).status, 303);
    const { items } = (await dms.api.get('/keys')).body;
    assert.equal(items.filter(({ name }: { name: string }) => name === 'Twice').length, 2);
  });

  it('says what a role that is not chosen means', async () => {
    assert.match((await see('createOperatorLink')).text, /<option value="">the same as mine<\/option>/);
    const { text } = await see('createKey');
    assert.match(
      text,
      /Role <span class="optional">for customer keys<.*<option value="">none: a device key</s,
    );
  });

  it('asks before it archives', async () => {
    const id = await register(dms, '282C02424E14');
    const { text } = await see(`archiveAsset?assetId=${id}`);
    assert.match(text, /The device leaves the fleet.*<button class="danger">Archive the device/s);
    assert.equal((await dms.api.get(`/assets/${id}`)).body.status, 'new');
    assert.equal((await send(`archiveAsset?assetId=${id}`, {})).status, 303);
    assert.equal((await dms.api.get('/assets?serialNumber=282C02424E14')).body.items.length, 0);
  });

  it('stores a calibration certificate from a file, in no transaction while it is read, and gives it back', async () => {
    const id = await register(dms, '282C02424E16');
    const file = new FormData();
    const pdf = '%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n';
    file.append('file', new File([pdf], 'certificate.pdf', { type: 'application/pdf' }));
    const { text } = await see(`uploadCalibrationCertificate?assetId=${id}`);
    assert.match(text, /enctype="multipart\/form-data"/);
    const action = `${dms.baseUrl}/operator/forms/uploadCalibrationCertificate/file?assetId=${id}`;
    file.append('once', text.match(/name="once" value="([^"]+)"/)?.[1] ?? '');
    const sending = await dms.service.sql.transaction(async (holder) => {
      await allowIdle(holder);
      await holder.raw('lock table certificate_chunks in access exclusive mode');
      const sending = visit(action, { cookie, form: file });
      await untilLockWaits(dms.service.sql, 1);
      const open = await query(
        dms.service.sql,
        "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
      assert.equal(open.length, 1, 'that of the holder');
      return { sending };
    });
    const sent = await sending.sending;
    assert.equal(sent.status, 303, sent.text);
    const got = await visit(`${dms.baseUrl}/operator/devices/${id}/certificate.pdf`, { cookie });
    assert.deepEqual([got.status, got.text], [200, pdf]);
    assert.match((await visit(action, { cookie, form: new FormData() })).text, /Choose a file first/);
    const reloaded = await visit(action, { cookie });
    assert.equal(
      reloaded.headers.get('location'),
      `/operator/forms/uploadCalibrationCertificate?assetId=${id}`,
    );
  });

  it('exports readings as a table, and keeps what was typed when the span is refused', async () => {
    const id = await register(dms, '282C02424E17', { name: 'Kühlraum 2' });
    await sendTemperature(dms, '282C02424E17', 5.5);
    const from = '2020-01-01T00:00';
    const exported = (more: string) =>
      visit(`${dms.baseUrl}/operator/exports?step=download&from=${from}&to=2100-01-01T00:00&${more}`, {
        cookie,
      });
    for (const one of [`assetIds=${id}`, 'serialNumbers=282c02424e17']) {
      const { status, text, headers } = await exported(one);
      assert.match(text, /^assetId,.*\r\n.*282C02424E17.*5\.5/s);
      assert.equal(status, 200);
      const rest = 'hlraum_2-282C02424E17-2020-01-01-2100-01-01.csv';
      assert.equal(
        headers.get('content-disposition'),
        `attachment; filename="K_${rest}"; filename*=UTF-8''K%C3%BC${rest}`,
      );
    }
    const refused = await exported(`assetIds=${id}&all=true`);
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes(`value="${from}"`) && refused.text.includes(id));
    const unknown = await exported('serialNumbers=ALL-LOGGERA1 all-loggerA1 282C02424E17');
    assert.match(
      unknown.text,
      /ALL-LOGGERA1\nall-loggerA1\n282C02424E17<\/textarea>.*serialNumbers-fault">Serial numbers: 1 without an active device: all-loggerA1</s,
    );
    assert.match(
      (await exported('')).text,
      /role="alert"[^>]*>one of Serial numbers, Group and All devices is required/,
    );
  });

  it('offers the last week, and names the device in place of its id', async () => {
    const id = await register(dms, '282C02424E1A', { name: 'Blood bank' });
    const { text } = await visit(`${dms.baseUrl}/operator/exports?assetIds=${id}`, { cookie });
    assert.match(text, /<strong>Blood bank<\/strong> <code>282C02424E1A<\/code>/);
    assert.doesNotMatch(text, /name="(?:serialNumbers|groupId|all)"/);
    const times = ['from', 'to'].map((name) => {
      const [, value = ''] = text.match(new RegExp(`name="${name}" value="([^"]+)"`)) ?? [];
      return Date.parse(`${value}Z`);
    });
    assert.equal((times[1] as number) - (times[0] as number), 7 * 86_400_000);
    const choose = (await visit(`${dms.baseUrl}/operator/exports`, { cookie })).text;
    assert.match(choose, /<textarea id="serialNumbers"/);
    assert.doesNotMatch(choose, /assetIds/);
  });

  it('searches the audit trail by the parameters of its operation', async () => {
    const { body } = await dms.api.post('/groups', { name: 'Audited' });
    await dms.api.patch(`/groups/${body.id}`, { name: 'Renamed' });
    const search = (query: string) => visit(`${dms.baseUrl}/operator/audit?${query}`, { cookie });
    const { text } = await search(`subject=${body.id}&actor=&from=&to=`);
    assert.match(text, /update group.*1 changed.*Audited.*Renamed.*create group.*Created/s);
    assert.doesNotMatch(text, /register asset/);
    assert.match(text, /data-label="When"><time datetime="[^"]+" data-clock="age">/);
    assert.match((await search('to=2020-01-01T00:00')).text, /No change matches/);
  });

  it('shows each alert of a profile in words, on a line of its own, in the audit trail and on its page', async () => {
    const alert = (lowC: number) => ({
      type: 'range',
      channel: 'probe',
      lowC,
      highC: 8,
      severity: 'warning',
    });
    const slug = await createProfile(dms, {
      slug: 'traced',
      temperatureAlerts: [alert(1), alert(2), alert(3)],
    });
    for (const path of [`audit?subject=${slug}`, `profiles/${slug}`]) {
      const { text } = await visit(`${dms.baseUrl}/operator/${path}`, { cookie });
      const changes = text.slice(text.indexOf('<dl class="changes">'));
      for (const lowC of [1, 2, 3])
        assert.match(
          changes,
          new RegExp(`<div>probe: ${lowC} to 8 °C, hysteresis 0 °C, warning</div>`),
          path,
        );
      assert.match(changes, /<dt>schedule<\/dt><dd>always</, path);
    }
  });

  it('keeps the line breaks of what people wrote, in the audit trail and in a maintenance', async () => {
    const id = await register(dms, '282C02424EE1');
    const until = new Date(Date.now() + HOUR_MS).toISOString();
    await dms.api.post(`/assets/${id}/mute`, { until, reason: 'Defrosting\nfor an hour' });
    for (const path of [`audit?subject=${id}`, 'maintenance', `devices/${id}`, `devices/${id}/history`])
      assert.match(
        (await visit(`${dms.baseUrl}/operator/${path}`, { cookie })).text,
        /<span class="breaks">Defrosting\nfor an hour</,
        path,
      );
  });

  it('leads people who may change to the link that invites others', async () => {
    const writer = await signIn(dms, { role: 'write' });
    const { text } = await visit(`${dms.baseUrl}/operator/audit`, { cookie: writer });
    const [, path = ''] = text.match(/href="([^"]+createOperatorLink)"/) ?? [];
    const made = await visit(dms.baseUrl + path, { cookie: writer, form: { name: 'Ada' } });
    assert.match(made.text, /\/operator\/sign-in\?link=/);
    const [, next = ''] = made.text.match(/<a class="button[^"]*" href="([^"]+)"/) ?? [];
    assert.equal((await visit(dms.baseUrl + next, { cookie: writer })).status, 200, next);
  });

  it('shows no tab to a reader that leads to a page of admins', async () => {
    const reader = await signIn(dms, { role: 'read' });
    const seen = async (as: string) => (await visit(`${dms.baseUrl}/operator/audit`, { cookie: as })).text;
    assert.match(await seen(cookie), /href="\/operator\/keys".*href="\/operator\/sessions"/s);
    assert.doesNotMatch(await seen(reader), /\/operator\/(?:keys|sessions)/);
  });

  it('leads a reader from the fleet to exports, which takes no greater role, and not to an import', async () => {
    const reader = await signIn(dms, { role: 'read' });
    const { text } = await visit(`${dms.baseUrl}/operator/fleet`, { cookie: reader });
    assert.match(text, /href="\/operator\/exports"/);
    assert.doesNotMatch(text, /operator\/(?:import|forms)/);
    assert.equal((await visit(`${dms.baseUrl}/operator/exports`, { cookie: reader })).status, 200);
  });

  it('names devices, groups and addresses in the audit trail', async () => {
    const id = await register(dms, '282C02424EA8', { name: 'Vaccines' });
    await dms.api.post('/groups', { name: 'Second floor' });
    await dms.api.post('/webhooks', { url: 'http://127.0.0.1:9/known', events: ['alert.created'] });
    const { text } = await visit(`${dms.baseUrl}/operator/audit`, { cookie });
    assert.match(text, /create webhook<\/td><td[^>]*><a [^>]*>http:\/\/127\.0\.0\.1:9\/known<\/a>/);
    assert.match(text, /create group<\/td><td[^>]*><a [^>]*>Second floor<\/a>/);
    assert.match(
      text,
      new RegExp(
        `register asset</td><td[^>]*><a [^>]*subject=${id}"[^>]*>Vaccines</a> <code>282C02424EA8</code>`,
      ),
    );
  });

  it('answers 404 for a form that there is not, and for a thing of another organization', async () => {
    const id = await register(await dms.addOrganization(), '282C02424E15');
    for (const form of ['constructor', 'noSuchForm', `changeAsset?assetId=${id}`, 'changeAsset?assetId=x'])
      assert.equal((await see(form)).status, 404, form);
  });
});

/** The inputs of a form as a browser sends them; lists but for their last value are of no concern here. */
function inputsIn(text: string): Array<[string, string]> {
  const attribute = (tag: string, name: string) =>
    (tag.match(new RegExp(` ${name}="([^"]*)"`))?.[1] ?? '').replaceAll('&quot;', '"');
  const inputs = (text.match(/<input[^>]*>/g) ?? [])
    .filter((tag) => !/type="checkbox"/.test(tag) || / checked/.test(tag))
    .map((tag): [string, string] => [attribute(tag, 'name'), attribute(tag, 'value')]);
  const selects = [...text.matchAll(/<select [^>]*name="([^"]*)".*?<\/select>/gs)].map(
    ([select, name = '']): [string, string] => [name, select.match(/value="([^"]*)" selected/)?.[1] ?? ''],
  );
  return [...inputs, ...selects].filter(([name]) => name !== '');
}
