/**
 * Jobs that offer the change in chunks because they have many devices; here chunks of two, for more than
 * eight devices.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import type { RunningPart } from '../../src/process/shutdown.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  inTurns,
  jobOf,
  refuse,
  registerMany,
  report,
  untilEnded,
} from '../support/fleet.ts';
import { nameOf, runOf } from '../support/job-runs.ts';
import { whileDeviceLocked } from '../support/lock-waits.ts';
import { servers } from '../support/servers.ts';
import { useOrganization, useService } from '../support/service.ts';

const CHUNK = 2;
const DEVICES = 9;
/** The step is with a worker (`PENDING_ACTIVITY_STATE_STARTED` of Temporal). */
const STARTED = 2;
const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };
const WEEKLY = { slug: 'weekly', intervals: { transmissionIntervalSeconds: 604_800 } };

describe('A job of many devices', () => {
  const dms = useService({
    withWorker: false,
    settings: { applyChunkSize: CHUNK, largeJobDevices: 4 * CHUNK },
  });
  const org = useOrganization(dms);
  let serials: string[];
  let worker: RunningPart | null = null;

  after(() => worker?.stop(1_000));
  beforeEach(async () => {
    for (const profile of [DAILY, WEEKLY]) await createProfile(org, profile);
    serials = await registerMany(org, DEVICES);
  });

  /** Runs from the first test that needs it to the last. */
  const startWorker = async () => {
    worker ??= await dms.service.startWorker((await servers()).workflowBundle);
  };
  const untilCounted = (jobId: string, expected: object) =>
    eventually(
      async () => (await jobOf(org, jobId)).counts,
      (counts) => Object.entries(expected).every(([state, count]) => counts[state] === count),
    );
  const stateOf = async (jobId: string, serial: string) => {
    const { body } = await org.api.get(`/devices/config-jobs/${jobId}/targets?limit=500`);
    return body.items.find((target: { serialNumber: string }) => target.serialNumber === serial).state;
  };

  /** Runs `work` while another connection has locked the device, so a chunk with it waits. */
  const whileLocked = async <T>(serial: string, work: () => Promise<T>) =>
    whileDeviceLocked(dms.service.sql, (await configOf(org, serial)).assetId, work);

  it('stores the job whole in the request, without waiting for a device or changing one', async () => {
    await whileLocked(serials[3] as string, async () => {
      const { status, body } = await org.api.put('/devices/config-profiles/daily/apply', {
        applyToAll: true,
      });
      assert.equal(status, 200);
      assert.deepEqual([body.appliedCount, body.applied], [DEVICES, serials]);
      const job = await jobOf(org, body.jobId);
      assert.deepEqual([job.status, job.total, job.counts.queued], ['running', DEVICES, DEVICES]);
    });
    for (const serial of serials) assert.equal((await configOf(org, serial)).pendingConfig, null);
  });

  it('stores nothing of a job whose request fails half-way', async () => {
    const [seventh] = await query<{ id: string }>(
      dms.service.sql,
      'select id from assets where organization_id = ? order by id offset 6 limit 1',
      [org.id],
    );
    await query(
      dms.service.sql,
      `alter table config_targets add constraint refused check (asset_id <> '${seventh?.id}') not valid`,
    );
    const { status } = await org.api.put('/devices/config-profiles/daily/apply', { applyToAll: true });
    await query(dms.service.sql, 'alter table config_targets drop constraint refused');
    assert.equal(status, 500);
    assert.deepEqual((await org.api.get('/devices/config-jobs')).body.items, []);
  });

  it('answers reports of devices in a waiting chunk and in chunks that have not begun', async () => {
    const jobId = await apply(org, 'daily', { applyToAll: true });
    await startWorker();
    await whileLocked(serials[3] as string, async () => {
      await untilCounted(jobId, { waiting: CHUNK });
      for (const serial of [serials[0], serials[8]] as string[]) {
        assert.equal((await report(org, serial, FACTORY)).status, 200);
      }
      assert.equal((await jobOf(org, jobId)).counts.queued, DEVICES - CHUNK);
    });
    await untilCounted(jobId, { queued: 0 });
  });

  it('waits for devices in two chunks of its organization at most, while jobs of others go on', async () => {
    await startWorker();
    const jobIds: string[] = [];
    await whileLocked(serials[0] as string, async () => {
      for (const slug of ['daily', 'weekly', 'daily', 'weekly'])
        jobIds.push(await apply(org, slug, { applyToAll: true }));
      for (const jobId of jobIds) await untilBeginning(jobId);
      await eventually(countWaiting, (count) => count === 2);
      const other = await dms.addOrganization();
      await createProfile(other, DAILY);
      await registerMany(other, DEVICES);
      const otherId = await apply(other, 'daily', { applyToAll: true });
      await eventually(
        () => jobOf(other, otherId),
        ({ counts }) => counts.waiting === DEVICES,
      );
      assert.equal(await countWaiting(), 2);
    });
    await untilCounted(jobIds[3] as string, { waiting: DEVICES });
  });

  /** The worker has the step that offers the first stage. */
  const untilBeginning = (jobId: string) =>
    eventually(
      () => runOf(dms, jobId).describe().catch(nameOf),
      (seen) => {
        const [step] = (typeof seen !== 'string' && seen.raw.pendingActivities) || [];
        return step?.activityType?.name === 'beginStage' && step.state === STARTED;
      },
    );

  /** Number of transactions that wait for a device. */
  async function countWaiting(): Promise<number> {
    const rows = await query(
      dms.service.sql,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like '%device_configs%'`,
    );
    return rows.length;
  }

  describe('when cancelled', () => {
    let jobId: string;

    const cancel = () => org.api.post(`/devices/config-jobs/${jobId}/cancel`);
    const pendingOf = async (serial: string) => (await configOf(org, serial)).pendingConfig;

    /** Cancels the job while one of its chunks waits for the locked device. */
    async function cancelWhileOffering(serial: string): Promise<void> {
      jobId = await apply(org, 'daily', { applyToAll: true });
      await startWorker();
      const answer = await whileLocked(serial, async () => {
        await untilCounted(jobId, { waiting: CHUNK });
        // The cancel waits for the job, which the chunk has locked, but not for devices.
        return { cancelled: cancel() };
      });
      const { status, body } = await answer.cancelled;
      assert.equal(status, 200);
      assert.ok(body.cancelRequestedAt);
    }

    it('withdraws the change in chunks, and ends when no device is offered it any more', async () => {
      await cancelWhileOffering(serials[3] as string);
      const job = await untilEnded(org, jobId);
      assert.deepEqual([job.status, job.counts.cancelled], ['cancelled', DEVICES]);
      for (const serial of serials) assert.equal(await pendingOf(serial), null);
    });

    it('answers a cancel before any device is locked, keeps running until the last one is done, and counts one that reports meanwhile', async () => {
      jobId = await apply(org, 'daily', { applyToAll: true });
      await startWorker();
      await untilCounted(jobId, { waiting: DEVICES });
      await whileLocked(serials[3] as string, async () => {
        const { status, body } = await cancel();
        assert.deepEqual([status, body.status], [200, 'running']);
        await untilCounted(jobId, { cancelled: CHUNK });
        assert.equal((await jobOf(org, jobId)).status, 'running');
        assert.notEqual(await pendingOf(serials[8] as string), null);
        // Its chunk has not begun.
        await applyAnswer(org, serials[8] as string);
      });
      const { status, counts } = await untilEnded(org, jobId);
      assert.deepEqual([status, counts.applied, counts.cancelled], ['cancelled', 1, DEVICES - 1]);
    });

    it('never starts a cancelled job that was scheduled', async () => {
      const startAt = new Date(Date.now() + 3_600_000).toISOString();
      jobId = await apply(org, 'daily', { applyToAll: true, startAt });
      await startWorker();
      await cancel();
      const job = await untilEnded(org, jobId);
      assert.deepEqual([job.status, job.counts.cancelled], ['cancelled', DEVICES]);
      for (const serial of serials) assert.equal(await pendingOf(serial), null);
    });
  });

  it('lets a later job with the same keys take over devices, whether they are offered the change or queued', async () => {
    const jobId = await apply(org, 'daily', { applyToAll: true });
    await startWorker();
    const later = await whileLocked(serials[3] as string, async () => {
      await untilCounted(jobId, { waiting: CHUNK });
      return apply(org, 'weekly', { serialNumbers: [serials[0], serials[8]] });
    });
    await untilCounted(jobId, { superseded: 2, queued: 0 });
    assert.equal(await stateOf(later, serials[8] as string), 'waiting');
    for (const serial of [serials[0], serials[8]] as string[]) {
      assert.equal((await configOf(org, serial)).pendingConfig.transmissionInterval, 604_800);
    }
  });

  it('offers the change to the rest only after the first stage of a rollout runs it', async () => {
    const rollout = { firstPercent: 50, minAppliedPercent: 100, abortFailedPercent: 50 };
    const jobId = await apply(org, 'daily', { applyToAll: true, rollout });
    await startWorker();
    await untilCounted(jobId, { waiting: 5, queued: 4 });
    for (const serial of serials.slice(0, 5)) await applyAnswer(org, serial);
    await untilCounted(jobId, { applied: 5, waiting: 4, queued: 0 });
  });

  it('compiles for the capabilities that a device has reported since the request', async () => {
    const alerts = [{ type: 'high', channel: 'probe', highC: 30 }];
    await createProfile(org, { slug: 'room', temperatureAlerts: alerts });
    const serial = serials[8] as string;
    await startWorker();
    const jobId = await whileLocked(serials[0] as string, async () => {
      const id = await apply(org, 'room', { applyToAll: true });
      await query(
        dms.service.sql,
        `update device_configs set reported_channel_types = '{2,1}', channels_reported = true
         where organization_id = ? and asset_id = ?`,
        [org.id, (await configOf(org, serial)).assetId],
      );
      return id;
    });
    await untilCounted(jobId, { waiting: DEVICES });
    const slotsOf = async (each: string) =>
      (await configOf(org, each)).pendingConfig.alarmRules[0].slotNumbers;
    assert.notDeepEqual(await slotsOf(serial), await slotsOf(serials[0] as string));
  });

  /** Returns the id of the job. */
  async function applyInVain(): Promise<string> {
    const jobId = await apply(org, 'daily', { applyToAll: true });
    await startWorker();
    await untilCounted(jobId, { waiting: DEVICES });
    await inTurns(serials, 4, (serial) => refuse(org, serial));
    await untilEnded(org, jobId);
    return jobId;
  }

  it('withdraws the change of the retried job, too, when a retry is cancelled before it has reached every device', async () => {
    const jobId = await applyInVain();
    const retryId = await whileLocked(serials[0] as string, async () => {
      const { body } = await org.api.post(`/devices/config-jobs/${jobId}/retry`);
      assert.equal(body.counts.queued, DEVICES);
      return { id: body.id, cancelled: org.api.post(`/devices/config-jobs/${body.id}/cancel`) };
    }).then(async ({ id, cancelled }) => {
      assert.equal((await cancelled).status, 200);
      return id;
    });
    assert.equal((await untilEnded(org, retryId)).status, 'cancelled');
    for (const serial of serials) {
      const { pendingConfig, syncStatus } = await configOf(org, serial);
      assert.deepEqual([pendingConfig, syncStatus], [null, 'applied']);
    }
  });

  it('retries failed devices in chunks, too', async () => {
    const jobId = await applyInVain();
    const { status, body } = await org.api.post(`/devices/config-jobs/${jobId}/retry`);
    assert.deepEqual([status, body.total], [201, DEVICES]);
    await inTurns(serials, 4, (serial) =>
      eventually(
        () => org.device.get(`/devices/${serial}/pending-config`),
        (answer) => answer.status === 200,
      ),
    );
  });
});
