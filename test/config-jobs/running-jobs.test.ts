/**
 * Counts of jobs of all organizations, for operators. The tests move times in the rows and wait for no
 * deadline.
 */
import assert from 'node:assert/strict';
import { createJobRunsRepository } from '../../src/config-jobs/job-runs.repository.ts';
import { query } from '../../src/db/query.ts';
import { createProfile, FRIDGE, register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';

describe('The counts of running jobs', () => {
  const dms = useService({ withWorker: false });

  before(async () => {
    const slug = await createProfile(dms, FRIDGE);
    for (const serialNumber of ['LOGGER-1', 'LOGGER-2', 'LOGGER-3']) {
      await register(dms, serialNumber);
      const applied = await dms.api.put(`/devices/config-profiles/${slug}/apply`, {
        serialNumbers: [serialNumber],
      });
      assert.equal(applied.status, 200);
    }
  });

  const counts = () => createJobRunsRepository(dms.service.sql).countRunning();
  const move = (column: string, minutes: number) =>
    query(
      dms.service.sql,
      `update config_jobs set ${column} = now() - make_interval(mins => ?)
       where id = (select id from config_jobs order by id limit 1)`,
      [minutes],
    );

  it('separates jobs past their deadline from jobs that no run has checked for ten minutes', async () => {
    assert.deepEqual(await counts(), { running: 3, overdue: 0, withoutRun: 0 });
    await move('created_at', 60);
    await move('workflow_checked_at', 9);
    await move('deadline_at', 1);
    assert.deepEqual(await counts(), { running: 3, overdue: 0, withoutRun: 0 });
    await move('deadline_at', 3);
    await move('workflow_checked_at', 11);
    assert.deepEqual(await counts(), { running: 3, overdue: 1, withoutRun: 1 });
  });

  it('leaves out jobs that have ended', async () => {
    const { body } = await dms.api.get('/devices/config-jobs');
    for (const { id } of body.items) await dms.api.post(`/devices/config-jobs/${id}/cancel`);
    assert.deepEqual(await counts(), { running: 0, overdue: 0, withoutRun: 0 });
  });
});
