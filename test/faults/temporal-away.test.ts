/**
 * Temporal stops, loses its data, or cannot be reached: jobs wait, nothing is lost, and no operator has to
 * act.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { freePort } from '../../dev/embedded/free-port.ts';
import { startTemporalDevServer, type TemporalDevServer } from '../../dev/embedded/temporal-dev-server.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { QUICK } from '../deliveries/harness.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  jobOf,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { nameOf, runOf, untilIdle, untilSeen } from '../support/job-runs.ts';
import {
  assertBalanced,
  type Ledger,
  many,
  openLedger,
  type Subscriber,
  workflowCheckedAt,
} from '../support/ledger.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestOrganization, type TestService, useService } from '../support/service.ts';
import { sameOrganizationAt } from '../support/stack.ts';
import { FRIDGE_SLUG, readiness, scratchFolder } from './harness.ts';

const scratch = scratchFolder();
/** A call to Temporal is given up after this time. */
const CALL_TIMEOUT_MS = 5_000;
/** Retries that are due while Temporal is away, and soon after it is back. */
const RETRIES = {
  scheduleMs: [0, ...Array(20).fill(500)],
  probePlan: { firstMs: 500, share: 0.1, maxMs: 500 },
  disableAfterMs: 600_000,
};

after(() => scratch.remove());

describe('Without Temporal', () => {
  let dms: TestService;
  let temporal: TemporalDevServer;
  let serials: string[];
  let begun: string;
  let appliedMeanwhile: string;
  let port: number;
  let ledger: Ledger;
  let healthy: Subscriber;
  let failedBefore: Subscriber;
  let failsMeanwhile: Subscriber;

  /** In memory without a file. */
  async function startTemporal(dbFile?: string): Promise<void> {
    const { cli } = await servers();
    const searchAttributes = SEARCH_ATTRIBUTES;
    temporal = await startTemporalDevServer({ cli, port, dbFile, searchAttributes, log: () => {} });
  }

  before(async () => {
    port = await freePort();
    await startTemporal(join(scratch.path, 'temporal.db'));
    const temporalAddress = temporal.address;
    dms = await startService({
      settings: { temporalAddress, jobPollIntervalMs: 2_000, webhooks: QUICK },
      deliveryPlan: RETRIES,
    });
    await createProfile(dms, FRIDGE);
    serials = await registerMany(dms, 6);
    begun = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials.slice(0, 2) });
    await applyAnswer(dms, serials[0] as string);
    await untilIdle(dms, begun, /applied: 1/);
    await beginDeliveries();
    await temporal.stop();
  });
  after(async () => {
    await dms.stop();
    await temporal.stop();
    await ledger.stop();
  });

  /** Resolves when the run of an endpoint waits for a retry. */
  async function beginDeliveries(): Promise<void> {
    ledger = openLedger(dms);
    healthy = await ledger.subscribe(['device.online']);
    failedBefore = await ledger.subscribe(['alert.created']);
    failsMeanwhile = await ledger.subscribe(['alert.resolved']);
    failing(failedBefore, 2);
    failing(failsMeanwhile, 3);
    await ledger.publish(['alert.created']);
    await eventually(
      () => workflowCheckedAt(dms, failedBefore),
      (at) => at !== null,
    );
  }

  /** Fails the first requests. */
  const failing = ({ receiver }: Subscriber, count: number) =>
    receiver.answer((response, index) => response.writeHead(index < count ? 500 : 204).end());

  it('applies a profile at once while Temporal is down', async () => {
    const startedAt = performance.now();
    appliedMeanwhile = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials.slice(2, 4) });
    assert.ok(performance.now() - startedAt < CALL_TIMEOUT_MS, 'does not wait for Temporal');
    assert.equal((await jobOf(dms, appliedMeanwhile)).status, 'running');
  });

  it('reports degraded but ready while Temporal is down', async () => {
    const { status, dependencies, httpStatus } = await readiness(dms.baseUrl);
    assert.equal(httpStatus, 200);
    assert.equal(status, 'degraded');
    assert.deepEqual([dependencies.temporal?.state, dependencies.database?.state], ['degraded', 'ok']);
  });

  it('serves fetches and reports of devices while Temporal is down', async () => {
    for (const serial of serials.slice(1, 3)) await applyAnswer(dms, serial);
    assert.equal((await jobOf(dms, begun)).counts.applied, 2);
    assert.equal((await jobOf(dms, appliedMeanwhile)).counts.applied, 1);
  });

  it('makes first attempts of deliveries while Temporal is down', async () => {
    for (let round = 0; round < 5; round++) await ledger.publish(many(4, 'device.online'));
    await ledger.publish(many(3, 'alert.resolved'));
    await healthy.receiver.until(20);
    await failsMeanwhile.receiver.until(3);
  });

  describe('when it is back', () => {
    before(async () => {
      await eventually(
        () => fetch(dms.metricsUrl).then((answer) => answer.text()),
        (metrics) => metrics.includes('dms_temporal_errors_total{call="start"} 1'),
      );
      await startTemporal(join(scratch.path, 'temporal.db'));
    });

    it('finishes a job that was running when Temporal stopped', async () => {
      assert.equal((await untilEnded(dms, begun)).status, 'succeeded');
    });

    it('starts and finishes a job that was applied while Temporal was down', async () => {
      await applyAnswer(dms, serials[3] as string);
      assert.equal((await untilEnded(dms, appliedMeanwhile)).status, 'succeeded');
    });

    it('resumes retries of deliveries when Temporal is back, and loses nothing', async () => {
      await ledger.untilAllDelivered();
      assertBalanced(ledger, 2 + 3);
    });

    it('reports ok once Temporal is back', async () => {
      const { status } = await readiness(dms.baseUrl);
      assert.equal(status, 'ok');
    });
  });

  describe('when it is back without its data', () => {
    it('starts running jobs again and finishes them after Temporal lost its data', async () => {
      const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: serials.slice(4) });
      await applyAnswer(dms, serials[4] as string);
      await untilSeen(dms, jobId);
      await temporal.stop();
      await startTemporal();
      await applyAnswer(dms, serials[5] as string);
      const { status, counts } = await untilEnded(dms, jobId);
      assert.equal(status, 'succeeded');
      assert.equal(counts.applied, 2);
      assert.equal(await runOf(dms, begun).describe().catch(nameOf), 'WorkflowNotFoundError');
    });
  });
});

