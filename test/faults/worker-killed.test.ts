/** A worker that is killed during a job: another one continues. */
import assert from 'node:assert/strict';
import type { RunningPart } from '../../src/process/shutdown.ts';
import { apply, applyAnswer, createProfile, FRIDGE, registerMany, untilEnded } from '../support/fleet.ts';
import { runOf, untilIdle } from '../support/job-runs.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { endAll, environmentOf, type Running, startWorkerProcess } from '../support/stack.ts';
import { FRIDGE_SLUG } from './harness.ts';

after(endAll);

describe('A worker that is killed during a job', function () {
  this.timeout(60_000);
  let dms: TestService;
  let killed: Running;
  let successor: RunningPart;

  before(async () => {
    dms = await startService({ withWorker: false });
    killed = await startWorkerProcess(environmentOf(dms.settings));
    await createProfile(dms, FRIDGE);
  });
  after(async () => {
    await successor?.stop(1_000);
    await dms.stop();
  });

  it('is replaced by another worker, which counts what devices reported in between', async () => {
    const serials = (await registerMany(dms, 3)) as [string, string, string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials });
    await applyAnswer(dms, serials[0]);
    await untilIdle(dms, jobId, /applied: 1/);
    await killed.end('SIGKILL');
    await applyAnswer(dms, serials[1]);
    successor = await dms.service.startWorker((await servers()).workflowBundle);
    await applyAnswer(dms, serials[2]);
    const { status, counts } = await untilEnded(dms, jobId, { timeoutMs: 40_000 });
    assert.equal(status, 'succeeded');
    assert.equal(counts.applied, 3);
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 3 applied');
  });
});
