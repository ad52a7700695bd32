/** The audit trail has a row for every change, and no others. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Route } from '../../src/http/route.ts';
import { apply, createProfile, FREEZER, FRIDGE, refuse, register, sendLowBattery } from '../support/fleet.ts';
import {
  call,
  type Fixtures,
  forEvery,
  pathOf,
  populate,
  removingLast,
  slotsOf,
  stagedJob,
} from '../support/operations.ts';
import { type TestOrganization, useService } from '../support/service.ts';

/** These send something, and change nothing. */
const CHANGES_NOTHING = ['testCellularWebhook', 'testWebhook', 'testNotificationChannel'];

interface Entry {
  id: string;
  at: string;
  actor: { keyId: string | null; name: string };
  action: string;
  subject: string;
  subjectName: string | null;
  serialNumber: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

describe('The audit trail', () => {
  // Nothing listens there, because sending a link is not awaited.
  const smtp = { url: 'smtp://127.0.0.1:9', from: 'alerts@example.com', timeoutMs: 1_000 };
  const dms = useService({ withWorker: false, settings: { smtp } });
  let changing: Route[];

  before(() => {
    changing = dms.service.routes.filter(
      ({ auth, method, operationId }) =>
        auth === 'customer' && method !== 'GET' && !CHANGES_NOTHING.includes(operationId),
    );
  });

  async function entries({ api }: TestOrganization, query = ''): Promise<Entry[]> {
    const { status, body, text } = await api.get(`/audit?limit=500${query}`);
    assert.equal(status, 200, text);
    return body.items;
  }

  const latestEntries = async ({ api }: TestOrganization): Promise<Entry[]> =>
    (await api.get('/audit?limit=5')).body.items;

  /** A job with a device that has refused the change. */
  async function failedJob(own: TestOrganization): Promise<string> {
    const serial = `REFUSING-${randomUUID().slice(0, 8)}`;
    await register(own, serial);
    const slug = await createProfile(own, { slug: serial.toLowerCase(), ...FRIDGE });
    const jobId = await apply(own, slug, { serialNumbers: [serial] });
    await refuse(own, serial);
    return jobId;
  }

  /** A channel with an unconfirmed address. */
  const newAddress = async ({ api }: TestOrganization): Promise<string> =>
    (await api.post('/notification-channels', { type: 'email', target: 'quality@example.com' })).body.id;

  /** A job or a channel in the state that the operation changes. */
  async function fixturesFor(own: TestOrganization, route: Route, shared: Fixtures): Promise<Fixtures> {
    switch (route.operationId) {
      case 'retryConfigJob':
        return { ...shared, jobId: await failedJob(own) };
      case 'proceedConfigJob':
      case 'cancelConfigJob':
        return { ...shared, jobId: await stagedJob(own, shared.slug) };
      case 'confirmNotificationChannelAgain':
        return { ...shared, channelId: await newAddress(own) };
      default:
        return shared;
    }
  }

  it('writes one row for every change, with the operation and the key of the caller', async () => {
    const own = await dms.addOrganization();
    const shared = await populate(own);
    await forEvery(removingLast(changing), async (route) => {
      const fixtures = await fixturesFor(own, route, shared);
      const [latest] = await latestEntries(own);
      const { status, text } = await call(own, route, fixtures);
      assert.ok(status < 300, text);
      const after = await latestEntries(own);
      const made = after.slice(
        0,
        after.findIndex(({ id }) => id === latest?.id),
      );
      assert.deepEqual(
        made.map(({ action, actor }) => [action, actor.keyId]),
        [[route.operationId, own.keyId]],
      );
      const [{ subject }] = made as [Entry];
      const named = slotsOf(route).at(-1);
      const path = pathOf(route, fixtures).toLowerCase();
      if (named !== undefined && route.operationId !== 'retryConfigJob')
        assert.ok(path.includes(`/${subject}`), `${subject} is not in ${path}`);
    });
  });

  it('writes no row for a withdrawal without pending settings', async () => {
    const own = await dms.addOrganization();
    await register(own, 'PLAIN');
    const before = await entries(own);
    assert.equal((await own.api.post('/devices/PLAIN/config/withdraw')).status, 200);
    assert.deepEqual(await entries(own), before);
  });

  it('writes one row for a withdrawal that cancels a queued target, and none for a repeat', async () => {
    const own = await dms.addOrganization();
    for (const serial of ['FIRST', 'QUEUED']) await register(own, serial);
    const slug = await createProfile(own, FRIDGE);
    await apply(own, slug, { serialNumbers: ['FIRST', 'QUEUED'], rollout: { firstPercent: 50 } });
    const before = await entries(own);
    for (const _ of [1, 2]) assert.equal((await own.api.post('/devices/QUEUED/config/withdraw')).status, 200);
    const made = (await entries(own)).slice(0, -before.length);
    assert.deepEqual(
      made.map(({ action }) => action),
      ['withdrawDeviceConfig'],
    );
  });

  it('writes one row for a stage that is ordered twice, and none for the present deadline', async () => {
    const own = await dms.addOrganization();
    const { slug } = await populate(own);
    const job = `/devices/config-jobs/${await stagedJob(own, slug)}`;
    const before = await entries(own);
    for (const _ of [1, 2]) assert.equal((await own.api.post(`${job}/proceed`)).status, 200);
    const { deadlineAt } = (await own.api.get(job)).body;
    assert.equal((await own.api.post(`${job}/extend`, { deadlineAt })).status, 200);
    const made = (await entries(own)).slice(0, -before.length);
    assert.deepEqual(
      made.map(({ action }) => action),
      ['proceedConfigJob'],
    );
  });

  it('writes no row for a refused request or a dry run', async () => {
    const fixtures = await populate(dms);
    const reader = dms.with((await dms.issueKey(dms.id, 'customer', 'read')).token);
    const before = await entries(dms);
    await forEvery(changing, async (route) => {
      const unknown = Object.fromEntries(slotsOf(route).map((slot) => [slot, randomUUID()]));
      const refused = [
        await call(dms, route, fixtures, { path: `${pathOf(route, fixtures)}?unknown=1` }),
        await call(dms, route, fixtures, { client: reader }),
        ...(slotsOf(route).length > 0
          ? [await call(dms, route, fixtures, { path: pathOf(route, fixtures, unknown) })]
          : []),
      ];
      for (const { status } of refused) assert.ok(status >= 400);
    });
    await dms.api.post('/devices/config-profiles', { slug: fixtures.slug, ...FRIDGE });
    const dryRun = `/devices/config-profiles/${fixtures.slug}/apply?dryRun=true`;
    assert.equal((await dms.api.put(dryRun, { serialNumbers: [fixtures.serial] })).status, 200);
    assert.deepEqual(await entries(dms), before);
  });

  it('shows before and after as GET shows them, null on creation and deletion', async () => {
    const own = await dms.addOrganization();
    const { body: made } = await own.api.post('/webhooks', { url: 'https://example.com/a' });
    const path = `/webhooks/${made.id}`;
    const { body: first } = await own.api.get(path);
    await own.api.patch(path.replace(made.id, made.id.toUpperCase()), { events: ['alert.created'] });
    const { body: second } = await own.api.get(path);
    await own.api.delete(path);
    const shown = (await entries(own)).map(({ action, subject, before, after }) => ({
      action,
      subject,
      before,
      after,
    }));
    assert.deepEqual(shown, [
      { action: 'deleteWebhook', subject: made.id, before: second, after: null },
      { action: 'updateWebhook', subject: made.id, before: first, after: second },
      { action: 'createWebhook', subject: made.id, before: null, after: first },
    ]);
  });

  it('names the device or group of each change as it is called now', async () => {
    const own = await dms.addOrganization();
    const serialNumber = '282C02424EA1';
    const assetId = await register(own, serialNumber, { name: 'Fridge' });
    const { body: group } = await own.api.post('/groups', { name: 'Pharmacy' });
    const slug = await createProfile(own, { slug: serialNumber.toLowerCase(), ...FRIDGE });
    await apply(own, slug, { serialNumbers: [serialNumber] });
    await own.api.post(`/devices/${serialNumber.toLowerCase()}/config/withdraw`);
    await sendLowBattery(own, serialNumber);
    const { body: alerts } = await own.api.get('/alerts');
    await own.api.post(`/alerts/${alerts.items[0].id}/comments`, { comment: 'The door stood open' });
    await own.api.delete(`/groups/${group.id}`);
    await own.api.patch(`/assets/${assetId}`, { name: 'Freezer' });
    await own.api.delete(`/assets/${assetId}`);
    const named = (await entries(own)).map((entry) => [entry.action, entry.subjectName, entry.serialNumber]);
    assert.deepEqual(named.reverse(), [
      ['registerAsset', 'Freezer', serialNumber],
      ['createGroup', 'Pharmacy', null],
      ['createProfile', FRIDGE.name, null],
      ['applyProfile', null, null],
      ['withdrawDeviceConfig', null, serialNumber],
      ['commentAlert', 'Freezer', serialNumber],
      ['deleteGroup', 'Pharmacy', null],
      ['changeAsset', 'Freezer', serialNumber],
      ['archiveAsset', 'Freezer', serialNumber],
    ]);
  });

  it('names the members that joined or left a group, and not those that were in it before', async () => {
    const own = await dms.addOrganization();
    for (const serial of ['A-1', 'A-2', 'A-3']) await register(own, serial);
    const { body: group } = await own.api.post('/groups', { name: 'Pharmacy' });
    const change = (verb: string, serialNumbers: string[]) =>
      own.api.post(`/groups/${group.id}/${verb}-members`, { serialNumbers });
    await change('add', ['A-1']);
    const added = await change('add', ['a-3', 'A-1', 'A-2']);
    assert.deepEqual(added.body, { added: 2, jobId: null });
    await change('remove', ['A-2', 'A-1']);
    const shown = (await entries(own, `&subject=${group.id}`)).map(({ action, after }) => [action, after]);
    assert.deepEqual(shown.slice(0, 2), [
      ['removeGroupMembers', { removed: 2, serialNumbers: ['A-2', 'A-1'] }],
      ['addGroupMembers', { added: 2, serialNumbers: ['A-3', 'A-2'], jobId: null }],
    ]);
  });

  it('writes nothing for members that are in the group already, or are not in it', async () => {
    const own = await dms.addOrganization();
    for (const serial of ['A-1', 'A-2']) await register(own, serial);
    const { body: group } = await own.api.post('/groups', { name: 'Pharmacy' });
    const change = (verb: string, serialNumbers: string[]) =>
      own.api.post(`/groups/${group.id}/${verb}-members`, { serialNumbers });
    for (let time = 0; time < 2; time++)
      assert.equal((await change('add', ['A-1'])).body.added, time === 0 ? 1 : 0);
    assert.equal((await change('remove', ['A-2'])).body.removed, 0);
    const actions = (await entries(own, `&subject=${group.id}`)).map(({ action }) => action);
    assert.deepEqual(actions, ['addGroupMembers', 'createGroup']);
  });

  it('says which deliveries a replay sends again', async () => {
    const own = await dms.addOrganization();
    const { body: webhook } = await own.api.post('/webhooks', { url: 'https://example.com/a' });
    const since = '2026-03-01T00:00:00.000Z';
    const until = '2026-03-02T00:00:00.000Z';
    const answer = await own.api.post(`/webhooks/${webhook.id}/replay`, { since, until });
    assert.deepEqual([answer.status, answer.body], [202, { queued: 0 }]);
    const [entry] = await entries(own, `&subject=${webhook.id}`);
    assert.deepEqual(entry?.after, { queued: 0, since, until, states: ['failed', 'blocked'] });
  });

  it('counts all members that joined a group, and names a thousand', async () => {
    const own = await dms.addOrganization();
    const serialNumbers = Array.from({ length: 1_001 }, (_, index) => `MANY-${index}`);
    const rows = serialNumbers.map((serialNumber) => ({ serialNumber }));
    assert.equal((await own.api.post('/assets/import', rows)).status, 200);
    const { body: group } = await own.api.post('/groups', { name: 'Pharmacy' });
    await own.api.post(`/groups/${group.id}/add-members`, { serialNumbers });
    const [entry] = await entries(own, `&subject=${group.id}`);
    assert.deepEqual(entry?.after, {
      added: 1_001,
      serialNumbers: serialNumbers.slice(0, 1_000),
      jobId: null,
    });
  });

  it('names as many members that joined a group as have 16,000 characters', async () => {
    const own = await dms.addOrganization();
    const serialNumbers = Array.from({ length: 251 }, (_, index) => `LONG-${index}`.padEnd(64, '-'));
    const rows = serialNumbers.map((serialNumber) => ({ serialNumber }));
    assert.equal((await own.api.post('/assets/import', rows)).status, 200);
    const { body: group } = await own.api.post('/groups', { name: 'Pharmacy' });
    await own.api.post(`/groups/${group.id}/add-members`, { serialNumbers });
    const [entry] = await entries(own, `&subject=${group.id}`);
    assert.deepEqual(entry?.after, { added: 251, serialNumbers: serialNumbers.slice(0, 250), jobId: null });
  });

  it('names webhooks and notification channels, also where the change shows neither', async () => {
    const own = await dms.addOrganization();
    const { body: webhook } = await own.api.post('/webhooks', { url: 'https://example.com/a' });
    await own.api.post(`/webhooks/${webhook.id}/retry`);
    await own.api.patch(`/webhooks/${webhook.id}`, { url: 'https://example.net/b' });
    const target = 'https://example.com/channel';
    const { body: channel } = await own.api.post('/notification-channels', { type: 'webhook', target });
    await own.api.delete(`/notification-channels/${channel.id}`);
    const named = (await entries(own)).map(({ action, subjectName }) => [action, subjectName]);
    assert.deepEqual(named.reverse(), [
      ['createWebhook', 'https://example.net/b'],
      ['retryWebhook', 'https://example.net/b'],
      ['updateWebhook', 'https://example.net/b'],
      ['createNotificationChannel', target],
      ['deleteNotificationChannel', target],
    ]);
  });

  it('finds changes by a serial number however their paths spelled it, and by a name in any composition', async () => {
    const own = await dms.addOrganization();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
    await own.device.post('/devices/STRAY-1/measurements', { readings });
    assert.equal((await own.api.delete('/unregistered-devices/sTRAY-1')).status, 204);
    const assetId = await register(own, 'STRAY-1', { name: 'K\u00fchlraum' });
    const slug = await createProfile(own, FRIDGE);
    await apply(own, slug, { serialNumbers: ['STRAY-1'] });
    await own.api.post('/devices/StraY-1/config/withdraw');
    await own.api.patch(`/assets/${assetId}`, { floor: 1 });
    const found = async (subject: string) =>
      (await entries(own, `&subject=${encodeURIComponent(subject)}`)).map(({ action }) => action);
    const all = ['changeAsset', 'withdrawDeviceConfig', 'applyProfile', 'registerAsset'];
    assert.deepEqual(await found('STRAY-1'), [...all, 'removeUnregisteredDevice']);
    assert.deepEqual(await found('Ku\u0308hlraum'), [...all, 'removeUnregisteredDevice']);
  });

  it('finds changes by whoever followed a link in a mail, whose name holds an address of any length', async () => {
    const own = await dms.addOrganization();
    const address = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.org`;
    const name = `${address} (link in an e-mail)`;
    assert.equal(address.length, 254);
    await dms.service.sql('audit_entries').insert({
      organization_id: own.id,
      actor_name: name,
      action: 'acknowledgeAlert',
      subject: randomUUID(),
    });
    const found = await entries(own, `&actor=${encodeURIComponent(name)}`);
    assert.deepEqual(
      found.map(({ actor }) => actor.name),
      [name],
    );
  });

  it('finds every change of a device by its serial number, a former one, or its name', async () => {
    const own = await dms.addOrganization();
    const assetId = await register(own, 'Logger-1', { name: 'Blood bank' });
    await register(own, 'LOGGER-2', { name: 'Kitchen' });
    const slug = await createProfile(own, { slug: 'vaccines', ...FRIDGE });
    const { body: group } = await own.api.post('/groups', { name: 'Freezers', profileSlug: slug });
    const jobId = await apply(own, slug, { serialNumbers: ['LOGGER-1'] });
    await apply(own, slug, { serialNumbers: ['LOGGER-2'] });
    await own.api.post(`/devices/config-jobs/${jobId}/cancel`);
    await own.api.post(`/groups/${group.id}/add-members`, { serialNumbers: ['LOGGER-1'] });
    await createProfile(own, { slug: 'colder', ...FREEZER });
    await own.api.patch(`/groups/${group.id}`, { profileSlug: 'colder' });
    await own.api.post('/devices/logger-1/config/withdraw');
    await sendLowBattery(own, 'LOGGER-1');
    const { body: alerts } = await own.api.get('/alerts');
    await own.api.post(`/alerts/${alerts.items[0].id}/comments`, { comment: 'The door stood open' });
    await own.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: 'LOGGER-3' });
    await own.api.delete(`/assets/${assetId}`);
    const found = async (query: string) => (await entries(own, query)).map(({ action }) => action).reverse();
    const all = [
      'registerAsset',
      'applyProfile',
      'cancelConfigJob',
      'addGroupMembers',
      'updateGroup',
      'withdrawDeviceConfig',
      'commentAlert',
      'replaceHardware',
      'archiveAsset',
    ];
    for (const name of ['logger-1', 'LOGGER-1', 'Logger-3', 'BLOOD BANK'])
      assert.deepEqual(await found(`&subject=${encodeURIComponent(name)}`), all, name);
    const { body: first } = await own.api.get('/audit?subject=logger-1&limit=5');
    const { body: rest } = await own.api.get(`/audit?subject=logger-1&limit=5&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.items, ...rest.items].map(({ action }: Entry) => action).reverse(), all);
    assert.deepEqual(await found(`&subject=logger-1&actor=${own.keyId}`), all);
    assert.deepEqual(await found('&subject=logger-1&actor=Nobody'), []);
    assert.deepEqual(await found('&subject=freezers'), ['createGroup', 'addGroupMembers', 'updateGroup']);
    const stranger = await dms.addOrganization();
    assert.deepEqual(await entries(stranger, '&subject=logger-1'), []);
  });

