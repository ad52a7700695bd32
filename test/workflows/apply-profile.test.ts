/**
 * Running jobs outlive a deployment: the present workflow code must replay what earlier code has begun. `histories/`
 * holds runs of earlier code; they stay as they are when the workflow changes, and a change that they do not survive
 * needs `patched()`. Recorded from real runs, and added to or made anew by:
 *
 *     REFRESH_HISTORIES=1 npx mocha test/workflows/apply-profile.test.ts
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DeterminismViolationError, Worker } from '@temporalio/worker';
import { query } from '../../src/db/query.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { supervise } from '../../src/embedded/supervise.ts';
import { untilServing } from '../../src/embedded/until-serving.ts';
import { serves } from '../../src/temporal/dev-server-client.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import { applyProfileId, SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import {
  apply,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  jobOf,
  obey,
  registerMany,
  report,
  untilEnded,
} from '../support/fleet.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';

const SLUG = 'vaccine-fridge';
const STAGED = { firstPercent: 34, minAppliedPercent: 100, abortFailedPercent: 50 };
const folder = fileURLToPath(new URL('./histories/', import.meta.url));

const runOf = (dms: TestService, jobId: string) =>
  dms.service.temporal.client.workflow.getHandle(applyProfileId(jobId));

if (process.env.REFRESH_HISTORIES) {
  describe('Recording histories of the present workflow', () => {
    for (const [name, record] of Object.entries(recordings())) {
      it(name, async () => {
        const dms = await startService({ settings: { jobLookAgainMs: 60_000 } });
        try {
          await createProfile(dms, FRIDGE);
          const jobId = await record(dms, (await registerMany(dms, 3)) as [string, string, string]);
          await untilEnded(dms, jobId);
          await runOf(dms, jobId).result();
          writeFileSync(join(folder, `${name}.json`), await historyOf(dms, jobId));
        } finally {
          await dms.stop();
        }
      });
    }
  });
}

describe('A run of the workflow by earlier code', () => {
  const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

  async function replay(history: object): Promise<void> {
    const { workflowBundle } = await servers();
    await Worker.runReplayHistory({ workflowBundle }, history);
  }

  for (const name of names) {
    it(`that ${name.replaceAll('-', ' ')} is replayed by the present code`, () => replay(read(name)));
  }

  it('that did other things than the present code would is found out', async () => {
    const text = JSON.stringify(read(names[0] as string)).replaceAll('lookAtProgress', 'lookElsewhere');
    await assert.rejects(replay(JSON.parse(text)), DeterminismViolationError);
  });
});

describe('The workflow of a job', () => {
  let dms: TestService;
  before(async () => {
    dms = await startService();
    await createProfile(dms, FRIDGE);
  });
  after(() => dms.stop());

  it('runs once, however often it is started', async () => {
    const [serial] = (await registerMany(dms, 1, 'ONCE')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    const { runId } = await eventually(
      () => runOf(dms, jobId).describe().catch(() => ({ runId: null })),
      (run) => run.runId !== null,
    );
    const { startJob } = starterOf(dms);
    await Promise.all([1, 2, 3].map(() => startJob({ id: jobId, organizationId: dms.id })));
    await obey(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
    assert.equal((await runOf(dms, jobId).describe()).runId, runId);
  });

  it('that is started after the job has ended sees that, and changes nothing', async () => {
    const [serial] = (await registerMany(dms, 1, 'AFTER')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    await obey(dms, serial);
    const ended = await untilEnded(dms, jobId);
    await runOf(dms, jobId).result();
    await starterOf(dms).startJob({ id: jobId, organizationId: dms.id });
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
    assert.deepEqual(await jobOf(dms, jobId), ended);
  });
});

describe('A job so long that its history grows', () => {
  let stop: () => Promise<void>;
  let dms: TestService;
  before(async () => {
    const temporal = await startTemporalWith({ 'limit.historyCount.suggestContinueAsNew': 30 });
    dms = await startService({ settings: { temporalAddress: temporal.address, jobLookAgainMs: 20 } });
    stop = temporal.stop;
    await createProfile(dms, FRIDGE);
  });
  after(async () => {
    await dms.stop();
    await stop();
  });

  it('goes on in new runs with short histories, misses nothing, and ends as one', async () => {
    const serials = await registerMany(dms, 3);
    const jobId = await apply(dms, SLUG, { serialNumbers: serials });
    const firstRun = await dms.service.temporal.client.workflow.getHandle(applyProfileId(jobId));
    for (const serial of serials) {
      const { runId } = await eventually(
        () => runOf(dms, jobId).describe(),
        (run) => run.raw.workflowExecutionInfo?.firstRunId !== run.runId,
      );
      await obey(dms, serial);
      if (serial === serials.at(-1)) continue;
      await eventually(
        () => runOf(dms, jobId).describe(),
        (run) => run.runId !== runId,
      );
    }
    assert.equal((await untilEnded(dms, jobId)).counts.applied, 3);
    assert.equal(await firstRun.result(), 'succeeded: 3 applied');
    const { historyLength } = await runOf(dms, jobId).describe();
    assert.ok(historyLength < 100, `${historyLength} events`);
  });
});

type Record = (dms: TestService, serials: [string, string, string]) => Promise<string>;

/** What histories tell, by their file names: "a run that …". */
function recordings(): { [name: string]: Record } {
  return {
    async 'saw-every-device-apply'(dms, serials) {
      const jobId = await apply(dms, SLUG, { serialNumbers: serials });
      for (const serial of serials) {
        await obey(dms, serial);
        await untilSignalled(dms, jobId);
      }
      return jobId;
    },
    async 'went-through-two-stages'(dms, serials) {
      const jobId = await apply(dms, SLUG, { serialNumbers: serials, rollout: STAGED });
      await obeyAll(dms, jobId);
      return jobId;
    },
    async 'was-aborted'(dms, serials) {
      const jobId = await apply(dms, SLUG, { serialNumbers: serials, rollout: STAGED });
      await dms.device.get(`/devices/${serials[0]}/pending-config`);
      const errors = [{ code: 'E1', message: 'no room' }];
      await report(dms, serials[0], { ...FACTORY, errors });
      return jobId;
    },
    async 'was-cancelled'(dms, serials) {
      const jobId = await apply(dms, SLUG, { serialNumbers: serials });
      await obey(dms, serials[0]);
      await untilSignalled(dms, jobId);
      await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
      return jobId;
    },
    async 'met-its-deadline'(dms, serials) {
      const { databaseUrl, taskQueue } = dms.settings;
      const early = await startService({ databaseUrl, withWorker: false, settings: { taskQueue: `${taskQueue}-2` } });
      const jobId = await apply(early, SLUG, { serialNumbers: serials });
      return jobId;
    },
  };
}
