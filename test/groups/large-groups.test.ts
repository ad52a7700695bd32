/**
 * Groups whose changes are withdrawn in chunks because they have many members; here chunks of two, above four
 * members.
 */
import assert from 'node:assert/strict';
import { createGroupWithdrawalsRepository } from '../../src/config-jobs/group-withdrawals.repository.ts';
import { query } from '../../src/db/query.ts';
import { createGroupsRepository } from '../../src/groups/groups.repository.ts';
import { withdrawProfileId } from '../../src/temporal/workflow-ids.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  jobOf,
  refuse,
  registerMany,
  report,
  sendLowBattery,
} from '../support/fleet.ts';
import { allowIdle, untilLockWaits, whileDeviceLocked } from '../support/lock-waits.ts';
import { startService, type TestOrganization, useService } from '../support/service.ts';
import { openSteps, useSteps } from '../support/steps.ts';

const CHUNK = 2;
const CHUNKS = { applyChunkSize: CHUNK, largeJobDevices: 2 * CHUNK };
/** Three chunks: the first one is done, the second waits, and the last one has not begun. */
const MEMBERS = 2 * CHUNK + 1;
const BLOCKED = CHUNK + 1;
const LAST = MEMBERS - 1;
const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };
const FRIDGE = {
  slug: 'fridge',
  temperatureAlerts: [{ type: 'range', channel: 'probe', lowC: 2, highC: 8 }],
};

/** The settings of each profile. */
const ALERTS = ['alarmRules', 'calendars'];
const INTERVAL = ['transmissionInterval'];