  it('finds the changes of a profile, an escalation and a channel by their names, compared without case', async () => {
    const own = await dms.addOrganization();
    await createProfile(own, { ...FRIDGE, slug: 'cold', name: 'Kühlschrank ตู้' });
    const channel = { type: 'webhook', target: 'http://127.0.0.1:9/hook', name: 'Grace' };
    const { body } = await own.api.post('/notification-channels', channel);
    const steps = [{ afterMinutes: 0, channelIds: [body.id] }];
    assert.equal((await own.api.post('/escalations', { name: 'Night shift', steps })).status, 201);
    for (const [name, action] of [
      ['KÜHLSCHRANK ตู้', 'createProfile'],
      ['grace', 'createNotificationChannel'],
      ['night shift', 'createEscalation'],
    ] as const) {
      const found = await entries(own, `&subject=${encodeURIComponent(name)}`);
      assert.deepEqual(
        found.map((entry) => entry.action),
        [action],
      );
    }
  });

  it('finds the changes of the latest 20 devices of a name that many share', async () => {
    const own = await dms.addOrganization();
    for (let index = 0; index <= 20; index += 1) await register(own, `SAME-${index}`, { name: 'Fridge' });
    const [first, ...others] = (await entries(own)).reverse();
    const found = (await entries(own, '&subject=fridge')).reverse();
    assert.deepEqual(found, others);
    assert.deepEqual(await entries(own, '&subject=same-0'), [first]);
  });

