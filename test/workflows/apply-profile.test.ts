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
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { freePort } from '../../dev/embedded/free-port.ts';
import { supervise } from '../../dev/embedded/supervise.ts';
import { serves } from '../../dev/embedded/temporal-dev-server-client.ts';
import { untilServing } from '../../dev/embedded/until-serving.ts';
import { query } from '../../src/db/query.ts';
import type { RunningPart } from '../../src/process/shutdown.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import { applyProfileId, SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  jobOf,
  registerMany,
  report,
  untilEnded,
} from '../support/fleet.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';

const SLUG = 'vaccine-fridge';
const STAGED = { firstPercent: 33, minAppliedPercent: 100, abortFailedPercent: 50 };
/** The SDK's own conversion to JSON needs one copy of protobufjs in the whole tree, which nobody promises. */
const { History } = proto.temporal.api.history.v1;
const folder = fileURLToPath(new URL('./histories/', import.meta.url));

const runOf = (dms: TestService, jobId: string) =>
  dms.service.temporal.client.workflow.getHandle(applyProfileId(jobId));

if (process.env.REFRESH_HISTORIES) {
  describe('Recording histories of the present workflow', function () {
    this.timeout(60_000);
    for (const [name, record] of Object.entries(recordings())) {
      it(name, async () => {
        const { workflowBundle } = await servers();
        const dms = await startService({ withWorker: false, settings: { jobPollIntervalMs: 60_000 } });
        await createProfile(dms, FRIDGE);
        const serials = (await registerMany(dms, 3)) as [string, string, string];
        let worker: RunningPart | undefined;
        const jobId = await record(dms, serials, async () => {
          worker = await dms.service.startWorker(workflowBundle);
        });
        await untilEnded(dms, jobId);
        await runOf(dms, jobId).result();
        writeFileSync(join(folder, `${name}.json`), await recordOf(dms, jobId));
        await worker?.stop(1_000);
        await dms.stop();
      });
    }
  });
}

describe('A run of the workflow by earlier code', function () {
  this.timeout(60_000);
  const kept = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
  const names = [...new Set([...kept, ...Object.keys(recordings())])].sort();
  const read = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

  async function replay(history: object): Promise<void> {
    const { workflowBundle } = await servers();
    await Worker.runReplayHistory({ workflowBundle }, History.fromObject(history));
  }

  for (const name of names) {
    it(`that ${name.replaceAll('-', ' ')} is replayed by the present code`, () => replay(read(name)));
  }

  it('that did other things than the present code would is found out', async () => {
    const text = JSON.stringify(read(names[0] as string)).replaceAll('getProgress', 'lookElsewhere');
    await assert.rejects(replay(JSON.parse(text)), DeterminismViolationError);
  });
});