describe('A group of very many members', () => {
  const dms = useService({ withWorker: false, settings: CHUNKS });
  const steps = useSteps(dms);
  let org: TestOrganization;
  let group: string;
  let serials: string[];

  beforeEach(setUp);

  /** A group in a new organization, whose members are offered its profile. */
  async function setUp(): Promise<void> {
    org = await dms.addOrganization();
    for (const profile of [DAILY, FRIDGE]) await createProfile(org, profile);
    group = (await org.api.post('/groups', { name: 'Fridges', profileSlug: 'fridge' })).body.id;
    serials = await registerMany(org, MEMBERS);
    // Few at a time, so that each is offered the profile at once, and not by the run of a large job.
    for (const serialNumbers of [serials.slice(0, 2 * CHUNK), serials.slice(2 * CHUNK)])
      await org.api.post(`/groups/${group}/add-members`, { serialNumbers });
    for (const serial of serials) assert.deepEqual(await pendingKeys(serial), ALERTS);
  }

  const pendingKeys = async (serial: string) =>
    Object.keys((await configOf(org, serial)).pendingConfig ?? {});
  const name = async (profileSlug: string | null, more: object = {}): Promise<string> => {
    const { status, body, text } = await org.api.patch(`/groups/${group}`, { profileSlug, ...more });
    assert.equal(status, 200, text);
    return body.jobId;
  };
  const remove = async () => assert.equal((await org.api.delete(`/groups/${group}`)).status, 204);
  const groupIds = async (): Promise<Array<string | undefined>> => {
    const { body } = await org.api.get('/assets?limit=500');
    return body.items.map(({ groupId }: { groupId?: string }) => groupId ?? undefined);
  };
  const untilPending = (expected: string[], of = serials) =>
    eventually(
      () => Promise.all(of.map(pendingKeys)),
      (keys) => keys.every((each) => each.join() === expected.join()),
    );
  const assertPending = async (expected: string[], of = serials) => {
    for (const serial of of) assert.deepEqual(await pendingKeys(serial), expected, serial);
  };
  const isRemoved = async (id = group) =>
    (await query(dms.service.sql, 'select 1 from groups where id = ?', [id])).length === 0;
  /** Counts over all jobs of the organization. */
  const countTargets = async (state: string): Promise<number> => {
    const [row] = await query<{ count: number }>(
      dms.service.sql,
      'select count(*) from config_targets where organization_id = ? and state = ?',
      [org.id, state],
    );
    return row?.count ?? 0;
  };

  /** Runs `work` while another connection has locked the device, so a chunk with it waits. */
  const whileLocked = async <T>(serial: string, work: () => Promise<T>) =>
    whileDeviceLocked(dms.service.sql, (await configOf(org, serial)).assetId, work);
  const untilWaiting = (count: number) => untilLockWaits(dms.service.sql, count);

  it('changes its profile without locking a member, and offers all members the new one alone', async () => {
    const jobId = await whileLocked(serials[BLOCKED] as string, () => name('daily'));
    assert.equal((await jobOf(org, jobId)).counts.queued, MEMBERS);
    const { sql, temporal } = dms.service;
    const listWithdrawals = () => createGroupWithdrawalsRepository(sql).listOf(org.id);
    const [withdrawal] = await listWithdrawals();
    const { databaseUrl, taskQueue } = dms.settings;
    const worker = await startService({ databaseUrl, settings: { taskQueue, ...CHUNKS } });
    try {
      await untilPending(INTERVAL);
      await eventually(listWithdrawals, (left) => left.length === 0);
      const run = temporal.client.workflow.getHandle(withdrawProfileId(withdrawal?.withdrawalId as string));
      assert.equal(await run.result(), 'withdrawn from all members');
      const described = await run.describe();
      assert.match((await described.staticSummary()) ?? '', /^Withdraws .* of group Fridges for test /);
      assert.match((await described.staticDetails()) ?? '', /^Begun by /);
    } finally {
      await worker.stop();
    }
    assert.equal(await countTargets('cancelled'), MEMBERS);
  });

  it('drops its profile without locking a member, chunk by chunk', async () => {
    const { withdrawn } = await whileLocked(serials[BLOCKED] as string, async () => {
      await name(null);
      const withdrawing = steps.withdraw();
      await untilPending([], serials.slice(0, CHUNK));
      assert.deepEqual(await pendingKeys(serials[LAST] as string), ALERTS);
      await applyAnswer(org, serials[LAST] as string);
      return { withdrawn: withdrawing };
    });
    await withdrawn;
    await assertPending([]);
    assert.deepEqual([await countTargets('applied'), await countTargets('cancelled')], [1, MEMBERS - 1]);
  });

  it('continues with the next worker when one has ended', async () => {
    const { ended } = await whileLocked(serials[BLOCKED] as string, async () => {
      await name(null);
      let isEnding = false;
      const withdrawing = steps.withdraw(() => !isEnding);
      await untilPending([], serials.slice(0, CHUNK));
      await untilWaiting(1);
      isEnding = true;
      return { ended: withdrawing };
    });
    await ended;
    assert.deepEqual(await pendingKeys(serials[LAST] as string), ALERTS);
    const next = openSteps(dms);
    await next.withdraw().finally(next.close);
    await assertPending([]);
  });

  it('withdraws the former profile even from a member that runs the new one, which the preview counts', async () => {
    const member = serials[LAST] as string;
    await apply(org, 'daily', { serialNumbers: [member] });
    await report(org, member, { ...FACTORY, transmissionInterval: 86_400 });
    const dryRun = await org.api.patch(`/groups/${group}?dryRun=true`, { profileSlug: 'daily' });
    const [{ deviceCount, unchangedCount }] = dryRun.body.preview;
    assert.deepEqual([deviceCount, unchangedCount], [MEMBERS, 1]);
    assert.equal((await jobOf(org, await name('daily'))).total, MEMBERS);
    await steps.work();
    await assertPending(INTERVAL, serials.slice(0, -1));
    assert.ok(!(await pendingKeys(member)).includes('alarmRules'));
    await applyAnswer(org, member);
    assert.deepEqual(await pendingKeys(member), []);
  });

  it('withdraws at once from members whose stage is still to come', async () => {
    const jobId = await name('daily', { rollout: { firstPercent: 40 } });
    await steps.work();
    await assertPending([], serials.slice(2));
    await assertPending(INTERVAL, serials.slice(0, 2));
    const { counts } = await jobOf(org, jobId);
    assert.deepEqual([counts.waiting, counts.queued], [2, MEMBERS - 2]);
  });

  it('offers the profile that was named last, after any number of quick changes', async () => {
    const second = await name('daily');
    const third = await name('fridge');
    await steps.work();
    assert.equal((await jobOf(org, third)).counts.waiting, MEMBERS);
    await assertPending(ALERTS);
    assert.deepEqual((await jobOf(org, second)).counts.cancelled, MEMBERS);
  });

  it('leaves a member only the other change that it is offered meanwhile', async () => {
    await name(null);
    const member = serials[LAST] as string;
    await apply(org, 'daily', { serialNumbers: [member] });
    assert.deepEqual(await pendingKeys(member), INTERVAL);
    await steps.work();
    await assertPending([], serials.slice(0, -1));
    assert.deepEqual(await pendingKeys(member), INTERVAL);
  });

  it('refuses a retry of the change while it is being withdrawn', async () => {
    const jobId = await name('daily');
    await steps.work();
    await assertPending(INTERVAL);
    for (const serial of serials) await refuse(org, serial);
    await steps.runJobs();
    assert.equal((await jobOf(org, jobId)).counts.failed, MEMBERS);
    await name(null);
    const { status, text } = await org.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.equal(status, 409, text);
    await steps.withdraw();
    assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/retry`)).status, 201);
  });

  describe('when deleted', () => {
    it('disappears with the answer, before any member is locked', async () => {
      await whileLocked(serials[BLOCKED] as string, remove);
      assert.equal((await org.api.get(`/groups/${group}`)).status, 404);
      assert.deepEqual((await org.api.get('/groups')).body.items, []);
      assert.equal(
        (await org.api.post(`/groups/${group}/add-members`, { serialNumbers: serials })).status,
        404,
      );
      assert.equal((await org.api.delete(`/groups/${group}`)).status, 404);
      const choice = { groupId: group };
      assert.equal((await org.api.put('/devices/config-profiles/daily/apply', choice)).status, 404);
      const range = 'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z';
      assert.equal((await org.api.get(`/measurements?${range}&groupId=${group}`)).status, 404);
      const { body } = await org.api.get(`/assets?groupId=${group}`);
      assert.deepEqual(body.items, []);
      assert.deepEqual(await groupIds(), Array(MEMBERS).fill(undefined));
    });

    it('has no alerts any more, before its members have left', async () => {
      await sendLowBattery(org, serials[0] as string);
      const total = async () => (await org.api.get(`/alerts?groupId=${group}`)).body.totalItems;
      assert.equal(await total(), 1);
      await remove();
      assert.equal(await total(), 0);
    });

    it('limits no channel and no escalation to its members any more, before they have left', async () => {
      const channel = { type: 'webhook', target: 'http://127.0.0.1:9/hooks', delayMinutes: 60 };
      const { body: ofAll } = await org.api.post('/notification-channels', channel);
      await org.api.post('/notification-channels', { ...channel, groupIds: [group] });
      const steps = [{ afterMinutes: 60, channelIds: [ofAll.id] }];
      const escalation = { name: 'On call', steps, groupIds: [group] };
      assert.equal((await org.api.post('/escalations', escalation)).status, 201);
      await remove();
      await sendLowBattery(org, serials[0] as string);
      const { items } = (await org.api.get('/alerts')).body;
      assert.equal(items[0].escalation, null);
      const queued = await query(
        dms.service.sql,
        'select channel_id from notification_alerts where organization_id = ?',
        [org.id],
      );
      assert.deepEqual(queued, [{ channel_id: ofAll.id }]);
    });

    it('frees its name at once', async () => {
      const other = (await org.api.post('/groups', { name: 'Others' })).body.id;
      await remove();
      const renaming = await org.api.patch(`/groups/${other}?dryRun=true`, { name: 'Fridges' });
      assert.equal(renaming.status, 200, renaming.text);
      const { status, body } = await org.api.post('/groups', { name: 'FRIDGES' });
      assert.equal(status, 201);
      const named = await createGroupsRepository(dms.service.sql).findByNames(org.id, ['Fridges']);
      assert.deepEqual(named, [{ name: 'Fridges', id: body.id }]);
    });

    it('withdraws its change from all members, and then removes its row', async () => {
      await remove();
      await steps.work();
      assert.ok(await isRemoved());
      await assertPending([]);
      assert.equal(await countTargets('cancelled'), MEMBERS);
      const { body } = await org.api.get('/assets?limit=500');
      assert.equal(body.items.length, MEMBERS);
    });

    it('is left out of a retry before the turn of its members', async () => {
      const jobId = await name('daily');
      await steps.work();
      await refuse(org, serials[LAST] as string);
      await remove();
      const { status, text } = await org.api.post(`/devices/config-jobs/${jobId}/retry`);
      assert.equal(status, 409, text);
      await steps.work();
      await assertPending([]);
    });

    it('keeps a member in another group that it joins before its turn', async () => {
      const other = (await org.api.post('/groups', { name: 'Daily', profileSlug: 'daily' })).body.id;
      await remove();
      const member = serials[LAST] as string;
      const { body } = await org.api.post(`/groups/${other}/add-members`, { serialNumbers: [member] });
      assert.equal(body.added, 1);
      assert.deepEqual(await pendingKeys(member), INTERVAL);
      await steps.work();
      assert.ok(await isRemoved());
      assert.deepEqual(await groupIds(), [...Array(MEMBERS - 1).fill(undefined), other]);
      assert.deepEqual(await pendingKeys(member), INTERVAL);
    });

    it('keeps a member in another group that it joins while its chunk waits for it', async () => {
      const other = (await org.api.post('/groups', { name: 'Others' })).body.id;
      await remove();
      const member = serials[BLOCKED] as string;
      const { assetId } = await configOf(org, member);
      const joined = await dms.service.sql.transaction(async (holder) => {
        await allowIdle(holder);
        await query(holder, 'select from assets where id = ? for update', [assetId]);
        const joining = org.api.post(`/groups/${other}/add-members`, { serialNumbers: [member] });
        await untilWaiting(1);
        const withdrawing = steps.withdraw();
        await untilWaiting(2);
        return { joining, withdrawing };
      });
      assert.equal((await joined.joining).body.added, 1);
      await joined.withdrawing;
      // A chunk that lost the conflict is tried again.
      await steps.withdraw();
      assert.ok(await isRemoved());
      assert.equal((await groupIds())[BLOCKED], other);
    });

    it('delays no other group while its change cannot be withdrawn', async () => {
      await remove();
      const first = group;
      const { sql } = dms.service;
      const refused = `check (organization_id <> '${org.id}') not valid`;
      await query(sql, `alter table config_targets add constraint refused ${refused}`);
      await setUp();
      await remove();
      await steps.withdraw();
      assert.deepEqual([await isRemoved(first), await isRemoved()], [false, true]);
      await query(sql, 'alter table config_targets drop constraint refused');
      await steps.withdraw();
      assert.ok(await isRemoved(first));
    });

    it('completes the deletion while its last profile is still being offered', async () => {
      await name('daily');
      await remove();
      await steps.work();
      assert.ok(await isRemoved());
      await assertPending([]);
    });
  });
});
