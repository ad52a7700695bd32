/**
 * Owners of the keys that are pending for a device, and their withdrawal when a job ends or a device leaves
 * its group.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FACTORY,
  jobOf,
  refuse,
  register,
  report,
} from '../support/fleet.ts';
import { useOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const TEN_MINUTES = { measurementPeriodBase: 600, measurementPeriodFactor: 1 };
const HOURLY = { transmissionInterval: 3_600 };
const DAILY = { transmissionInterval: 86_400 };
const PROFILES = {
  both: { measurementIntervalMinutes: 10, transmissionIntervalSeconds: 3_600 },
  'ten-minutes': { measurementIntervalMinutes: 10 },
  hourly: { transmissionIntervalSeconds: 3_600 },
  daily: { transmissionIntervalSeconds: 86_400 },
};

describe('A pending setting', () => {
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  const worker = useSteps(dms);
  let assetId: string;

  beforeEach(async () => {
    for (const [slug, intervals] of Object.entries(PROFILES)) await createProfile(org, { slug, intervals });
    assetId = await register(org, 'A');
  });

  const applyTo = (slug: string) => apply(org, slug, { serialNumbers: ['A'] });
  const pending = async () => (await configOf(org, 'A')).pendingConfig;
  const poll = async () => (await org.device.get('/devices/A/pending-config')).body?.config ?? null;
  const targetOf = async (jobId: string) =>
    (await org.api.get(`/devices/config-jobs/${jobId}/targets`)).body.items[0];
  const stateOf = async (jobId: string) => (await targetOf(jobId)).state;
  async function change(method: 'post' | 'patch' | 'delete', path: string, body?: object) {
    const answer = await org.api[method](path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  }
  const cancel = (jobId: string) => change('post', `/devices/config-jobs/${jobId}/cancel`);
  const retry = async (jobId: string) => (await change('post', `/devices/config-jobs/${jobId}/retry`)).id;
  const joinGroup = async (profileSlug: string | null = 'both') => {
    const { id } = await change('post', '/groups', { name: `Group of ${profileSlug}`, profileSlug });
    await change('patch', `/assets/${assetId}`, { groupId: id });
    return id;
  };

  /** Changes of as many other jobs, and of one. */
  async function addChanges(count: number): Promise<void> {
    await query(
      dms.service.sql,
      `insert into config_targets (organization_id, job_id, asset_id, change_config_id, state)
       select organization_id, gen_random_uuid(), asset_id, change_config_id, 'timed_out'
       from config_targets cross join generate_series(1, ?) where organization_id = ? and job_id = ?`,
      [count, org.id, await applyTo('both')],
    );
  }

  it('fails at a device for which 100 changes wait when its stage begins, and aborts no earlier stage', async () => {
    await register(org, 'B');
    await addChanges(99);
    const rollout = { firstPercent: 50, minAppliedPercent: 100, abortFailedPercent: 60 };
    const jobId = await apply(org, 'daily', { serialNumbers: ['B', 'A'], rollout });
    await worker.runJobs();
    const { status, counts } = await jobOf(org, jobId);
    assert.deepEqual([status, counts.queued, counts.failed], ['running', 1, 0]);
    await applyAnswer(org, 'B');
    await worker.runJobs();
    const ended = await jobOf(org, jobId);
    assert.deepEqual(
      [ended.status, ended.counts.applied, ended.counts.failed],
      ['completed_with_failures', 1, 1],
    );
  });

  it('is offered to no device for which 100 changes wait, until they are withdrawn: its target fails', async () => {
    await addChanges(98);
    const last = await applyTo('both');
    const startAt = new Date(Date.now() + DAY_MS).toISOString();
    const scheduled = await apply(org, 'daily', { serialNumbers: ['A'], startAt });
    const refused = await applyTo('daily');
    await worker.startNow({ organizationId: org.id, jobId: scheduled });
    await worker.runJobs();
    for (const jobId of [refused, scheduled]) {
      const { state, reason } = await targetOf(jobId);
      assert.equal(state, 'failed');
      assert.match(reason, /^100 changes wait/);
      assert.equal((await jobOf(org, jobId)).status, 'completed_with_failures');
    }
    assert.equal(await stateOf(last), 'waiting');
    assert.deepEqual(await pending(), { ...TEN_MINUTES, ...HOURLY });
    await change('post', '/devices/A/config/withdraw');
    assert.equal(await stateOf(await retry(refused)), 'waiting');
  });

  for (const [how, leave] of [
    ['is archived', () => change('delete', `/assets/${assetId}`)],
    ['leaves its group', () => change('patch', `/assets/${assetId}`, { groupId: null })],
  ] as const) {
    it(`counts no more for its job once the device for which 100 changes wait ${how}`, async () => {
      const groupId = await joinGroup(null);
      await register(org, 'B', { groupId });
      await addChanges(99);
      const { jobId } = await change('patch', `/groups/${groupId}`, { profileSlug: 'daily' });
      assert.equal((await jobOf(org, jobId)).counts.failed, 1);
      await leave();
      await applyAnswer(org, 'B');
      await worker.runJobs();
      const { status, counts } = await jobOf(org, jobId);
      assert.deepEqual([status, counts.applied, counts.cancelled], ['succeeded', 1, 1]);
    });
  }

  const LEAVING: Record<string, (groupId: string) => Promise<unknown>> = {
    'leaves its group': () => change('patch', `/assets/${assetId}`, { groupId: null }),
    'moves to another group': () => joinGroup(null),
    'is in a group that has no profile from now on': (id) =>
      change('patch', `/groups/${id}`, { profileSlug: null }),
    'is in a group that is deleted': (id) => change('delete', `/groups/${id}`),
  };
  for (const [how, leave] of Object.entries(LEAVING)) {
    it(`takes out the profile of the group when the device ${how}, but not the part that another apply has overwritten`, async () => {
      const groupId = await joinGroup();
      const own = await applyTo('daily');
      await leave(groupId);
      assert.deepEqual(await pending(), DAILY);
      assert.equal(await stateOf(own), 'waiting');
    });
  }

  it('takes out the profile of the group when the group gets another one that does not set the same keys', async () => {
    const groupId = await joinGroup();
    await applyTo('daily');
    await change('patch', `/groups/${groupId}`, { profileSlug: 'hourly' });
    assert.deepEqual(await pending(), HOURLY);
  });

  it('takes out the profile of the group even after the device refused it or its job timed out', async () => {
    const groupId = await joinGroup();
    await refuse(org, 'A');
    await change('patch', `/assets/${assetId}`, { groupId: null });
    assert.equal(await pending(), null);
    await change('patch', `/assets/${assetId}`, { groupId });
    await worker.expireJobs();
    await applyTo('daily');
    await change('patch', `/assets/${assetId}`, { groupId: null });
    assert.deepEqual(await pending(), DAILY);
  });

  it('keeps offering the rest of a change when another apply overwrites a key, and supersedes its target', async () => {
    const first = await applyTo('both');
    const second = await applyTo('daily');
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['superseded', 'waiting']);
    assert.deepEqual(await poll(), { ...TEN_MINUTES, ...DAILY });
    await cancel(second);
    assert.deepEqual(await poll(), TEN_MINUTES);
  });

  it('leaves no calendars and no factor of an overwritten change to other rules and periods, although both changes set the same ones', async () => {
    const schedule = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'UTC' };
    for (const [slug, highC, measurementIntervalMinutes] of [
      ['mild', 10, 10],
      ['warm', 12, 20],
    ] as const)
      await createProfile(org, {
        slug,
        temperatureAlerts: [{ type: 'high', channel: 'probe', highC }],
        schedule,
        intervals: { measurementIntervalMinutes },
      });
    const mild = await applyTo('mild');
    await cancel(await applyTo('warm'));
    assert.deepEqual([await poll(), await stateOf(mild)], [null, 'superseded']);
  });

  it('takes out the rest of a superseded change when its job is cancelled', async () => {
    const first = await applyTo('both');
    const second = await applyTo('daily');
    await cancel(first);
    assert.deepEqual(await pending(), DAILY);
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['superseded', 'waiting']);
  });

  it('takes out a refused change when its job is cancelled', async () => {
    const first = await applyTo('both');
    await refuse(org, 'A');
    await cancel(first);
    const { pendingConfig, syncStatus } = await configOf(org, 'A');
    assert.deepEqual([pendingConfig, syncStatus], [null, 'applied']);
    assert.equal(await stateOf(first), 'failed');
  });

  it('keeps a setting that several jobs set to one value until the last of them is cancelled', async () => {
    const both = await applyTo('both');
    const hourly = await applyTo('hourly');
    await cancel(both);
    assert.deepEqual(await pending(), HOURLY);
    await cancel(hourly);
    assert.equal(await pending(), null);
  });

  it('removes a setting with the last job that set it, although an earlier job had set the same value before it was overwritten', async () => {
    await applyTo('both');
    await applyTo('daily');
    const third = await applyTo('hourly');
    await cancel(third);
    assert.deepEqual(await pending(), TEN_MINUTES);
  });

  it('keeps a refused setting, still refused, when a second job that set it is cancelled', async () => {
    await applyTo('hourly');
    await refuse(org, 'A');
    const again = await applyTo('both');
    assert.deepEqual(await poll(), { ...TEN_MINUTES, ...HOURLY });
    await cancel(again);
    assert.equal(await poll(), null);
    const { pendingConfig, syncStatus } = await configOf(org, 'A');
    assert.deepEqual([pendingConfig, syncStatus], [HOURLY, 'failed']);
  });

  it('takes out a setting when a retry of its job is cancelled, and can retry the job again', async () => {
    const first = await applyTo('both');
    await worker.expireJobs();
    await cancel(await retry(first));
    assert.equal(await pending(), null);
    const again = await retry(first);
    await worker.expireJobs();
    assert.deepEqual(await pending(), { ...TEN_MINUTES, ...HOURLY });
    await cancel(await retry(again));
    assert.equal(await pending(), null);
  });

  it('keeps the timed-out setting of another job when a retry is cancelled', async () => {
    await applyTo('both');
    const retried = await applyTo('both');
    await worker.expireJobs();
    await cancel(await retry(retried));
    assert.deepEqual(await pending(), { ...TEN_MINUTES, ...HOURLY });
  });

  it('retries a change as a whole after a part of it was overwritten and the rest confirmed', async () => {
    const first = await applyTo('both');
    await worker.expireJobs();
    await applyTo('daily');
    assert.deepEqual(await poll(), { ...TEN_MINUTES, ...DAILY });
    await report(org, 'A', { ...FACTORY, ...TEN_MINUTES, ...DAILY });
    assert.equal(await pending(), null);
    await retry(first);
    assert.deepEqual(await pending(), { ...TEN_MINUTES, ...HOURLY });
    await applyAnswer(org, 'A');
    await worker.runJobs();
    const { status, text } = await org.api.post(`/devices/config-jobs/${first}/retry`);
    assert.deepEqual([status, /no failed or timed-out device/.test(text)], [409, true], text);
  });

  it('keeps the refusal of the other settings of a change when one of them is overwritten', async () => {
    await applyTo('both');
    const second = await applyTo('daily');
    await refuse(org, 'A');
    assert.deepEqual([await pending(), await stateOf(second)], [{ ...TEN_MINUTES, ...DAILY }, 'failed']);
    await applyTo('hourly');
    assert.deepEqual(await poll(), HOURLY);
    await report(org, 'A', { ...FACTORY, ...HOURLY });
    const { pendingConfig, syncStatus } = await configOf(org, 'A');
    assert.deepEqual([pendingConfig, syncStatus], [TEN_MINUTES, 'failed']);
  });

  it('returns to what the previous hardware had confirmed when the job is cancelled or the device leaves its group', async () => {
    await applyTo('both');
    await poll();
    await report(org, 'A', { ...FACTORY, ...TEN_MINUTES, ...HOURLY });
    const replace = (newSerialNumber: string) =>
      change('post', `/assets/${assetId}/replace-hardware`, { newSerialNumber });
    const pendingOf = async (serial: string) => (await configOf(org, serial)).pendingConfig;
    const own = await applyTo('daily');
    await replace('B');
    assert.deepEqual(await pendingOf('B'), { ...TEN_MINUTES, ...DAILY });
    await cancel(own);
    assert.deepEqual(await pendingOf('B'), { ...TEN_MINUTES, ...HOURLY });
    // A report of factory settings by the new hardware does not prove that it runs the confirmed
    // configuration.
    await report(org, 'B', FACTORY);
    const { id } = await change('post', '/groups', { name: 'Daily', profileSlug: 'daily' });
    await change('patch', `/assets/${assetId}`, { groupId: id });
    assert.deepEqual(await pendingOf('B'), { ...TEN_MINUTES, ...DAILY });
    await change('patch', `/assets/${assetId}`, { groupId: null });
    assert.deepEqual(await pendingOf('B'), { ...TEN_MINUTES, ...HOURLY });
    await org.device.get('/devices/B/pending-config');
    await report(org, 'B', { ...FACTORY, ...TEN_MINUTES, ...HOURLY });
    const again = await apply(org, 'daily', { serialNumbers: ['B'] });
    await cancel(again);
    assert.equal(await pendingOf('B'), null);
  });

  describe('that was compiled beside settings of a job that is cancelled', () => {
    const HIGH = { type: 'high', channel: 'probe', highC: 8 };
    const SLOW = { ...HIGH, delayMinutes: 30 };

    async function run(profile: object): Promise<void> {
      await createProfile(org, { slug: 'running', ...profile });
      await applyTo('running');
      await applyAnswer(org, 'A');
      await createProfile(org, { slug: 'half-hour', intervals: { measurementIntervalMinutes: 30 } });
    }
    const applyRules = async (slug: string, alert: object) => {
      await createProfile(org, { slug, temperatureAlerts: [alert] });
      return applyTo(slug);
    };
    /** The probe is on channel 3. */
    async function showChannels(serial = 'A'): Promise<void> {
      const measuredAt = new Date().toISOString();
      const types = ['temperature', 'humidity', 'temperature'];
      const readings = types.map((type, index) => ({ channel: index + 1, type, value: 5, measuredAt }));
      const { status, text } = await org.device.post(`/devices/${serial}/measurements`, { readings });
      assert.equal(status, 202, text);
    }
    const slots = async (serial = 'A') =>
      (await configOf(org, serial)).pendingConfig?.alarmRules[0].slotNumbers;
    const runSlow = () => run({ temperatureAlerts: [SLOW], intervals: { measurementIntervalMinutes: 5 } });
    const samples = async () => (await pending()).alarmRules[0].samples;

    it('keeps the delay of running rules at the new interval when one of two jobs that set it is cancelled', async () => {
      await runSlow();
      const first = await applyTo('half-hour');
      const second = await applyTo('half-hour');
      await cancel(first);
      assert.deepEqual([await samples(), (await pending()).measurementPeriodBase], [2, 1_800]);
      await cancel(second);
      assert.equal(await pending(), null);
    });

    it('gets the delay of pending rules back at the running interval when the pending one is cancelled', async () => {
      await runSlow();
      await createProfile(org, { slug: 'warmer', temperatureAlerts: [{ ...SLOW, highC: 9 }] });
      const first = await applyTo('half-hour');
      await applyTo('warmer');
      assert.equal(await samples(), 2);
      await cancel(first);
      assert.equal(await samples(), 7);
    });

    it('schedules all running rules when a job with fewer rules is cancelled', async () => {
      await run({ temperatureAlerts: [HIGH, { type: 'low', channel: 'probe', lowC: 2 }] });
      await createProfile(org, { slug: 'one-alert', temperatureAlerts: [{ ...HIGH, highC: 9 }] });
      const schedule = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'UTC' };
      await createProfile(org, { slug: 'mondays', schedule });
      const first = await applyTo('one-alert');
      await applyTo('mondays');
      await cancel(first);
      const { alarmRules, calendars } = await pending();
      assert.deepEqual([alarmRules, calendars[0].enableRules], [undefined, [0, 1, 2, 3]]);
    });

    it('keeps the delay of rules that follow the channels of the device when a pending interval is cancelled', async () => {
      await runSlow();
      const interval = await applyTo('half-hour');
      await showChannels();
      await cancel(interval);
      const { alarmRules, ...others } = await pending();
      assert.deepEqual([alarmRules[0].slotNumbers, alarmRules[0].samples, others], [[2], 7, {}]);
    });

    it('counts the delay by the present interval of the device when it is retried', async () => {
      await run({ intervals: { measurementIntervalMinutes: 5 } });
      const first = await applyRules('slow', SLOW);
      await worker.expireJobs();
      assert.equal(await samples(), 7);
      await applyTo('half-hour');
      await applyAnswer(org, 'A');
      await retry(first);
      assert.equal(await samples(), 2);
    });

    it('follows the channels that the device has shown since it was withdrawn when it is retried', async () => {
      const first = await applyRules('high', HIGH);
      await worker.expireJobs();
      await change('post', '/devices/A/config/withdraw');
      await showChannels();
      await retry(first);
      assert.deepEqual(await slots(), [2]);
    });

    it('follows the channels of the device beside an interval and a schedule, which each took over a part of it', async () => {
      await run({ intervals: { measurementIntervalMinutes: 5 } });
      await applyRules('slow', SLOW);
      await applyTo('half-hour');
      const schedule = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'UTC' };
      await createProfile(org, { slug: 'mondays', schedule });
      await applyTo('mondays');
      await showChannels();
      assert.deepEqual(await slots(), [2]);
    });

    it('keeps its channel when the same rules of another one were withdrawn after the deadline', async () => {
      await run({ temperatureAlerts: [HIGH] });
      await applyRules('ambient', { ...HIGH, channel: 'ambient' });
      await worker.expireJobs();
      await change('post', '/devices/A/config/withdraw');
      await showChannels();
      assert.deepEqual(await slots(), [2]);
    });

    it('returns to the rules of the replaced logger on the channels of the new one', async () => {
      await run({ temperatureAlerts: [HIGH] });
      const other = await applyRules('ambient', { ...HIGH, channel: 'ambient' });
      await change('post', `/assets/${assetId}/replace-hardware`, { newSerialNumber: 'B' });
      await showChannels('B');
      assert.deepEqual(await slots('B'), [0]);
      await cancel(other);
      assert.deepEqual(await slots('B'), [2]);
    });
  });

  describe('when all pending settings of a device are withdrawn', () => {
    const withdraw = (serial = 'A') => org.api.post(`/devices/${serial}/config/withdraw`);
    const jobOfTarget = async (jobId: string) => {
      const { status, counts } = await jobOf(org, jobId);
      const { items } = (await org.api.get(`/devices/config-jobs/${jobId}/targets`)).body;
      return { status, cancelled: counts.cancelled, reason: items.at(-1).reason };
    };

    it('takes out the settings of all owners, and ends jobs that wait for this device alone', async () => {
      await register(org, 'B');
      await joinGroup();
      const own = await applyTo('daily');
      const shared = await apply(org, 'daily', { serialNumbers: ['A', 'B'] });
      const { status, body } = await withdraw('a');
      assert.equal(status, 200);
      assert.deepEqual(body, await configOf(org, 'A'));
      assert.equal(body.pendingConfig, null);
      assert.equal(await poll(), null);
      const reason = 'all that was pending for the device was withdrawn';
      assert.deepEqual(await jobOfTarget(own), { status: 'cancelled', cancelled: 1, reason });
      assert.deepEqual(await jobOfTarget(shared), { status: 'running', cancelled: 1, reason });
      assert.deepEqual((await configOf(org, 'B')).pendingConfig, DAILY);
    });

    it('takes out settings even after the device refused them or their job timed out, and leaves these targets as they were', async () => {
      const first = await applyTo('both');
      await refuse(org, 'A');
      const failed = await targetOf(first);
      const second = await applyTo('daily');
      await worker.expireJobs();
      const timedOut = await targetOf(second);
      const { body } = await withdraw();
      assert.deepEqual([body.pendingConfig, body.syncStatus], [null, 'applied']);
      assert.deepEqual([failed.state, timedOut.state], ['failed', 'timed_out']);
      assert.deepEqual([await targetOf(first), await targetOf(second)], [failed, timedOut]);
      await applyTo('ten-minutes');
      assert.deepEqual(await pending(), TEN_MINUTES);
    });

    it('cancels targets that are queued for a later stage, and leaves jobs that start later', async () => {
      await register(org, 'B');
      const rollout = { firstPercent: 50 };
      const staged = await apply(org, 'daily', { serialNumbers: ['B', 'A'], rollout });
      const startAt = new Date(Date.now() + 3_600_000).toISOString();
      const scheduled = await apply(org, 'hourly', { serialNumbers: ['A'], startAt });
      const { body } = await withdraw();
      assert.equal(body.pendingConfig, null);
      assert.deepEqual((await jobOf(org, staged)).counts.cancelled, 1);
      assert.equal((await jobOf(org, scheduled)).counts.queued, 1);
    });

    it('changes nothing when nothing is pending', async () => {
      const { status, body } = await withdraw();
      assert.deepEqual([status, body], [200, await configOf(org, 'A')]);
      assert.equal((await withdraw('unknown')).status, 404);
    });

    it('records the pending settings before the withdrawal in the audit trail', async () => {
      await applyTo('daily');
      await withdraw();
      const [entry] = (await org.api.get('/audit?subject=A')).body.items;
      assert.equal(entry.action, 'withdrawDeviceConfig');
      assert.deepEqual([entry.before.pendingConfig, entry.after.pendingConfig], [DAILY, null]);
    });

    it('leaves a consistent state when a job of the device begins and another is cancelled at the same time', async () => {
      const jobId = await applyTo('daily');
      const answers = await Promise.all([
        withdraw(),
        org.api.put('/devices/config-profiles/hourly/apply', { serialNumbers: ['A'] }),
        org.api.post(`/devices/config-jobs/${jobId}/cancel`),
        withdraw(),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409),
        [],
      );
      await withdraw();
      assert.equal(await pending(), null);
      const { items } = (await org.api.get('/devices/config-jobs?status=running')).body;
      assert.deepEqual(items, []);
    });
  });
});