  it('keeps no secret of a change', async () => {
    const own = await dms.addOrganization();
    const secret = `whsec_${Buffer.alloc(24, 'q').toString('base64')}`;
    const { body: hook } = await own.api.post('/webhooks', { url: 'https://example.com/a', secret });
    const rotated = await own.api.post(`/webhooks/${hook.id}/rotate-secret`, {});
    const { body: key } = await own.api.post('/keys', { name: 'Reader', kind: 'customer', role: 'read' });
    const rows = JSON.stringify(await dms.service.sql('audit_entries').where({ organization_id: own.id }));
    for (const each of [secret, rotated.body.secret, key.key]) assert.ok(!rows.includes(each));
    assert.ok(rows.includes(key.id));
  });

  it('writes one row for an apply to many devices, and one for a repeat under the same Idempotency-Key', async () => {
    const own = await dms.addOrganization();
    for (const serial of ['ONE', 'TWO', 'THREE']) await register(own, serial);
    const slug = await createProfile(own, { slug: 'fridge', ...FRIDGE });
    const headers = { 'idempotency-key': randomUUID() };
    const send = () =>
      own.api.put(`/devices/config-profiles/${slug}/apply`, { applyToAll: true }, { headers });
    const { body } = await send();
    assert.equal((await send()).headers['idempotent-replayed'], 'true');
    const [entry, ...others] = (await entries(own)).filter(({ action }) => action === 'applyProfile');
    assert.deepEqual(others, []);
    assert.equal(entry?.subject, slug);
    assert.deepEqual(entry.after, { jobId: body.jobId, appliedCount: 3 });
  });