describe('The workflow of a job', function () {
  this.timeout(60_000);
  let dms: TestService;
  before(async () => {
    dms = await startService();
    await createProfile(dms, FRIDGE);
  });
  after(() => dms.stop());

  it('runs once, however often it is started', async () => {
    const [serial] = (await registerMany(dms, 1, 'ONCE')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    const runId = await eventually(
      () => runIdOf(dms, jobId),
      (id) => id !== null,
    );
    const { startJob } = starterOf(dms);
    await Promise.all([1, 2, 3].map(() => startJob({ id: jobId, organizationId: dms.id })));
    await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
    assert.equal(await runIdOf(dms, jobId), runId);
  });

  it('that is started after the job has ended sees that, and changes nothing', async () => {
    const [serial] = (await registerMany(dms, 1, 'AFTER')) as [string];
    const jobId = await apply(dms, SLUG, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    const ended = await untilEnded(dms, jobId);
    await runOf(dms, jobId).result();
    await starterOf(dms).startJob({ id: jobId, organizationId: dms.id });
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
    assert.deepEqual(await jobOf(dms, jobId), ended);
  });
});

describe('A job so long that its history grows', function () {
  this.timeout(60_000);
  let stop: () => Promise<void>;
  let dms: TestService;
  before(async () => {
    const temporal = await startTemporalWith({ 'limit.historyCount.suggestContinueAsNew': 10 });
    dms = await startService({ settings: { temporalAddress: temporal.address, jobPollIntervalMs: 20 } });
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
    const runs = new Set<string>();
    for (const serial of serials) {
      await eventually(
        () => runIdOf(dms, jobId),
        (runId) => runId !== null && !runs.has(runId) && runs.add(runId).size > 1,
      );
      await applyAnswer(dms, serial);
    }
    assert.equal((await untilEnded(dms, jobId)).counts.applied, 3);
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 3 applied');
    const { historyLength } = await runOf(dms, jobId).describe();
    assert.ok(historyLength < 50, `${historyLength} events`);
  });
});

type Recording = (
  dms: TestService,
  serials: [string, string, string],
  startWorker: () => Promise<void>,
) => Promise<string>;

/** By the names of their files: "a run that …". */
function recordings(): Record<string, Recording> {
  return {
    async 'saw-each-device-apply'(dms, serials, startWorker) {
      await startWorker();
      const jobId = await apply(dms, SLUG, { serialNumbers: serials });
      for (const [index, serial] of serials.entries()) {
        await untilSeen(dms, jobId, index);
        await applyAnswer(dms, serial);
      }
      return jobId;
    },
    async 'went-through-two-stages'(dms, serials, startWorker) {
      await startWorker();
      const jobId = await apply(dms, SLUG, { serialNumbers: serials, rollout: STAGED });
      await applyAnswer(dms, serials[0]);
      await eventually(
        () => jobOf(dms, jobId),
        ({ counts }) => counts.queued === 0,
      );
      for (const serial of serials.slice(1)) await applyAnswer(dms, serial);
      return jobId;
    },
    async 'was-aborted'(dms, serials, startWorker) {
      await startWorker();
      const jobId = await apply(dms, SLUG, { serialNumbers: serials, rollout: STAGED });
      await untilSeen(dms, jobId, 0);
      await dms.device.get(`/devices/${serials[0]}/pending-config`);
      await report(dms, serials[0], { ...FACTORY, errors: [{ message: 'no room' }] });
      return jobId;
    },
    async 'was-cancelled'(dms, serials, startWorker) {
      await startWorker();
      const jobId = await apply(dms, SLUG, { serialNumbers: serials });
      await applyAnswer(dms, serials[0]);
      await untilSeen(dms, jobId, 1);
      await dms.api.post(`/devices/config-jobs/${jobId}/cancel`);
      return jobId;
    },
    async 'met-its-deadline'(dms, serials, startWorker) {
      const jobId = await apply(dms, SLUG, { serialNumbers: serials });
      // Two days are shortened before a worker reads the plan.
      const soon = "update config_jobs set deadline_at = now() + interval '1 second' where id = ?";
      await query(dms.service.sql, soon, [jobId]);
      await startWorker();
      await applyAnswer(dms, serials[0]);
      return jobId;
    },
  };
}

/** null while there is none. */
const runIdOf = (dms: TestService, jobId: string): Promise<string | null> =>
  runOf(dms, jobId)
    .describe()
    .then(({ runId }) => runId)
    .catch(() => null);

/** The workflow has looked and counted that many devices as applied. */
async function untilSeen(dms: TestService, jobId: string, applied: number): Promise<void> {
  const isSeen = applied === 0 ? /Waits for/ : new RegExp(`^- applied: ${applied}$`, 'm');
  await eventually(
    () => detailsOf(dms, jobId).catch(() => ''),
    (details) => isSeen.test(details),
  );
}

async function detailsOf(dms: TestService, jobId: string): Promise<string> {
  const run = runOf(dms, jobId);
  const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return currentDetails;
}

/** Its history as text, without the names of our machines. */
async function recordOf(dms: TestService, jobId: string): Promise<string> {
  const fetched = History.fromObject(await runOf(dms, jobId).fetchHistory());
  const history = History.toObject(fetched, { longs: String, enums: String, bytes: String });
  const text = JSON.stringify(history, null, 1);
  return `${text.replaceAll(/"\d+@[^"]+"/g, '"recorder"')}\n`;
}

function starterOf({ service, settings }: TestService) {
  return createStarter({
    client: service.temporal.client,
    taskQueue: settings.taskQueue,
    pollIntervalMs: settings.jobPollIntervalMs,
  });
}

/** A dev server with limits of its own. */
async function startTemporalWith(limits: Record<string, number>) {
  const { cli } = await servers();
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const server = supervise({
    command: cli,
    args: [
      [
        'server',
        'start-dev',
        '--headless',
        '--ip',
        '127.0.0.1',
        '--port',
        String(port),
        '--log-level',
        'error',
      ],
      Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
      Object.entries(limits).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
    ].flat(),
    env: {},
    stopSignal: 'SIGINT',
    log: () => {},
  });
  await untilServing(server, { name: 'Temporal', timeoutMs: 30_000, probe: () => serves(address) });
  return { address, stop: server.stop };
}
