/** Devices that join and leave a group while other requests change its profile. */
import assert from 'node:assert/strict';
import { configOf, createProfile, register, registerMany } from '../support/fleet.ts';
import { untilLockWaits, whileDeviceLocked } from '../support/lock-waits.ts';
import { useOrganization, useService } from '../support/service.ts';

const INTERVALS = { daily: 86_400, weekly: 604_800 };

describe('A group that changes from several sides at once', () => {
  const dms = useService({ withWorker: false, settings: { applyChunkSize: 2, largeJobDevices: 8 } });
  const org = useOrganization(dms);
  let group: string;

  beforeEach(async () => {
    for (const [slug, seconds] of Object.entries(INTERVALS)) {
      await createProfile(org, { slug, intervals: { transmissionIntervalSeconds: seconds } });
    }
    group = (await org.api.post('/groups', { name: 'Fridges' })).body.id;
  });

  const name = (profileSlug: string | null) => org.api.patch(`/groups/${group}`, { profileSlug });
  const intervalOf = async (serial: string) =>
    (await configOf(org, serial)).pendingConfig?.transmissionInterval ?? null;

  const whileLocked = <T>(assetId: string, work: () => Promise<T>) =>
    whileDeviceLocked(dms.service.sql, assetId, work);
  const untilWaiting = (count: number) => untilLockWaits(dms.service.sql, count);

  it('offers its profile to a device that joins while the profile is being named', async () => {
    const member = await register(org, 'MEMBER', { groupId: group });
    const late = await register(org, 'LATE');
    const [named, joined] = await whileLocked(member, async () => {
      const naming = name('daily');
      await untilWaiting(1);
      const joining = org.api.patch(`/assets/${late}`, { groupId: group });
      await untilWaiting(2);
      return [naming, joining];
    }).then((both) => Promise.all(both));
    assert.deepEqual([named?.status, joined?.status], [200, 200]);
    assert.deepEqual([await intervalOf('MEMBER'), await intervalOf('LATE')], [86_400, 86_400]);
  });

  it('brings a profile to a device that is joining when the profile is named', async () => {
    const late = await register(org, 'LATE');
    await whileLocked(late, async () => {
      const joining = org.api.patch(`/assets/${late}`, { groupId: group });
      await untilWaiting(1);
      const naming = name('daily');
      await untilWaiting(2);
      return [joining, naming];
    }).then((both) => Promise.all(both));
    assert.equal(await intervalOf('LATE'), 86_400);
  });

  it('gives every member one target when concurrent requests name the same profile', async () => {
    const serials = await registerMany(org, 9);
    await org.api.post(`/groups/${group}/add-members`, { serialNumbers: serials });
    const both = await Promise.all([name('daily'), name('daily')]);
    assert.equal(both.filter(({ body }) => body.jobId !== null).length, 1);
  });

  it('ends with all members offered its profile, after any concurrent changes and joins', async () => {
    const serials = await registerMany(org, 6);
    const moves = serials.map((serial) =>
      org.api.post(`/groups/${group}/add-members`, { serialNumbers: [serial] }),
    );
    const answers = await Promise.all([name('daily'), ...moves, name('weekly'), name('daily')]);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const slug = (await org.api.get(`/groups/${group}`)).body.profileSlug as keyof typeof INTERVALS;
    for (const serial of serials) assert.equal(await intervalOf(serial), INTERVALS[slug], serial);
    assert.equal((await org.api.get(`/groups/${group}`)).body.memberCount, 6);
  });

  it('leaves a device in one of two groups that it joins concurrently, with the profile of that one', async () => {
    const other = (await org.api.post('/groups', { name: 'Weekly', profileSlug: 'weekly' })).body.id;
    await name('daily');
    const id = await register(org, 'A-1');
    const answers = await Promise.all(
      [group, other, group, other].map((groupId) => org.api.patch(`/assets/${id}`, { groupId })),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const { groupId } = (await org.api.get(`/assets/${id}`)).body;
    assert.equal(await intervalOf('A-1'), groupId === group ? 86_400 : 604_800);
  });

  it('refuses a device that joins while the group is deleted', async () => {
    const member = await register(org, 'MEMBER', { groupId: group });
    await name('daily');
    const late = await register(org, 'LATE');
    const [deleted, joined] = await whileLocked(member, async () => {
      const deleting = org.api.delete(`/groups/${group}`);
      await untilWaiting(1);
      const joining = org.api.patch(`/assets/${late}`, { groupId: group });
      await untilWaiting(2);
      return [deleting, joining];
    }).then((both) => Promise.all(both));
    assert.deepEqual([deleted?.status, joined?.status], [204, 404]);
    assert.deepEqual([await intervalOf('MEMBER'), await intervalOf('LATE')], [null, null]);
  });
});