  it('shows on each job who began it and for which devices, by an apply, a group, an import or a retry, also after a repeat by another key', async () => {
    const own = await dms.addOrganization();
    const slug = await createProfile(own, { slug: 'fridge', ...FRIDGE });
    const groupId = (await own.api.post('/groups', { name: 'Fridges', profileSlug: slug })).body.id;
    const { id: keyId, token } = await dms.issueKey(own.id, 'customer', 'write');
    const other = dms.with(token);
    const headers = { 'idempotency-key': randomUUID() };
    await register(own, 'SINGLE');
    const applyTo = (client: typeof other) =>
      client.put(`/devices/config-profiles/${slug}/apply`, { serialNumbers: ['SINGLE'] }, { headers });
    const { jobId } = (await applyTo(own.api)).body;
    assert.equal((await applyTo(other)).body.jobId, jobId);
    await other.post('/assets', { serialNumber: 'MEMBER', groupId });
    await other.post('/assets/import', [{ serialNumber: 'IMPORTED', groupId }]);
    await other.post(`/devices/config-jobs/${await failedJob(own)}/retry`);
    const jobs = (await own.api.get('/devices/config-jobs')).body.items as Array<{
      id: string;
      createdBy: { keyId: string; name: string };
      origin: { action: string; scope: string; groupId: string | null };
    }>;
    assert.deepEqual(
      jobs.map(({ createdBy }) => createdBy.keyId),
      [keyId, own.keyId, keyId, keyId, own.keyId],
    );
    assert.deepEqual(
      jobs.map(({ origin }) => [origin.action, origin.scope, origin.groupId]),
      [
        ['retryConfigJob', 'devices', null],
        ['applyProfile', 'devices', null],
        ['importAssets', 'members', groupId],
        ['registerAsset', 'members', groupId],
        ['applyProfile', 'devices', null],
      ],
    );
    const { createdBy, origin } = (await own.api.get(`/devices/config-jobs/${jobId}`)).body;
    const [entry] = await entries(own, '&subject=fridge');
    assert.deepEqual(createdBy, entry?.actor);
    assert.equal(origin.action, entry?.action);
  });

