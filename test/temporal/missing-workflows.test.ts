/** Missing runs are started, regardless of faults in others. */
import assert from 'node:assert/strict';
import { openResources } from '../../src/compose/resources.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import { query } from '../../src/db/query.ts';
import { createLog } from '../../src/process/log.ts';
import { createMissingWorkflowsSweep } from '../../src/temporal/start-missing-workflows.ts';
import { apply, createProfile, eventually, FRIDGE, register } from '../support/fleet.ts';
import { runOf } from '../support/job-runs.ts';
import { startService, type TestService } from '../support/service.ts';

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

  describe('of jobs', () => {
    let dms: TestService;
    before(async () => {
      dms = await startService({ withWorker: false });
    });
    after(() => dms.stop());

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

    async function sweep(): Promise<void> {
      const resources = openResources({
        settings: dms.settings,
        log: createLog('silent'),
        now: () => new Date(),
      });
      await composeSlices(resources).configJobs.startMissingWorkflows();
      await resources.sql.destroy();
      await resources.temporal.close();
    }

    it('replaces a run that has not ended its job long after the deadline, and no other', async () => {
      const late = await abandonedJob('-1 hour');
      const inTime = await abandonedJob('1 day');
      await sweep();
      assert.notEqual((await runOf(dms, late.jobId).describe()).runId, late.runId);
      assert.equal((await runOf(dms, inTime.jobId).describe()).runId, inTime.runId);
    });
  });
});
