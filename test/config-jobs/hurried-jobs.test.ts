/** Jobs that somebody hurries, or gives more time. */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FRIDGE,
  jobOf,
  refuse,
  registerMany,
} from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const SLUG = 'vaccine-fridge';
const HALF_FIRST = { firstPercent: 50, minAppliedPercent: 100, abortFailedPercent: 100 };

describe('A job', () => {
  const dms = useService({ withWorker: false });
  const worker = useSteps(dms);

  before(() => createProfile(dms, FRIDGE));

  let jobs = 0;
  async function job(more: object = {}): Promise<{ jobId: string; serials: [string, string] }> {
    const serials = (await registerMany(dms, 2, `HURRIED-${++jobs}`)) as [string, string];
    return { jobId: await apply(dms, SLUG, { serialNumbers: serials, ...more }), serials };
  }
  const proceed = (jobId: string) => dms.api.post(`/devices/config-jobs/${jobId}/proceed`);
  const extend = (jobId: string, deadlineAt: string) =>
    dms.api.post(`/devices/config-jobs/${jobId}/extend`, { deadlineAt });
  /** The end follows the clock of the database. */
  const passDeadline = (jobId: string) =>
    query(
      dms.service.sql,
      `update config_jobs set deadline_at = now() - interval '1 second' where organization_id = ? and id = ?`,
      [dms.id, jobId],
    );
  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();

  describe('with a rollout', () => {
    it('begins its second stage when somebody orders it, also when the order is repeated', async () => {
      const { jobId, serials } = await job({ rollout: HALF_FIRST });
      await worker.runJobs();
      assert.equal((await jobOf(dms, jobId)).counts.queued, 1);
      assert.equal((await proceed(jobId)).status, 200);
      assert.equal((await proceed(jobId)).status, 200);
      await worker.runJobs();
      const { counts, status } = await jobOf(dms, jobId);
      assert.deepEqual([status, counts.queued, counts.waiting], ['running', 0, 2]);
      for (const serial of serials) assert.notEqual((await configOf(dms, serial)).pendingConfig, null);
      assert.equal((await proceed(jobId)).status, 409);
    });

    it('aborts when too many devices have failed, although it was ordered to proceed', async () => {
      const { jobId, serials } = await job({ rollout: { ...HALF_FIRST, abortFailedPercent: 1 } });
      const states = await Promise.all(serials.map((serial) => configOf(dms, serial)));
      const first = serials[states.findIndex(({ pendingConfig }) => pendingConfig !== null)] as string;
      assert.equal((await proceed(jobId)).status, 200);
      await refuse(dms, first);
      await worker.runJobs();
      assert.equal((await jobOf(dms, jobId)).status, 'aborted');
    });
  });

  it('refuses to proceed in its last stage, before its start, and after its end', async () => {
    const { jobId, serials } = await job();
    assert.match((await proceed(jobId)).body.message, /last stage/);
    const scheduled = await job({ startAt: inHours(1), rollout: HALF_FIRST });
    assert.match((await proceed(scheduled.jobId)).body.message, /has not started/);
    for (const serial of serials) await applyAnswer(dms, serial);
    await worker.runJobs();
    assert.match((await proceed(jobId)).body.message, /it is succeeded/);
  });

  it('takes a later deadline only, up to 30 days ahead', async () => {
    const { jobId } = await job({ deadlineMinutes: 120 });
    for (const deadlineAt of [inHours(1), inHours(-1), inHours(31 * 24)])
      assert.equal((await extend(jobId, deadlineAt)).status, 400, deadlineAt);
    const deadlineAt = inHours(5);
    assert.equal((await extend(jobId, deadlineAt)).body.deadlineAt, deadlineAt);
    assert.equal((await extend(jobId, deadlineAt)).status, 200);
    assert.equal((await jobOf(dms, jobId)).deadlineAt, deadlineAt);
  });

  it('continues when its deadline is moved while its run is about to end it', async () => {
    const { jobId, serials } = await job({ deadlineMinutes: 60 });
    assert.equal((await extend(jobId, inHours(5))).status, 200);
    await worker.endLate(jobId);
    assert.equal((await jobOf(dms, jobId)).status, 'running');
    await passDeadline(jobId);
    await worker.endLate(jobId);
    const { status, counts } = await jobOf(dms, jobId);
    assert.deepEqual([status, counts.timedOut], ['completed_with_failures', 2]);
    assert.notEqual((await configOf(dms, serials[0])).pendingConfig, null);
  });

  it('begins its next stage although its run was about to end it when the deadline was moved', async () => {
    const { jobId } = await job({ rollout: HALF_FIRST });
    assert.equal((await proceed(jobId)).status, 200);
    assert.equal((await extend(jobId, inHours(99))).status, 200);
    await worker.endLate(jobId);
    const { status, counts } = await jobOf(dms, jobId);
    assert.deepEqual([status, counts.queued], ['running', 1]);
  });

  it('keeps its end once the deadline has passed', async () => {
    const { jobId } = await job({ deadlineMinutes: 60 });
    await passDeadline(jobId);
    const { status, body } = await extend(jobId, inHours(9));
    assert.deepEqual([status, /has passed/.test(body.message)], [409, true]);
  });

  it('refuses both orders while it is being cancelled', async () => {
    const { jobId } = await job({ rollout: HALF_FIRST });
    assert.equal((await dms.api.post(`/devices/config-jobs/${jobId}/cancel`)).status, 200);
    assert.equal((await proceed(jobId)).status, 409);
    assert.equal((await extend(jobId, inHours(99))).status, 409);
  });
});
