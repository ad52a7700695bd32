/**
 * Work in chunks covers exactly the devices that exist: chunks of three, large above six, any number of
 * devices.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { listAll } from '../support/client.ts';
import {
  apply,
  configOf,
  createProfile,
  FACTORY,
  inTurns,
  jobOf,
  register,
  registerMany,
  report,
} from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const CHUNK = 3;
const LARGE_ABOVE = 2 * CHUNK;
const HOURLY = { transmissionInterval: 3_600 };
const DAILY = { transmissionInterval: 86_400 };

/** None, around one chunk, around the smallest large job, and more. */
const size = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3 * CHUNK + 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: 3 * CHUNK, max: 40 }) },
);

interface Target {
  serialNumber: string;
  state: string;
}

describe('Work in chunks', () => {
  const dms = useService({
    withWorker: false,
    settings: { applyChunkSize: CHUNK, largeJobDevices: LARGE_ABOVE },
  });
  const steps = useSteps(dms);

  /** A customer with devices; every other one of the first devices is in a group. */
  async function addFleet(count: number, members = 0) {
    const org = await dms.addOrganization();
    await createProfile(org, { slug: 'hourly', intervals: { transmissionIntervalSeconds: 3_600 } });
    await createProfile(org, { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } });
    const { id: groupId } = (await org.api.post('/groups', { name: 'Fridges' })).body;
    const serials = await registerMany(org, 1 + count + members);
    const inGroup = serials.filter((_, index) => index % 2 === 0 && index < 2 * members);
    if (inGroup.length > 0) await org.api.post(`/groups/${groupId}/add-members`, { serialNumbers: inGroup });
    return { org, groupId, serials, inGroup };
  }

  /** The pending change of each device of the customer. */
  async function pendingOf(org: TestOrganization, serials: string[]) {
    const pending: Record<string, object | null> = {};
    await inTurns(serials, 4, async (serial) => {
      pending[serial] = (await configOf(org, serial)).pendingConfig;
    });
    return pending;
  }

  const targetsOf = async ({ api }: TestOrganization, jobId: string, limit: number) => {
    const targets: Target[] = await listAll(api, `/devices/config-jobs/${jobId}/targets?limit=${limit}`);
    assert.equal(new Set(targets.map(({ serialNumber }) => serialNumber)).size, targets.length);
    return targets;
  };

  const all = (serials: string[], value: object | null) =>
    Object.fromEntries(serials.map((serial) => [serial, value]));
  const inState = (targets: Target[], ...states: string[]) =>
    targets.filter(({ state }) => states.includes(state)).map(({ serialNumber }) => serialNumber);

  it('offers, lists and withdraws the change of a job on each of its devices, and on no other', () =>
    fc.assert(
      fc.asyncProperty(size, size, fc.integer({ min: 1, max: 9 }), async (count, members, limit) => {
        const { org, groupId, serials, inGroup } = await addFleet(count, members);
        const others = serials.filter((serial) => !inGroup.includes(serial));
        if (inGroup.length === 0) return;
        const jobId = await apply(org, 'daily', { groupId });
        await steps.work();
        assert.deepEqual(await pendingOf(org, serials), { ...all(inGroup, DAILY), ...all(others, null) });
        assert.deepEqual(inState(await targetsOf(org, jobId, limit), 'waiting').sort(), inGroup);
        assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/cancel`)).status, 200);
        await steps.work();
        assert.deepEqual(await pendingOf(org, serials), all(serials, null));
        assert.deepEqual(inState(await targetsOf(org, jobId, limit), 'cancelled').sort(), inGroup);
        assert.equal((await jobOf(org, jobId)).status, 'cancelled');
      }),
      { numRuns: 12 },
    ));

  it('reaches every device that stays while others are registered, are archived and report', () =>
    fc.assert(
      fc.asyncProperty(size, async (count) => {
        const { org, serials } = await addFleet(count + LARGE_ABOVE);
        const ids = await listAll(org.api, '/assets?limit=50');
        const leaving = ids.filter((_, index) => index % 4 === 1);
        const reporting = serials.filter((_, index) => index % 4 === 3);
        const jobId = await apply(org, 'daily', { applyToAll: true });
        const changes = async () => {
          for (const [index, { id }] of leaving.entries()) {
            await register(org, `NEW-${index}`);
            assert.equal((await org.api.delete(`/assets/${id}`)).status, 200);
          }
          for (const serial of reporting) await report(org, serial, FACTORY);
        };
        await Promise.all([changes(), steps.work()]);
        await steps.work();
        const left = leaving.map(({ serialNumber }) => serialNumber);
        const staying = serials.filter((serial) => !left.includes(serial));
        const targets = await targetsOf(org, jobId, 4);
        assert.deepEqual(targets.map(({ serialNumber }) => serialNumber).sort(), serials);
        assert.deepEqual(inState(targets, 'waiting', 'sent').sort(), staying);
        assert.deepEqual(inState(targets, 'cancelled').sort(), left.sort());
        await steps.expireJobs();
        assert.deepEqual(inState(await targetsOf(org, jobId, 4), 'timed_out').sort(), staying);
      }),
      { numRuns: 6 },
    ));

  it('withdraws the profile of a group from each of its members, and removes each of them when it is deleted', () =>
    fc.assert(
      fc.asyncProperty(size, size, fc.boolean(), async (count, members, isDeleted) => {
        const { org, groupId, serials, inGroup } = await addFleet(count, members);
        const others = serials.filter((serial) => !inGroup.includes(serial));
        const path = `/groups/${groupId}`;
        assert.equal((await org.api.patch(path, { profileSlug: 'daily' })).status, 200);
        await steps.work();
        if (others.length > 0) await apply(org, 'hourly', { serialNumbers: others });
        await steps.work();
        const ofOthers = all(others, HOURLY);
        assert.deepEqual(await pendingOf(org, serials), { ...all(inGroup, DAILY), ...ofOthers });
        const left = isDeleted
          ? await org.api.delete(path)
          : await org.api.patch(path, { profileSlug: null });
        assert.ok(left.status < 300, left.text);
        await steps.work();
        assert.deepEqual(await pendingOf(org, serials), { ...all(inGroup, null), ...ofOthers });
        if (!isDeleted) return;
        assert.equal((await org.api.get(path)).status, 404);
        const groups = (await listAll(org.api, '/assets?limit=9')).map((asset) => asset.groupId ?? null);
        assert.deepEqual(
          groups,
          serials.map(() => null),
        );
      }),
      { numRuns: 8 },
    ));
});
