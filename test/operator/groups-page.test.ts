/** The page of a group: its members, devices that join it from elsewhere, and a rollout that ended itself. */
import assert from 'node:assert/strict';
import { apply, applyAnswer, createProfile, FREEZER, FRIDGE, register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { hiddenIn, signIn, visit } from './visitor.ts';

describe('The page of a group', () => {
  const dms = useService({ withWorker: false });
  let cookie: string;

  before(async () => {
    cookie = await signIn(dms, { name: 'Grace Hopper' });
    await createProfile(dms, { ...FRIDGE, slug: 'fridge' });
    await createProfile(dms, { ...FREEZER, slug: 'freezer' });
  });

  const see = async (path: string, as = cookie) =>
    (await visit(`${dms.baseUrl}/operator${path}`, { cookie: as })).text;
  const send = (path: string, form: Record<string, string>) =>
    visit(`${dms.baseUrl}/operator/${path}`, { cookie, form });

  async function addGroup(name: string, serials: readonly string[], profileSlug: string | null = null) {
    const { body } = await dms.api.post('/groups', { name, profileSlug });
    for (const serial of serials) await register(dms, serial, { name: `Room of ${serial}` });
    await dms.api.post(`/groups/${body.id}/add-members`, { serialNumbers: serials });
    return body.id as string;
  }
  const countMembers = async (id: string) => (await dms.api.get(`/groups/${id}`)).body.memberCount;

  it('says which members never had a profile', async () => {
    const id = await addGroup('Storage', ['BARE-1', 'PROFILED-1']);
    await apply(dms, 'fridge', { serialNumbers: ['PROFILED-1'] });
    await applyAnswer(dms, 'PROFILED-1');
    const text = await see(`/groups/${id}`);
    const badgeOf = (serial: string) =>
      text.match(new RegExp(`Room of ${serial}.*?data-label="Configuration">.*?>([^<]+)</span>`, 's'))?.[1];
    assert.deepEqual([badgeOf('BARE-1'), badgeOf('PROFILED-1')], ['no profile', 'applied']);
  });

  it('names the devices that leave their group, and the group, before they join another one', async () => {
    const blood = await addGroup('Blood bank', ['BLOOD-1', 'BLOOD-2']);
    const ward = await addGroup('Ward', ['WARD-1']);
    const path = `forms/addGroupMembers?groupId=${ward}`;
    const form = { serialNumbers: 'BLOOD-1 WARD-1' };
    const { status, text } = await send(path, form);
    assert.equal(status, 200);
    assert.match(text, /1 device leaves its group.*Room of BLOOD-1.*Blood bank/s);
    assert.doesNotMatch(text, /Room of WARD-1/);
    assert.deepEqual([await countMembers(blood), await countMembers(ward)], [2, 1]);
    assert.equal((await send(path, { ...form, step: 'apply' })).status, 303);
    assert.deepEqual([await countMembers(blood), await countMembers(ward)], [1, 2]);
    await register(dms, 'ALONE-1');
    assert.equal((await send(path, { serialNumbers: 'ALONE-1' })).status, 303);
  });

  it('asks before devices that are ticked or typed join a group whose profile they would get', async () => {
    const id = await addGroup('Freezers', [], 'freezer');
    await register(dms, 'TICKED-1');
    const form = { joinedGroupId: id, serialNumbers: 'TICKED-1' };
    const { text } = await send('join', form);
    assert.match(text, /Add 1 device to Freezers\?.*does not run <a [^>]*>Freezer<\/a> gets a job/s);
    const again = await visit(`${dms.baseUrl}/operator/join`, { cookie });
    assert.equal(again.headers.get('location'), '/operator/fleet');
    const typed = await send(`forms/addGroupMembers?groupId=${id}`, {
      serialNumbers: 'TICKED-1 ticked-1',
    });
    assert.match(typed.text, /Add 1 device to Freezers\?.*gets a job/s);
    assert.equal(await countMembers(id), 0);
    const { headers } = await send('join', { ...form, step: 'apply' });
    assert.match(headers.get('location') ?? '', /^\/operator\/jobs\//);
    assert.equal(await countMembers(id), 1);
  });

  it('brings a changed profile to the members as that of their group, once, and takes it from who leaves', async () => {
    const slug = await createProfile(dms, { ...FRIDGE, slug: 'lab' });
    const id = await addGroup('Labs', ['LAB-1'], slug);
    await applyAnswer(dms, 'LAB-1');
    await dms.api.put(`/devices/config-profiles/${slug}`, {
      temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 6 }],
    });
    const path = `forms/updateGroup?groupId=${id}`;
    for (const [page, label] of [
      [`/groups/${id}`, 'Bring Vaccine fridge to all members…'],
      [`/profiles/${slug}`, 'Bring it to all members…'],
    ] as const) {
      const shown = await see(page);
      const [, form = ''] =
        shown.match(new RegExp(`action="/operator/${path.replace('?', '\\?')}"[^>]*>(.*?)${label}`, 's')) ??
        [];
      assert.deepEqual(Object.keys(hiddenIn(form)), ['shown', 'unchanged', 'name', 'profileSlug'], page);
      const preview = (await send(path, hiddenIn(form))).text;
      assert.match(preview, /Give Vaccine fridge to Labs\?.*Would change<\/dt><dd>1</s);
      if (page.startsWith('/groups')) continue;
      const edited = (await send(path, { ...hiddenIn(preview), step: 'edit' })).text;
      const withoutProfile = { ...hiddenIn(edited), name: 'Labs', profileSlug: '' };
      assert.match((await send(path, withoutProfile)).text, /Take the profile away from Labs\?/);
      const sent = { ...hiddenIn(preview), step: 'apply' };
      const [first, again] = [await send(path, sent), await send(path, sent)];
      const [, jobId] = first.headers.get('location')?.match(/^\/operator\/jobs\/([^?]+)/) ?? [];
      assert.equal(again.headers.get('location'), first.headers.get('location'));
      const { body: job } = await dms.api.get(`/devices/config-jobs/${jobId}`);
      assert.equal(job.origin.action, 'updateGroup');
      await dms.api.post(`/groups/${id}/remove-members`, { serialNumbers: ['LAB-1'] });
      const { body: targets } = await dms.api.get(`/devices/config-jobs/${jobId}/targets`);
      assert.equal(targets.items[0].state, 'cancelled');
    }
    assert.doesNotMatch(await see(`/profiles/${slug}`, await signIn(dms, { role: 'read' })), /Bring it/);
  });

  it('asks before it takes the profile away, and says from how many members', async () => {
    const id = await addGroup('Vaccines', ['VACCINE-1'], 'fridge');
    const form = {
      shown: JSON.stringify({ name: 'Vaccines', profileSlug: 'fridge' }),
      name: 'Vaccines',
      profileSlug: '',
    };
    const slugOf = async () => (await dms.api.get(`/groups/${id}`)).body.profileSlug;
    const { status, text } = await send(`forms/updateGroup?groupId=${id}`, form);
    assert.equal(status, 200);
    assert.match(
      text,
      /Take the profile away from Vaccines\?.*Open changes of <a [^>]+>Vaccine fridge<\/a> are withdrawn from its 1 member\./s,
    );
    assert.equal(await slugOf(), 'fridge');
    const { headers } = await send(`forms/updateGroup?groupId=${id}`, { ...form, step: 'apply' });
    assert.equal(headers.get('location'), `/operator/groups/${id}?done=updateGroup`);
    assert.equal(await slugOf(), null);
  });

  it('says that a rollout ended itself while the group keeps its profile, and leads back to the one before', async () => {
    const id = await addGroup('Cold rooms', ['COLD-1'], 'fridge');
    const rollout = { firstPercent: 10, minAppliedPercent: 90, abortFailedPercent: 10 };
    const { body } = await dms.api.patch(`/groups/${id}`, { profileSlug: 'freezer', rollout });
    assert.doesNotMatch(await see(`/groups/${id}`), /ended itself/);
    await dms.service
      .sql('config_jobs')
      .where({ organization_id: dms.id, id: body.jobId })
      .update({ status: 'aborted', reason: 'too many devices failed', finished_at: new Date() });
    const text = await see(`/groups/${id}`);
    assert.match(
      text,
      new RegExp(`${body.jobId}">rollout of Freezer</a> ended itself.*too many devices failed`, 's'),
    );
    assert.match(text, /each device that joins gets it.*Put the group back to Vaccine fridge…/s);
    assert.match(await see('/groups'), /href="\/operator\/profiles\/freezer">Freezer</);
    assert.doesNotMatch(
      await see(`/groups/${id}`, await signIn(dms, { role: 'read' })),
      /Put the group back/,
    );
    const form = {
      shown: JSON.stringify({ name: 'Cold rooms', profileSlug: 'freezer' }),
      name: 'Cold rooms',
      profileSlug: 'fridge',
    };
    const path = `forms/updateGroup?groupId=${id}`;
    const question = (await send(path, form)).text;
    assert.match(question, /Give Vaccine fridge to Cold rooms\?/);
    assert.equal((await send(path, { ...hiddenIn(question), step: 'apply' })).status, 303);
    assert.doesNotMatch(await see(`/groups/${id}`), /ended itself/);
  });
});