describe('An API process that cannot reach Temporal', () => {
  const dms = useService({ settings: { jobPollIntervalMs: 1_000 } });
  let apiProcess: TestService;
  let cutOff: TestOrganization;

  before(async () => {
    await createProfile(dms, FRIDGE);
    const { databaseUrl, taskQueue } = dms.settings;
    const settings = { taskQueue, temporalAddress: '127.0.0.1:1' };
    apiProcess = await startService({ withWorker: false, databaseUrl, settings });
    cutOff = await sameOrganizationAt(apiProcess, dms);
  });
  after(() => apiProcess.stop());

  it('finishes a job without signals, by its next poll', async () => {
    const [serial] = (await registerMany(cutOff, 1, 'NO-SIGNAL')) as [string];
    const jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: [serial] });
    await untilSeen(dms, jobId);
    await applyAnswer(cutOff, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    assert.deepEqual(await signalledLines(runOf(dms, jobId)), []);
  });

  it('leaves a job that it could not start to a worker', async () => {
    const [serial] = (await registerMany(cutOff, 1, 'LEFT')) as [string];
    const jobId = await apply(cutOff, FRIDGE_SLUG, { serialNumbers: [serial] });
    await untilSeen(dms, jobId);
    await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
  });
});

/** Lines about devices that signals carried. The signal of a sweep, which wakes a late run, carries none. */
async function signalledLines(run: WorkflowHandle): Promise<string[]> {
  const { events } = await run.fetchHistory();
  const payloads = (events ?? []).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.input?.payloads ?? [],
  );
  return payloads.flatMap(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()));
}
