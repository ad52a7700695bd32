/** Missing runs are started, regardless of faults in others. */
import assert from 'node:assert/strict';
import { composeSlices } from '../../src/compose/slices.ts';
import { query } from '../../src/db/query.ts';
import { createEndpointHealthRepository } from '../../src/endpoints/endpoint-health.repository.ts';
import { createMissingWorkflowsSweep } from '../../src/temporal/start-missing-workflows.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import { deliverWebhooksId, endpointTaskQueue } from '../../src/temporal/workflow-ids.ts';
import { apply, createProfile, eventually, FRIDGE, register } from '../support/fleet.ts';
import { runOf } from '../support/job-runs.ts';
import { openTestResources } from '../support/resources.ts';
import { useService } from '../support/service.ts';

describe('The sweep for missing runs', () => {
  const sweepOf = (rows: number[], poisoned: number[], started: number[]) =>
    createMissingWorkflowsSweep<number>({
      listWithoutWorkflow: async (_, limit) => rows.slice(0, limit),
      start: async (row) => {
        if (poisoned.includes(row)) throw new Error('the run takes no signal');
        started.push(row);
      },
      touchWorkflow: async (row) => void rows.splice(rows.indexOf(row), 1),
      keyOf: String,
      findLastRun: async () => ({ status: 'none', reason: null }),
      checkIntervalMs: 1,
      onStarted: () => {},
      onFault: () => {},
    });

  it('starts the others when the start of one fails', async () => {
    const started: number[] = [];
    await sweepOf([1, 2, 3], [1], started)();
    assert.deepEqual(started, [2, 3]);
  });

  it('starts the others even if more fail than one sweep tries, and these come first each time', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => index);
    const started: number[] = [];
    const sweep = sweepOf(rows, rows.slice(0, 450), started);
    for (let round = 0; round < 4; round++) await sweep();
    assert.deepEqual(
      started,
      Array.from({ length: 50 }, (_, index) => 450 + index),
    );
  });

  it('replaces a run that should have ended its work long ago, and reports it as stuck', async () => {
    const calls: unknown[] = [];
    await createMissingWorkflowsSweep<string>({
      listWithoutWorkflow: async () => ['late'],
      findLastRun: async () => ({ status: 'running', reason: null }),
      isStuck: () => true,
      start: async (row, { replace }) => void calls.push([row, replace]),
      onStarted: (row, { status }) => calls.push([row, status]),
      touchWorkflow: async () => {},
      keyOf: String,
      checkIntervalMs: 1,
      onFault: () => {},
    })();
    assert.deepEqual(calls, [
      ['late', true],
      ['late', 'stuck'],
    ]);
  });

  const dms = useService({ withWorker: false });

  /** Starts runs on a task queue that no worker polls. */
  const elsewhere = () =>
    createStarter({
      client: dms.service.temporal.client,
      taskQueue: 'elsewhere',
      pollIntervalMs: dms.settings.jobPollIntervalMs,
    });

  describe('of jobs', () => {
    /** A job whose run was checked by no worker for an hour, and the id of that run. */
    async function abandonedJob(deadline: string): Promise<{ jobId: string; runId: string }> {
      await register(dms, `DEVICE-${deadline.length}`);
      const slug = await createProfile(dms, { ...FRIDGE, slug: `fridge-${deadline.length}` });
      const jobId = await apply(dms, slug, { applyToAll: true });
      const isStarted = `select 1 from config_jobs where id = ? and workflow_checked_at is not null`;
      await eventually(
        () => query(dms.service.sql, isStarted, [jobId]),
        (rows) => rows.length === 1,
      );
      await query(
        dms.service.sql,
        `update config_jobs set workflow_checked_at = now() - interval '1 hour', deadline_at = now() + ?::interval
         where id = ?`,
        [deadline, jobId],
      );
      return { jobId, runId: (await runOf(dms, jobId).describe()).runId };
    }

    type ConfigJobs = ReturnType<typeof composeSlices>['configJobs'];

    /** With a sweep that looks for runs which have not checked their jobs for ten minutes, and chunks of one device. */
    async function withJobs(work: (jobs: ConfigJobs) => Promise<unknown>): Promise<void> {
      const settings = { ...dms.settings, runCheckIntervalMs: 600_000, applyChunkSize: 1 };
      const resources = openTestResources({ settings });
      await work(composeSlices(resources).configJobs);
      await resources.close();
    }

    const sweep = () => withJobs((jobs) => jobs.startMissingWorkflows());

    it('replaces a run that has not ended its job long after the deadline, and no other', async () => {
      const late = await abandonedJob('-1 hour');
      const inTime = await abandonedJob('1 day');
      await sweep();
      assert.notEqual((await runOf(dms, late.jobId).describe()).runId, late.runId);
      assert.equal((await runOf(dms, inTime.jobId).describe()).runId, inTime.runId);
    });

    it('keeps the run of a job that is ended chunk by chunk, long after its deadline', async () => {
      const { jobId, runId } = await abandonedJob('-10 hours');
      await withJobs(async (jobs) => {
        const last = await jobs.jobRun.endNext({ organizationId: dms.id, jobId }, 'completed', null);
        assert.notEqual(last, null, 'the job has ended already');
        await jobs.startMissingWorkflows();
      });
      assert.equal((await runOf(dms, jobId).describe()).runId, runId);
    });

    it('replaces a run on a task queue that is no longer polled', async () => {
      const { jobId } = await abandonedJob('2 days');
      await elsewhere().startJob({ organizationId: dms.id, jobId }, null, { replace: true });
      await sweep();
      const { taskQueue, status } = await runOf(dms, jobId).describe();
      assert.deepEqual([taskQueue, status.name], [dms.settings.taskQueue, 'RUNNING']);
    });
  });

  describe('of webhooks', () => {
    async function subscribe(): Promise<string> {
      const request = { url: 'http://127.0.0.1:9/events', events: ['config.applied'] };
      const { status, body } = await dms.api.post('/webhooks', request);
      assert.equal(status, 201);
      return body.id;
    }

    it('looks first for the run whose last check is the longest ago', async () => {
      const fail = `update endpoints set breaker = 'open', workflow_checked_at = now() - ?::interval where id = ?`;
      const [first, second, third] = [await subscribe(), await subscribe(), await subscribe()];
      await query(dms.service.sql, fail, ['1 hour', first]);
      await query(dms.service.sql, fail, ['2 hours', second]);
      await query(dms.service.sql, fail, [null, third]);
      const health = createEndpointHealthRepository(dms.service.sql);
      const looked = [];
      for (let turn = 0; turn < 3; turn++) {
        const [endpoint] = await health.listWithoutWorkflow(0, 1);
        assert.ok(endpoint);
        looked.push(endpoint.endpointId);
        await health.touchWorkflow(endpoint);
      }
      assert.deepEqual(looked, [third, second, first]);
    });

    it('is forestalled by a request to retry, which replaces a run on another task queue and counts that', async () => {
      const endpointId = await subscribe();
      const endpointRun = dms.service.temporal.client.workflow.getHandle(deliverWebhooksId(endpointId));
      await elsewhere().startRecovery({ organizationId: dms.id, endpointId });
      assert.equal((await dms.api.post(`/webhooks/${endpointId}/retry`, {})).status, 200);
      await eventually(
        () => endpointRun.describe(),
        ({ taskQueue, status }) =>
          taskQueue === endpointTaskQueue(dms.settings.taskQueue) && status.name === 'RUNNING',
      );
      await eventually(
        async () => (await fetch(dms.metricsUrl)).text(),
        (text) => text.includes('restarted_total{workflow="deliver-webhooks",last="elsewhere"} 1'),
      );
    });
  });
});