  it('rolls the row back with the change', async () => {
    const own = await dms.addOrganization();
    const { sql } = dms.service;
    await sql.raw(`alter table assets add constraint broken check (name <> 'Broken') not valid`);
    const { status } = await own.api.post('/assets', { serialNumber: 'BROKEN', name: 'Broken' });
    await sql.raw('alter table assets drop constraint broken');
    assert.equal(status, 500);
    assert.deepEqual(await entries(own), []);
  });

  it('shows for each of two concurrent changes the state that it found', async () => {
    const own = await dms.addOrganization();
    const { body: hook } = await own.api.post('/cellular-webhooks', { url: 'https://example.com/a' });
    const names = Array.from({ length: 6 }, (_, index) => `Name ${index}`);
    await Promise.all(names.map((name) => own.api.patch(`/cellular-webhooks/${hook.id}`, { name })));
    const [...changes] = await entries(own, `&subject=${hook.id}`);
    for (const [index, { before }] of changes.slice(0, -1).entries())
      assert.deepEqual(before, changes[index + 1]?.after);
  });

  it('filters by actor, subject and time, newest first, page by page', async () => {
    const own = await dms.addOrganization();
    const { id: keyId, token } = await dms.issueKey(own.id, 'customer', 'write');
    const ids: string[] = [];
    for (const serial of ['A', 'B', 'C']) {
      ids.push(await register(own, serial));
      await delay(3);
    }
    await dms.with(token).delete(`/assets/${ids[0]}`);
    const actionsOf = async (query: string) =>
      (await entries(own, query)).map(({ action, subject }) => `${action} ${ids.indexOf(subject)}`);
    assert.deepEqual(await actionsOf(''), [
      'archiveAsset 0',
      'registerAsset 2',
      'registerAsset 1',
      'registerAsset 0',
    ]);
    assert.deepEqual(await actionsOf(`&actor=${keyId.toUpperCase()}`), ['archiveAsset 0']);
    assert.deepEqual(await actionsOf('&actor=nobody'), []);
    assert.deepEqual(await actionsOf(`&subject=${ids[0]?.toUpperCase()}`), [
      'archiveAsset 0',
      'registerAsset 0',
    ]);
    const [, , second] = await entries(own);
    const [, third] = await entries(own);
    assert.deepEqual(await actionsOf(`&from=${second?.at}&to=${third?.at}`), ['registerAsset 1']);
    for (const [filter, found] of [
      [`&actor=${keyId}`, 'archiveAsset 0'],
      [`&from=${third?.at}`, 'archiveAsset 0'],
      [`&to=${second?.at}`, 'registerAsset 0'],
    ])
      assert.deepEqual(await actionsOf(`&subject=A${filter}`), [found], filter);
    assert.deepEqual(await actionsOf('&from=2999-01-01T00:00:00Z'), []);
    assert.deepEqual(await actionsOf('&to=1960-01-01T00:00:00Z'), []);
    const first = await own.api.get('/audit?limit=3');
    const rest = await own.api.get(`/audit?limit=3&cursor=${first.body.nextCursor}`);
    assert.deepEqual([...first.body.items, ...rest.body.items], await entries(own));
    assert.equal(rest.body.nextCursor, null);
  });

