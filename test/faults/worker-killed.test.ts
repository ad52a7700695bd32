/**
 * A worker that is killed in steps of three jobs, one of them so large that it is offered in chunks, and one
 * of that size that was cancelled: another worker beside it continues.
 */
import assert from 'node:assert/strict';
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { applyProfileId, TARGETS_CHANGED_SIGNAL } from '../../src/temporal/workflow-ids.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { runOf, untilIdle } from '../support/job-runs.ts';
import { whileDeviceLocked, whileLocked } from '../support/lock-waits.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { endAll, environmentOf, type Running, startWorkerProcess } from '../support/stack.ts';
import { FRIDGE_SLUG } from './harness.ts';

after(endAll);

const CHUNK = 2;
const MANY = 9;

/** An arbitrary number. */
const STEP_LOCK = 4_711;

/** The step is with a worker (`PENDING_ACTIVITY_STATE_STARTED` of Temporal). */
const STARTED = 2;

/** From now on a step of the job's run that records its check waits while another transaction holds the lock. */
async function makeStepsWait(sql: Sql, jobId: string): Promise<void> {
  await query(
    sql,
    `create function wait_for_step_lock() returns trigger language plpgsql as $$
     begin
       perform pg_advisory_xact_lock_shared(${STEP_LOCK});
       return new;
     end $$`,
  );
  await query(
    sql,
    `create trigger config_jobs_wait before update on config_jobs for each row
     when (old.id = '${jobId}') execute function wait_for_step_lock()`,
  );
}

describe('A worker that is killed during a job', () => {
  const dms = useService({
    withWorker: false,
    settings: { applyChunkSize: CHUNK, largeJobDevices: 4 * CHUNK },
  });
  let killed: Running;
  let large: TestOrganization;
  let cancelling: TestOrganization;

  const startWorker = () =>
    startWorkerProcess({
      ...environmentOf(dms.settings),
      APPLY_CHUNK_SIZE: `${CHUNK}`,
      LARGE_JOB_DEVICES: `${4 * CHUNK}`,
    });

  before(async () => {
    killed = await startWorker();
    large = await dms.addOrganization();
    cancelling = await dms.addOrganization();
    for (const organization of [large, cancelling]) await registerMany(organization, MANY);
    for (const organization of [dms, large, cancelling]) await createProfile(organization, FRIDGE);
  });

  /** Begins a job of five chunks, whose third one waits for a device while `work` runs. */
  async function betweenChunks(work: () => Promise<void>): Promise<string> {
    const { body } = await large.api.get('/assets');
    const { assetId } = await configOf(large, body.items[2 * CHUNK].serialNumber);
    return whileDeviceLocked(dms.service.sql, assetId, async () => {
      const jobId = await apply(large, FRIDGE_SLUG, { applyToAll: true });
      await eventually(
        () => jobOf(large, jobId),
        ({ counts }) => counts.waiting === 2 * CHUNK,
      );
      await work();
      return jobId;
    });
  }

  /** Cancels a job of five chunks, whose third one waits for a device while `work` runs. */
  async function betweenCancels(work: () => Promise<void>): Promise<string> {
    const { body } = await cancelling.api.get('/assets');
    const { assetId } = await configOf(cancelling, body.items[2 * CHUNK].serialNumber);
    const jobId = await apply(cancelling, FRIDGE_SLUG, { applyToAll: true });
    await untilCounted(cancelling, jobId, ({ waiting }) => waiting === MANY);
    return whileDeviceLocked(dms.service.sql, assetId, async () => {
      await cancelling.api.post(`/devices/config-jobs/${jobId}/cancel`);
      await untilCounted(cancelling, jobId, ({ cancelled }) => cancelled === 2 * CHUNK);
      await work();
      return jobId;
    });
  }

  const untilCounted = (
    organization: TestOrganization,
    jobId: string,
    holds: (counts: Record<string, number>) => boolean,
  ) =>
    eventually(
      () => jobOf(organization, jobId),
      ({ counts }) => holds(counts),
    );

  /** After this time Temporal gives a step or a turn of these runs to another worker. */
  async function noticesDeathWithinSeconds(jobIds: string[]): Promise<number> {
    const histories = await Promise.all(jobIds.map((jobId) => runOf(dms, jobId).fetchHistory()));
    const timeouts = histories
      .flatMap(({ events }) => events ?? [])
      .flatMap(
        ({ activityTaskScheduledEventAttributes: step, workflowTaskScheduledEventAttributes: turn }) => [
          ...(step ? [step.heartbeatTimeout] : []),
          ...(turn ? [turn.startToCloseTimeout] : []),
        ],
      );
    return Math.max(...timeouts.map((timeout) => Number(timeout?.seconds) || Number.POSITIVE_INFINITY));
  }

  /** A worker waits within it for the counts of the job, which another transaction has locked. */
  async function untilInStep(jobId: string): Promise<void> {
    await eventually(
      () => runOf(dms, jobId).describe(),
      ({ raw }) => raw.pendingActivities?.[0]?.state === STARTED,
    );
  }

  it('hands over within 20 seconds to another worker, which counts intermediate reports, and offers or cancels the remaining chunks', async () => {
    const serials = (await registerMany(dms, 3)) as [string, string, string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials });
    await applyAnswer(dms, serials[0]);
    await untilIdle(dms, jobId, /applied: 1/);
    await makeStepsWait(dms.service.sql, jobId);
    let largeId = '';
    const killWorker = () =>
      whileLocked(dms.service.sql, `select pg_advisory_xact_lock(${STEP_LOCK})`, async () => {
        await dms.service.temporal.client.workflow
          .getHandle(applyProfileId(jobId))
          .signal(TARGETS_CHANGED_SIGNAL, []);
        await untilInStep(jobId);
        await startWorker();
        await killed.end('SIGKILL');
      });
    const cancelledId = await betweenCancels(async () => {
      largeId = await betweenChunks(killWorker);
    });
    await applyAnswer(dms, serials[1]);
    await applyAnswer(dms, serials[2]);
    const { status, counts } = await untilEnded(dms, jobId);
    assert.equal(status, 'succeeded');
    assert.equal(counts.applied, 3);
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 3 applied');
    await eventually(
      () => jobOf(large, largeId),
      ({ counts: { waiting, queued } }) => waiting === MANY && queued === 0,
    );
    const cancelled = await untilEnded(cancelling, cancelledId);
    assert.deepEqual([cancelled.status, cancelled.counts.cancelled], ['cancelled', MANY]);
    const noticedSeconds = await noticesDeathWithinSeconds([jobId, largeId, cancelledId]);
    assert.ok(noticedSeconds < 20, `noticed after ${noticedSeconds} s`);
    const revisions = 'select distinct revision from device_configs where organization_id = ?';
    assert.deepEqual(await query(dms.service.sql, revisions, [large.id]), [{ revision: 1 }]);
  });
});
