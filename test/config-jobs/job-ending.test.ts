/** Ending a job before all its devices have settled, in chunks; a chunk here has three devices. */
import assert from 'node:assert/strict';
import { createChangesService } from '../../src/config-jobs/changes.service.ts';
import type { JobRef } from '../../src/config-jobs/config-job.ts';
import { createConfigJobsRepository } from '../../src/config-jobs/config-jobs.repository.ts';
import { createConfigTargetsRepository } from '../../src/config-jobs/config-targets.repository.ts';
import { createDeviceTargetsRepository } from '../../src/config-jobs/device-targets.repository.ts';
import { createFinishJob, createJobEnding, type Ending } from '../../src/config-jobs/job-ending.service.ts';
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createTransact, type Transaction } from '../../src/db/transaction.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../../src/devices/configurations.repository.ts';
import { createPendingChangesRepository } from '../../src/devices/pending-changes.repository.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FACTORY,
  jobOf,
  refuse,
  registerMany,
} from '../support/fleet.ts';
import { untilLockWaits, whileDeviceLocked } from '../support/lock-waits.ts';
import { useOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const CHUNK = 3;
const DEVICES = 8;
/** More than four chunks. */
const LARGE = 13;
const EVERY_MINUTE = { ...FACTORY, transmissionInterval: 60 };

describe('The end of a job in chunks', () => {
  const dms = useService({
    withWorker: false,
    settings: { applyChunkSize: CHUNK, largeJobDevices: 4 * CHUNK },
  });
  const steps = useSteps(dms);
  const org = useOrganization(dms);
  let serials: string[];
  let job: JobRef;
  let published: number;
  const cache = createConfigurationCache();

  const jobEnding = createJobEnding({
    pendingIn: createPendingChangesRepository,
    targetsIn: createConfigTargetsRepository,
    changes: createChangesService({
      configurationsIn: (sql) => createConfigurationsRepository(sql, cache),
      pendingIn: createPendingChangesRepository,
      deviceTargetsIn: createDeviceTargetsRepository,
      onAlertRulesChanged: async () => {},
      nextTurn: async () => {},
      now: () => new Date(),
    }),
    finishJob: createFinishJob({
      jobsIn: createConfigJobsRepository,
      publish: async (_tx, events) => {
        published += events.length;
      },
      now: () => new Date(),
    }),
    chunkSize: CHUNK,
  });

  beforeEach(async () => {
    published = 0;
    await createProfile(org, { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } });
    serials = await registerMany(org, DEVICES);
    job = { organizationId: org.id, jobId: await apply(org, 'daily', { applyToAll: true }) };
  });

  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    createTransact(dms.service.sql)(work);
  const endNext = (ending: Ending, after: string | null) =>
    inTransaction((tx) => jobEnding.endNext(tx, job, ending, after));
  async function endAll(ending: Ending): Promise<void> {
    let after = await endNext(ending, null);
    while (after !== null) after = await endNext(ending, after);
  }
  const countOf = async (sql: Sql, condition: string, bindings: string[]) => {
    const [row] = await query<{ count: number }>(sql, `select count(*) from ${condition}`, bindings);
    return row?.count;
  };
  /** Number of locked devices of the organization, whichever transaction holds them. */
  const lockedCount = async () => {
    const active = await countOf(dms.service.sql, 'device_configs where organization_id = ?', [org.id]);
    const [row] = await query<{ count: number }>(
      dms.service.sql,
      `select count(*) from (
         select from device_configs where organization_id = ? for no key update skip locked
       ) as free`,
      [org.id],
    );
    return (active ?? 0) - (row?.count ?? 0);
  };
  const stateCount = (state: string) =>
    countOf(dms.service.sql, 'config_targets where job_id = ? and state = ?', [job.jobId, state]);
  const passDeadline = () =>
    query(
      dms.service.sql,
      'update config_jobs set deadline_at = now() where organization_id = ? and id = ?',
      [org.id, job.jobId],
    );

  for (const ending of ['cancelled', 'aborted', 'completed'] as const) {
    it(`locks no more devices than a chunk has (${ending})`, async () => {
      await inTransaction(async (tx) => {
        assert.notEqual(await jobEnding.endNext(tx, job, ending, null), null);
        assert.equal(await lockedCount(), CHUNK);
      });
    });
  }

  it('goes on with the remaining devices after a process was killed in a chunk, and publishes the event once', async () => {
    const first = await endNext('cancelled', null);
    const killed = inTransaction(async (tx) => {
      await jobEnding.endNext(tx, job, 'cancelled', first);
      throw new Error('killed');
    });
    await assert.rejects(killed, /killed/);
    assert.equal(await stateCount('cancelled'), CHUNK);
    assert.equal(published, 0);
    await endAll('cancelled');
    assert.deepEqual([await stateCount('cancelled'), published], [DEVICES, 1]);
    for (const serial of serials) assert.equal((await configOf(org, serial)).pendingConfig, null);
  });

  it('keeps the change of a device that confirmed it between the listing and the lock of its chunk', async () => {
    const { body } = await org.api.get('/assets');
    const [, second] = body.items;
    const waiting = await whileDeviceLocked(dms.service.sql, body.items[0].id, async () => {
      const ended = endNext('cancelled', null);
      await untilLockWaits(dms.service.sql, 1);
      await applyAnswer(org, second.serialNumber);
      return { ended };
    });
    await waiting.ended;
    assert.deepEqual([await stateCount('applied'), await stateCount('cancelled')], [1, CHUNK - 1]);
  });

  it('offers the change to no further device of a stage once the deadline has passed', async () => {
    const rollout = { firstPercent: 10 };
    job = { organizationId: org.id, jobId: await apply(org, 'daily', { serialNumbers: serials, rollout }) };
    assert.equal((await org.api.post(`/devices/config-jobs/${job.jobId}/proceed`)).status, 200);
    await steps.runJob(job, passDeadline);
    const { status, counts } = await jobOf(org, job.jobId);
    assert.deepEqual([status, counts.timedOut], ['completed_with_failures', DEVICES]);
    const unoffered = `config_targets where job_id = ? and reason = 'the deadline passed before its stage began'`;
    assert.equal(await countOf(dms.service.sql, unoffered, [job.jobId]), DEVICES - 1 - CHUNK);
  });

  it('offers the change to no further device of a stage once too many have refused it', async () => {
    const rollout = { firstPercent: 10, abortFailedPercent: 50 };
    job = { organizationId: org.id, jobId: await apply(org, 'daily', { serialNumbers: serials, rollout }) };
    assert.equal((await org.api.post(`/devices/config-jobs/${job.jobId}/proceed`)).status, 200);
    const ofFirstChunk = serials.slice(1, 1 + CHUNK);
    await steps.runJob(job, async () => {
      for (const serial of ofFirstChunk.splice(0)) await refuse(org, serial);
    });
    const { status, reason, counts } = await jobOf(org, job.jobId);
    assert.deepEqual(
      [status, reason, counts.failed],
      ['aborted', 'too many devices failed: 3 of 4, at 50 % the job ends', CHUNK],
    );
  });

  describe('when large and cancelled', () => {
    const cancel = () => org.api.post(`/devices/config-jobs/${job.jobId}/cancel`);

    beforeEach(async () => {
      await registerMany(org, LARGE - DEVICES, 'MORE');
      job = { organizationId: org.id, jobId: await apply(org, 'daily', { applyToAll: true }) };
    });

    it('accepts a second cancel until the job has ended, without a row of the audit trail, and refuses it afterwards', async () => {
      const { status, body: first } = await cancel();
      assert.deepEqual([status, first.status, first.counts.queued], [200, 'running', LARGE]);
      const { status: again, body: second } = await cancel();
      assert.deepEqual([again, second], [200, first]);
      assert.equal((await org.api.get(`/audit?subject=${job.jobId}`)).body.items.length, 1);
      await endAll('cancelled');
      const { status: refused, body } = await cancel();
      assert.deepEqual([refused, body.message], [409, 'The job is not running: it is cancelled']);
    });

    for (const [ended, prepare] of [
      ['timed out', passDeadline],
      ['aborted', async () => {}],
    ] as const) {
      it(`withdraws the change also from devices whose targets its run has ${ended} or left failed before`, async () => {
        const rollout = { firstPercent: 60, abortFailedPercent: 1 };
        await createProfile(org, { slug: 'hourly', intervals: { transmissionIntervalSeconds: 3_600 } });
        job = { organizationId: org.id, jobId: await apply(org, 'hourly', { applyToAll: true, rollout }) };
        await steps.runJob(job);
        const [first] = serials as [string];
        await refuse(org, first, { running: EVERY_MINUTE });
        for (const serial of serials) assert.notEqual((await configOf(org, serial)).pendingConfig, null);
        await prepare();
        await steps.runJob(job, cancel);
        const { status, reason } = await jobOf(org, job.jobId);
        assert.deepEqual([status, reason], ['cancelled', null]);
        for (const serial of serials) assert.equal((await configOf(org, serial)).pendingConfig, null, serial);
      });
    }

    it('refuses a retry before the job has ended', async () => {
      await cancel();
      const { status, body } = await org.api.post(`/devices/config-jobs/${job.jobId}/retry`);
      assert.deepEqual(
        [status, body.message],
        [409, 'The job is being cancelled: retry it when it has ended'],
      );
    });
  });

  describe('when aborted', () => {
    const call = (action: string, body?: object) =>
      org.api.post(`/devices/config-jobs/${job.jobId}/${action}`, body);

    /** Its only device so far refuses the change. */
    async function applyBadly(): Promise<void> {
      await createProfile(org, { slug: 'hourly', intervals: { transmissionIntervalSeconds: 3_600 } });
      const rollout = { firstPercent: 10, abortFailedPercent: 100 };
      job = {
        organizationId: org.id,
        jobId: await apply(org, 'hourly', { serialNumbers: serials, rollout }),
      };
      const [serial] = serials as [string];
      await refuse(org, serial, { running: EVERY_MINUTE });
    }
    beforeEach(applyBadly);

    it('refuses to proceed, and another deadline, once the abort has begun', async () => {
      await steps.beginAbort(job.jobId);
      const deadlineAt = new Date(Date.now() + 10 * 86_400_000).toISOString();
      for (const { status, body } of [await call('proceed'), await call('extend', { deadlineAt })])
        assert.deepEqual([status, body.message], [409, 'The job is being aborted']);
    });

    it('ends as aborted although its deadline passes before the last chunk', async () => {
      await steps.beginAbort(job.jobId);
      await steps.endLate(job.jobId);
      const { status, counts } = await jobOf(org, job.jobId);
      assert.deepEqual([status, counts.timedOut], ['aborted', 0]);
    });
  });

  it('does not abort a job that was told to proceed just before', async () => {
    const rollout = { firstPercent: 25, abortFailedPercent: 100 };
    const [failing, applying] = serials as [string, string];
    await createProfile(org, { slug: 'hourly', intervals: { transmissionIntervalSeconds: 3_600 } });
    const jobId = await apply(org, 'hourly', { serialNumbers: serials, rollout });
    await applyAnswer(org, applying);
    await refuse(org, failing, { running: EVERY_MINUTE });
    assert.equal((await org.api.post(`/devices/config-jobs/${jobId}/proceed`)).status, 200);
    await steps.beginAbort(jobId);
    const { status, reason, counts } = await jobOf(org, jobId);
    assert.deepEqual([status, reason, counts.cancelled], ['running', null, 0]);
  });
});