  it('reads along an index for every filter', async () => {
    const { sql } = dms.service;
    const seen: string[] = [];
    const about: string[] = [];
    const note = ({ sql: text }: { sql: string }) => {
      if (text.includes('from "audit_entries"'))
        (text.includes('subject = s.subject') ? about : seen).push(text);
    };
    sql.on('query', note);
    const filters = ['', '&subject=x', '&actor=x', `&actor=${randomUUID()}`, '&from=2026-01-01T00:00:00Z'];
    for (const filter of filters) await entries(dms, filter);
    sql.removeListener('query', note);
    assert.deepEqual([seen.length, about.length], [filters.length - 1, 1]);
    await sql.transaction(async (trx) => {
      await trx.raw(
        'set local enable_seqscan = off; set local enable_sort = off; set local enable_bitmapscan = off',
      );
      for (const text of seen) {
        const { rows } = await trx.raw(`explain (generic_plan) ${text.replace(/\?/g, '\\?')}`);
        const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
        assert.doesNotMatch(plan, /Sort|Seq Scan/, text);
        assert.match(plan, /Index Cond: \(\(?organization_id/, plan);
      }
      const { rows } = await trx.raw(`explain (generic_plan) ${about[0]?.replace(/\?/g, '\\?')}`);
      const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Cond: \(\(organization_id = [^\n]*subject = /, plan);
    });
  });
});
