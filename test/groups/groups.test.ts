/** Sections 11 and 12 of the contract: groups, their members, and selections by group. */
import assert from 'node:assert/strict';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FRIDGE,
  register,
  registerMany,
  sendTemperature,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';

const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };
const UNKNOWN = '01920000-0000-7000-8000-000000000000';

describe('Groups', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);

  async function createGroup(name: string, more: object = {}): Promise<string> {
    const { status, body, text } = await org.api.post('/groups', { name, ...more });
    assert.equal(status, 201, text);
    return body.id;
  }
  const groupOf = async (id: string) => (await org.api.get(`/groups/${id}`)).body;
  const serialsIn = async (path: string): Promise<string[]> =>
    (await org.api.get(path)).body.items.map(({ serialNumber }: { serialNumber: string }) => serialNumber);

  it('creates, shows, lists newest first, changes and deletes groups', async () => {
    const created = await org.api.post('/groups', { name: 'Fridges' });
    assert.equal(created.status, 201);
    assert.equal(created.headers.location, `/groups/${created.body.id}`);
    const { id, recType, name, profileSlug, memberCount } = created.body;
    assert.deepEqual([recType, name, profileSlug, memberCount], ['group', 'Fridges', null, 0]);
    const newer = await createGroup('Freezers');
    const first = (await org.api.get('/groups?limit=1')).body;
    assert.equal(first.items[0].id, newer);
    const second = (await org.api.get(`/groups?limit=1&cursor=${first.nextCursor}`)).body;
    assert.deepEqual([second.items[0].id, second.nextCursor], [id, null]);
    const changed = await org.api.patch(`/groups/${id}`, { name: 'Cold rooms' });
    assert.deepEqual([changed.status, changed.body.name, changed.body.jobId], [200, 'Cold rooms', null]);
    assert.equal((await org.api.delete(`/groups/${id}`)).status, 204);
    for (const { status } of [
      await org.api.get(`/groups/${id}`),
      await org.api.patch(`/groups/${id}`, { name: 'Gone' }),
      await org.api.delete(`/groups/${id}`),
    ]) {
      assert.equal(status, 404);
    }
  });

  it('requires names that are unique without case, also in a dry run and for concurrent creations', async () => {
    await createGroup('Fridges');
    assert.equal((await org.api.post('/groups', { name: 'FRIDGES' })).status, 409);
    const other = await createGroup('Kühlräume');
    for (const query of ['?dryRun=true', '']) {
      assert.equal((await org.api.patch(`/groups/${other}${query}`, { name: 'fridges' })).status, 409);
      assert.equal((await org.api.patch(`/groups/${other}${query}`, { name: 'KÜHLRÄUME' })).status, 200);
    }
    const both = await Promise.all(['Same', 'sAME'].map((name) => org.api.post('/groups', { name })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
  });

  it('treats names as equal whatever their Unicode form and outer white space', async () => {
    const { body } = await org.api.post('/groups', { name: ' Ku\u0308hlhaus\u00a0' });
    assert.equal(body.name, 'K\u00fchlhaus');
    for (const name of ['K\u00fchlhaus', 'ku\u0308hlhaus ', '\u3000K\u00dcHLHAUS']) {
      assert.equal((await org.api.post('/groups', { name })).status, 409, JSON.stringify(name));
    }
    const rows = [{ serialNumber: 'IMPORTED', group: 'Ku\u0308hlhaus ' }];
    assert.equal((await org.api.post('/assets/import', rows)).body.created, 1);
    const joined = await org.api.get(`/assets?groupId=${body.id}`);
    assert.equal(joined.body.totalItems, 1);
  });

  it('treats names as equal where letters have several lower cases, or become two', async () => {
    for (const [name, same] of [
      ['ΟΔΟΣ', 'οδος'],
      ['Οδοσ', 'οδος'],
      ['Straße', 'STRASSE'],
    ] as const) {
      await org.api.post('/groups', { name });
      assert.equal((await org.api.post('/groups', { name: same })).status, 409, same);
      const serialNumber = `S${Buffer.from(name).toString('hex').toUpperCase()}`;
      await org.api.post('/assets', { serialNumber, name });
      const found = await org.api.get(`/assets?q=${encodeURIComponent(same)}`);
      assert.ok(
        found.body.items.some((asset: { name: string }) => asset.name === name),
        same,
      );
    }
  });

  it('refuses unknown profiles, and a rollout without a profile', async () => {
    const id = await createGroup('Fridges');
    assert.equal((await org.api.post('/groups', { name: 'a', profileSlug: 'none' })).status, 404);
    assert.equal((await org.api.patch(`/groups/${id}`, { profileSlug: 'none' })).status, 404);
    const alone = await org.api.patch(`/groups/${id}`, { name: 'a', deadlineMinutes: 5 });
    assert.equal(alone.status, 400);
    assert.match(alone.body.message, /deadlineMinutes is about the job for profileSlug/);
  });

  it('lets devices join on registration, by PATCH, by import and in bulk, and leave by null', async () => {
    const fridges = await createGroup('Fridges');
    const freezers = await createGroup('Freezers');
    const first = await register(org, 'A-1', { groupId: fridges });
    const second = await register(org, 'A-2');
    assert.equal((await org.api.get(`/assets/${first}`)).body.groupId, fridges);
    assert.equal((await org.api.get(`/assets/${second}`)).body.groupId, null);
    const patched = await org.api.patch(`/assets/${second}`, { groupId: fridges, name: 'Two' });
    assert.deepEqual([patched.body.groupId, patched.body.name], [fridges, 'Two']);
    const imported = await org.api.post('/assets/import', [
      { serialNumber: 'A-3', groupId: freezers },
      { serialNumber: 'A-2', groupId: freezers },
      { serialNumber: 'A-4', groupId: UNKNOWN },
      { serialNumber: 'A-5' },
    ]);
    const { created, unchanged, failed, results } = imported.body;
    assert.deepEqual([created, unchanged, failed], [2, 1, 1]);
    assert.equal(results[2].error, 'groupId names no group');
    assert.deepEqual(await serialsIn(`/assets?groupId=${fridges}`), ['A-1', 'A-2']);
    const added = await org.api.post(`/groups/${freezers}/add-members`, {
      serialNumbers: ['a-1', 'A-3', 'A-5', 'A-1'],
    });
    assert.deepEqual(added.body, { added: 2, jobId: null });
    assert.deepEqual(await serialsIn(`/assets?groupId=${freezers}`), ['A-1', 'A-3', 'A-5']);
    assert.deepEqual(await serialsIn(`/assets?groupId=${fridges.toUpperCase()}`), ['A-2']);
    const removed = await org.api.post(`/groups/${freezers}/remove-members`, {
      serialNumbers: ['A-1', 'A-2'],
    });
    assert.deepEqual(removed.body, { removed: 1 });
    assert.equal((await org.api.patch(`/assets/${second}`, { groupId: null })).body.groupId, null);
    assert.equal((await groupOf(fridges)).memberCount, 0);
    assert.equal((await groupOf(freezers)).memberCount, 2);
  });

  it('refuses unknown groups and those of others, and adds no device when one serial number is unknown', async () => {
    const foreign = (await (await dms.addOrganization()).api.post('/groups', { name: 'Theirs' })).body.id;
    const own = await createGroup('Ours');
    const id = await register(org, 'A-1');
    for (const groupId of [UNKNOWN, foreign]) {
      assert.equal((await org.api.post('/assets', { serialNumber: 'A-9', groupId })).status, 404);
      assert.equal((await org.api.patch(`/assets/${id}`, { groupId })).status, 404);
      assert.equal(
        (await org.api.post(`/groups/${groupId}/add-members`, { serialNumbers: ['A-1'] })).status,
        404,
      );
    }
    assert.equal((await org.api.patch(`/assets/${id}`, { groupId: 'x' })).status, 400);
    const unknown = await org.api.post(`/groups/${own}/add-members`, { serialNumbers: ['A-1', 'A-7'] });
    assert.deepEqual([unknown.status, unknown.body.message.includes('A-7')], [404, true]);
    assert.equal((await groupOf(own)).memberCount, 0);
    assert.deepEqual(await serialsIn('/assets'), ['A-1']);
  });

  it('filters assets by group beside all other filters; a malformed id is 400, an unknown one an empty list', async () => {
    const group = await createGroup('Fridges');
    for (const serial of ['A-1', 'A-2', 'B-1'])
      await register(org, serial, { groupId: group, model: serial[0] });
    await register(org, 'A-3', { model: 'A' });
    const { body } = await org.api.get(`/assets?groupId=${group}&limit=2`);
    assert.deepEqual([body.items.length, body.totalItems], [2, 3]);
    assert.deepEqual(await serialsIn(`/assets?groupId=${group}&limit=2&cursor=${body.nextCursor}`), ['B-1']);
    assert.deepEqual(await serialsIn(`/assets?groupId=${group}&model=A`), ['A-1', 'A-2']);
    assert.deepEqual(await serialsIn(`/assets?groupId=${group}&q=b-`), ['B-1']);
    assert.equal((await org.api.get('/assets?groupId=x')).status, 400);
    assert.deepEqual((await org.api.get(`/assets?groupId=${UNKNOWN}`)).body, {
      items: [],
      totalItems: 0,
      nextCursor: null,
    });
  });

  it('loses members that are archived, and all members when deleted', async () => {
    const group = await createGroup('Fridges');
    const [first, second] = [
      await register(org, 'A-1', { groupId: group }),
      await register(org, 'A-2', { groupId: group }),
    ];
    await org.api.delete(`/assets/${first}`);
    assert.equal((await groupOf(group)).memberCount, 1);
    await org.api.delete(`/groups/${group}`);
    assert.equal((await org.api.get(`/assets/${second}`)).body.groupId, null);
  });

  it('selects devices for an apply, whose job does not belong to the group', async () => {
    const group = await createGroup('Fridges');
    const serials = await registerMany(org, 2);
    await register(org, 'OTHER');
    await createProfile(org, DAILY);
    const path = '/devices/config-profiles/daily/apply';
    assert.deepEqual((await org.api.put(path, { groupId: group })).body.jobId, null);
    await org.api.post(`/groups/${group}/add-members`, { serialNumbers: serials });
    const dryRun = await org.api.put(`${path}?dryRun=true`, { groupId: group });
    assert.deepEqual([dryRun.body.appliedCount, dryRun.body.preview[0].deviceCount], [2, 2]);
    const applied = await org.api.put(path, { groupId: group });
    assert.deepEqual(applied.body.applied.sort(), serials);
    assert.equal((await configOf(org, 'OTHER')).pendingConfig, null);
    assert.equal((await org.api.put(path, { groupId: UNKNOWN })).status, 404);
    assert.equal((await org.api.put(path, { groupId: group, applyToAll: true })).status, 400);
    await org.api.delete(`/groups/${group}`);
    assert.equal((await configOf(org, serials[0] as string)).pendingConfig.transmissionInterval, 86_400);
  });

  it('selects the devices of an export', async () => {
    const group = await createGroup('Fridges');
    await register(org, 'A-1', { groupId: group });
    await register(org, 'A-2');
    for (const serial of ['A-1', 'A-2']) await sendTemperature(org, serial, 4);
    const span = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z';
    const { text } = await org.api.get(`/measurements?${span}&groupId=${group}`);
    const lines = text.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).serialNumber),
      ['A-1'],
    );
    assert.equal((await org.api.get(`/measurements?${span}&groupId=${UNKNOWN}`)).status, 404);
    assert.equal((await org.api.get(`/measurements?${span}&groupId=${group}&all=true`)).status, 400);
  });

  it('selects the alerts of a notification channel', async () => {
    const group = await createGroup('Fridges');
    const channel = { type: 'webhook', target: 'http://127.0.0.1:9/hooks', delayMinutes: 60 };
    const { body: ofGroup } = await org.api.post('/notification-channels', { ...channel, groupIds: [group] });
    const { body: ofAll } = await org.api.post('/notification-channels', channel);
    await createProfile(org, { slug: 'fridge', ...FRIDGE });
    await register(org, 'IN', { groupId: group });
    await register(org, 'OUT');
    await apply(org, 'fridge', { serialNumbers: ['IN', 'OUT'] });
    for (const serial of ['IN', 'OUT']) {
      await applyAnswer(org, serial);
      await sendTemperature(org, serial, 20);
    }
    const queued = async (channelId: string) =>
      (
        await dms.service.sql.raw(
          `select a.serial_number from notification_alerts n
           join alerts a on a.organization_id = n.organization_id and a.id = n.alert_id
           where n.organization_id = ? and n.channel_id = ? order by 1`,
          [org.id, channelId],
        )
      ).rows.map((row: { serial_number: string }) => row.serial_number);
    await eventually(
      () => queued(ofAll.id),
      (serials) => serials.length === 2,
    );
    assert.deepEqual(await queued(ofGroup.id), ['IN']);
  });
});
