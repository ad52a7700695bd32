/** Sections 11 and 12 of the contract: the effects of a group's profile on its members. */
import assert from 'node:assert/strict';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FACTORY,
  jobOf,
  refuse,
  register,
  registerMany,
  report,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };
const WEEKLY = { slug: 'weekly', intervals: { transmissionIntervalSeconds: 604_800 } };
const FRIDGE = {
  slug: 'fridge',
  temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }],
};

describe('The profile of a group', () => {
  const dms = useService({ withWorker: false, settings: { applyChunkSize: 2, largeJobDevices: 8 } });
  const steps = useSteps(dms);
  const org = useOrganization(dms);
  let group: string;

  beforeEach(async () => {
    for (const profile of [DAILY, WEEKLY, FRIDGE]) await createProfile(org, profile);
    group = (await org.api.post('/groups', { name: 'Fridges' })).body.id;
  });

  const add = async (...serialNumbers: string[]) => {
    const { status, body, text } = await org.api.post(`/groups/${group}/add-members`, { serialNumbers });
    assert.equal(status, 200, text);
    return body;
  };
  const remove = (...serialNumbers: string[]) =>
    org.api.post(`/groups/${group}/remove-members`, { serialNumbers });
  const name = async (profileSlug: string | null, more: object = {}, query = '') => {
    const { status, body, text } = await org.api.patch(`/groups/${group}${query}`, { profileSlug, ...more });
    assert.equal(status, 200, text);
    return body;
  };
  const targetsOf = async (jobId: string): Promise<Record<string, string>> => {
    const { body } = await org.api.get(`/devices/config-jobs/${jobId}/targets?limit=500`);
    return Object.fromEntries(
      body.items.map(({ serialNumber, state }: { serialNumber: string; state: string }) => [
        serialNumber,
        state,
      ]),
    );
  };
  const jobsOf = async (): Promise<string[]> =>
    (await org.api.get('/devices/config-jobs')).body.items.map(({ id }: { id: string }) => id);
  const pendingOf = async (serial: string) => (await configOf(org, serial)).pendingConfig;

  it('offers the profile in one job to the members that do not run it', async () => {
    const [first, second, third] = (await registerMany(org, 3)) as [string, string, string];
    await apply(org, 'daily', { serialNumbers: [first, second] });
    await applyAnswer(org, first);
    await add(first, second, third);
    const { jobId, memberCount } = await name('daily', { deadlineMinutes: 60 });
    assert.equal(memberCount, 3);
    // One runs it, and one is already offered it.
    assert.deepEqual(await targetsOf(jobId), { [third]: 'waiting' });
    assert.equal((await jobOf(org, jobId)).profileSlug, 'daily');
    assert.equal((await name('daily')).jobId, null);
  });

  it('offers the profile to new members automatically, however they join', async () => {
    await name('daily');
    const byId = await register(org, 'BY-PATCH');
    await org.api.patch(`/assets/${byId}`, { groupId: group });
    await register(org, 'BY-POST', { groupId: group });
    await org.api.post('/assets/import', [
      { serialNumber: 'BY-IMPORT', groupId: group },
      { serialNumber: 'BY-IMPORT-2', groupId: group },
    ]);
    await register(org, 'BY-ADD');
    const { jobId } = await add('BY-ADD');
    assert.deepEqual(await targetsOf(jobId), { 'BY-ADD': 'waiting' });
    for (const serial of ['BY-PATCH', 'BY-POST', 'BY-IMPORT', 'BY-IMPORT-2', 'BY-ADD']) {
      assert.equal((await pendingOf(serial)).transmissionInterval, 86_400, serial);
    }
    // Both devices of one import are in one job.
    assert.equal((await jobsOf()).length, 4);
    assert.equal((await add('BY-ADD')).jobId, null);
  });

  it('previews a configuration once, however many chunks of devices get it', async () => {
    await add(...(await registerMany(org, 5)));
    const ofGroup = await name('daily', {}, '?dryRun=true');
    const path = '/devices/config-profiles/daily/apply?dryRun=true';
    const ofAll = (await org.api.put(path, { applyToAll: true })).body;
    for (const { preview } of [ofGroup, ofAll])
      assert.deepEqual(
        preview.map(({ deviceCount }: { deviceCount: number }) => deviceCount),
        [5],
      );
  });

  it('previews the offers in a dry run, which changes nothing', async () => {
    const [first, second] = (await registerMany(org, 2)) as [string, string];
    await apply(org, 'daily', { serialNumbers: [first] });
    await add(first, second);
    const { preview, profileSlug, jobId } = await name('daily', {}, '?dryRun=true');
    assert.deepEqual([profileSlug, jobId, preview.length, preview[0].deviceCount], ['daily', null, 1, 1]);
    assert.deepEqual(preview[0].config, { transmissionInterval: 86_400 });
    assert.equal((await org.api.get(`/groups/${group}`)).body.profileSlug, null);
    assert.equal(await pendingOf(second), null);
    assert.deepEqual((await name(null, {}, '?dryRun=true')).preview, []);
  });

  it('previews members that are offered the same settings for the former profile, which is withdrawn first', async () => {
    const serials = await registerMany(org, 3);
    await add(...serials);
    await createProfile(org, { ...DAILY, slug: 'daily-too' });
    await name('daily', { rollout: { firstPercent: 50 } });
    const { preview } = await name('daily-too', {}, '?dryRun=true');
    assert.deepEqual([preview.length, preview[0].deviceCount, preview[0].unchangedCount], [1, 3, 0]);
    const { jobId } = await name('daily-too');
    assert.equal((await jobOf(org, jobId)).total, 3);
  });

  it('rolls out in stages', async () => {
    const serials = await registerMany(org, 4);
    await add(...serials);
    const rollout = { firstPercent: 25 };
    const temperatureAlerts = [{ type: 'high', channel: 'probe', highC: 8, delayMinutes: 30 }];
    await createProfile(org, { slug: 'delayed', temperatureAlerts });
    const { jobId } = await name('delayed', { rollout });
    const { counts } = await jobOf(org, jobId);
    assert.deepEqual([counts.waiting, counts.queued], [1, 3]);
    // Members that wait for a stage are not offered the same again, even if it compiles to other samples by now.
    await report(org, serials[3] as string, FACTORY);
    assert.deepEqual((await name('delayed', {}, '?dryRun=true')).preview, []);
    assert.equal((await name('delayed')).jobId, null);
    assert.equal((await targetsOf(jobId))[serials[3] as string], 'queued');
  });

  it('changes no member when the profile is edited, until a PATCH names it again', async () => {
    await register(org, 'A-1', { groupId: group });
    await name('daily');
    await applyAnswer(org, 'A-1');
    await org.api.put('/devices/config-profiles/daily', {
      intervals: { transmissionIntervalSeconds: 7_200 },
    });
    await org.api.patch(`/groups/${group}`, { name: 'Other name' });
    assert.equal(await pendingOf('A-1'), null);
    await name('daily');
    assert.equal((await pendingOf('A-1')).transmissionInterval, 7_200);
  });

  it('leaves another apply to a member as it is, until a PATCH names the profile again', async () => {
    await register(org, 'A-1', { groupId: group });
    const { jobId } = await name('daily');
    await apply(org, 'weekly', { serialNumbers: ['A-1'] });
    assert.deepEqual(await targetsOf(jobId), { 'A-1': 'superseded' });
    await applyAnswer(org, 'A-1');
    assert.equal((await add('A-1')).jobId, null);
    assert.equal((await configOf(org, 'A-1')).deviceConfig.transmissionInterval, 604_800);
    await name('daily');
    assert.equal((await pendingOf('A-1')).transmissionInterval, 86_400);
  });

  it('offers the profile no second time to a member that refused it; that one waits for a retry', async () => {
    await register(org, 'A-1', { groupId: group });
    const { jobId } = await name('daily');
    await refuse(org, 'A-1');
    assert.deepEqual(await targetsOf(jobId), { 'A-1': 'failed' });
    assert.equal((await name('daily')).jobId, null);
    assert.equal((await configOf(org, 'A-1')).syncStatus, 'failed');
    const retry = await org.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal(retry.status, 201);
    assert.equal((await configOf(org, 'A-1')).syncStatus, 'pending');
    await remove('A-1');
    assert.deepEqual(await targetsOf(retry.body.id), { 'A-1': 'cancelled' });
    assert.equal(await pendingOf('A-1'), null);
  });

  it('withdraws the profile from a leaving member, except settings that others want and confirmed ones', async () => {
    const serials = (await registerMany(org, 3)) as [string, string, string];
    await add(...serials);
    const { jobId } = await name('daily');
    const [waiting, applied, wanted] = serials;
    await applyAnswer(org, applied);
    await apply(org, 'fridge', { serialNumbers: [wanted] });
    await remove(...serials);
    assert.deepEqual(await targetsOf(jobId), {
      [waiting]: 'cancelled',
      [applied]: 'applied',
      [wanted]: 'cancelled',
    });
    assert.equal(await pendingOf(waiting), null);
    assert.equal((await configOf(org, applied)).deviceConfig.transmissionInterval, 86_400);
    assert.deepEqual(Object.keys(await pendingOf(wanted)).sort(), ['alarmRules', 'calendars']);
  });

  it('withdraws settings of several jobs of the group, including queued stages and refused keys', async () => {
    const serials = (await registerMany(org, 4)) as [string, string, string, string];
    await add(...serials);
    const { jobId } = await name('daily', { rollout: { firstPercent: 25 } });
    const first = Object.entries(await targetsOf(jobId)).find(
      ([, state]) => state === 'waiting',
    )?.[0] as string;
    await refuse(org, first);
    await org.api.put('/devices/config-profiles/daily', {
      temperatureAlerts: FRIDGE.temperatureAlerts,
    });
    const again = await name('daily');
    await remove(...serials);
    for (const serial of serials) assert.equal(await pendingOf(serial), null, serial);
    for (const id of [jobId, again.jobId]) {
      const { counts } = await jobOf(org, id);
      assert.deepEqual([counts.queued, counts.waiting, counts.sent], [0, 0, 0]);
    }
    // A retry covers only devices that are still in the group.
    assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/retry`)).status, 409);
  });

  for (const [how, leaveAll] of [
    ['deleted', () => org.api.delete(`/groups/${group}`)],
    ['given no profile', () => name(null)],
  ] as const) {
    it(`withdraws the profile from all members when the group is ${how}`, async () => {
      const serials = await registerMany(org, 5);
      await add(...serials);
      const { jobId } = await name('daily');
      await leaveAll();
      assert.equal((await jobOf(org, jobId)).counts.cancelled, 5);
      for (const serial of serials) assert.equal(await pendingOf(serial), null);
    });
  }

  it('withdraws open changes of the first profile when the group gets another one', async () => {
    await register(org, 'A-1', { groupId: group });
    const { jobId } = await name('fridge');
    const other = await name('daily');
    assert.deepEqual(await targetsOf(jobId), { 'A-1': 'cancelled' });
    assert.deepEqual(await targetsOf(other.jobId), { 'A-1': 'waiting' });
    assert.deepEqual(await pendingOf('A-1'), { transmissionInterval: 86_400 });
  });

  it('withdraws the first profile and offers the second to a member that changes its group', async () => {
    const other = (await org.api.post('/groups', { name: 'Weekly', profileSlug: 'weekly' })).body.id;
    const id = await register(org, 'A-1', { groupId: group });
    const { jobId } = await name('fridge');
    await org.api.patch(`/assets/${id}`, { groupId: other });
    assert.deepEqual(await targetsOf(jobId), { 'A-1': 'cancelled' });
    assert.deepEqual(await pendingOf('A-1'), { transmissionInterval: 604_800 });
  });

  it('queues the profile for very many members, and offers it by the run of the job, but not to members that have left', async () => {
    const serials = await registerMany(org, 9);
    await add(...serials);
    const { jobId } = await name('daily');
    assert.equal((await jobOf(org, jobId)).counts.queued, 9);
    assert.equal((await name('daily')).jobId, null);
    await remove(serials[8] as string);
    const { counts: left } = await jobOf(org, jobId);
    assert.deepEqual([left.queued, left.cancelled], [8, 1]);
    await steps.runJob({ organizationId: org.id, jobId });
    const { counts: offered } = await jobOf(org, jobId);
    assert.deepEqual([offered.queued, offered.waiting], [0, 8]);
    assert.equal(await pendingOf(serials[8] as string), null);
    assert.equal((await pendingOf(serials[7] as string)).transmissionInterval, 86_400);
  });

  it('offers nothing to an archived member', async () => {
    const id = await register(org, 'A-1', { groupId: group });
    await org.api.delete(`/assets/${id}`);
    assert.equal((await name('daily')).jobId, null);
  });
});
