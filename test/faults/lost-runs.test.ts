/**
 * Runs that end before their work is done, by an operator or because their code changed. The work continues.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Settings } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import type { RunningPart } from '../../src/process/shutdown.ts';
import { deliverWebhooksId } from '../../src/temporal/workflow-ids.ts';
import { addCustomer, type Customer, type Endpoint, QUICK, QUICK_PLAN } from '../deliveries/harness.ts';
import { apply, applyAnswer, eventually, registerMany, untilEnded } from '../support/fleet.ts';
import { runOf, untilIdle } from '../support/job-runs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { servers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { FRIDGE_SLUG } from './harness.ts';

/** Workers of the older release repeat an unknown step; those of the later one give it up at once. */
const SETTINGS = { webhooks: QUICK, runCheckIntervalMs: 1_000, unknownStepsGiveUpMs: 0 };
const OLDER = { unknownStepsGiveUpMs: 3_600_000 };
const PLAN = { ...QUICK_PLAN, probePlan: { firstMs: 1_000, share: 0, maxMs: 1_000 } };

/** The sweep and a failed delivery may both find that a run of an endpoint has ended, before either starts another one. */
const STARTERS = 2;

/** The workflow code of another release: each workflow begins with an additional activity. */
async function changedWorkflows(): Promise<{ code: string }> {
  const { workflowBundle } = await servers();
  const code =
    'code' in workflowBundle ? workflowBundle.code : await readFile(workflowBundle.codePath, 'utf8');
  const changed = code
    .replace('state = await getJobState(job);', 'await getJobState(job); state = await getJobState(job);')
    .replace(
      'state = await getEndpointState(endpoint);',
      'await getEndpointState(endpoint); state = await getEndpointState(endpoint);',
    );
  assert.equal(
    changed.match(/await getJobState\(job\); state|await getEndpointState\(endpoint\); state/g)?.length,
    2,
  );
  return { code: changed };
}

/** The workflow code of a release with another name for a step. */
async function workflowsWithOldStep(): Promise<{ code: string }> {
  const { workflowBundle } = await servers();
  const code =
    'code' in workflowBundle ? workflowBundle.code : await readFile(workflowBundle.codePath, 'utf8');
  const changed = code.replace('const { getJobState,', 'const { getProgress: getJobState,');
  assert.notEqual(changed, code);
  return { code: changed };
}

describe('A run that ends before its work is done', () => {
  let dms: TestService;
  /** The same service after a deployment. */
  let later: TestService;
  const services: TestService[] = [];
  let deployed: (more?: Partial<Settings>) => Promise<TestService>;
  let customer: Customer;
  let receiver: Receiver;
  let endpoint: Endpoint;
  let worker: RunningPart;
  const lines: Array<{ msg: string; id?: string; status?: string; reason?: string }> = [];

  before(async () => {
    const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });
    dms = await startService({ withWorker: false, settings: SETTINGS, deliveryPlan: PLAN, log });
    const { databaseUrl, taskQueue } = dms.settings;
    deployed = async (more = {}) => {
      const settings = { ...SETTINGS, taskQueue, ...more };
      const service = await startService({
        withWorker: false,
        databaseUrl,
        settings,
        deliveryPlan: PLAN,
        log,
      });
      services.push(service);
      return service;
    };
    later = await deployed();
    worker = await dms.service.startWorker((await servers()).workflowBundle);
    customer = await addCustomer(dms);
    receiver = await startReceiver();
  });
  after(async () => {
    await worker.stop(1_000);
    await Promise.all(services.map((service) => service.stop()));
    await dms.stop();
    await receiver.stop();
  });

  /** A job that waits for a device, and an endpoint whose receiver is away; each has a run. */
  async function waitingRuns(prefix: string): Promise<{ serial: string; jobId: string }> {
    const [serial = ''] = await registerMany(customer, 1, prefix);
    const jobId = await apply(customer, FRIDGE_SLUG, { serialNumbers: [serial] });
    await untilIdle(dms, jobId, /Waiting until/);
    receiver.answer((response) => response.writeHead(500).end());
    endpoint ??= await customer.subscribe(receiver.url);
    await customer.publish(6);
    await eventually(endpoint.breaker, (breaker) => breaker === 'open');
    // Waits for the end of its first step, because later code reads from its history what the run did.
    await eventually(
      describedEndpointRun,
      (run) => run !== null && run.status.name === 'RUNNING' && run.historyLength > 10,
    );
    return { serial, jobId };
  }

  const endpointRun = () => dms.service.temporal.client.workflow.getHandle(deliverWebhooksId(endpoint.id));
  /** Null until it has been started, after the breaker has opened. */
  const describedEndpointRun = () =>
    endpointRun()
      .describe()
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      });

  async function bothGoOn({ serial, jobId }: { serial: string; jobId: string }): Promise<void> {
    await applyAnswer(customer, serial);
    receiver.answer((response) => response.writeHead(204).end());
    assert.equal((await untilEnded(customer, jobId)).status, 'succeeded');
    await endpoint.until((items) => items.every(({ state }) => state === 'delivered'));
    // The next test begins with a new run.
    await eventually(
      () => endpointRun().describe(),
      ({ status }) => status.name !== 'RUNNING',
    );
  }

  /** Starts of runs of jobs and of endpoints, by either process: a failed delivery starts a run, too. */
  async function restarts(last: string): Promise<[number, number]> {
    const urls = [dms, later].map(({ metricsUrl }) => metricsUrl);
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    const count = (workflow: string) => {
      const series = new RegExp(`restarted_total{workflow="${workflow}",last="${last}"} (\\d+)`, 'g');
      return [...texts.join('').matchAll(series)].reduce((sum, [, each]) => sum + Number(each), 0);
    };
    return [count('apply-profile'), count('deliver-webhooks')];
  }

  /** Starts are counted afterwards. */
  const untilRestarted = (last: string) =>
    eventually(
      () => restarts(last),
      ([jobs, endpoints]) => jobs >= 1 && endpoints >= 1,
    );

  async function assertRestarted(last: string): Promise<void> {
    const [jobs, endpoints] = await restarts(last);
    assert.equal(jobs, 1);
    assert.ok(endpoints <= STARTERS, `${endpoints} starts of runs of endpoints`);
  }

  it('replaces runs of jobs and endpoints within seconds when an operator terminates them', async () => {
    const runs = await waitingRuns('TERMINATED');
    assert.equal((await runOf(dms, runs.jobId).describe()).taskQueue, dms.settings.taskQueue);
    // Endpoints have a task queue of their own.
    assert.equal((await endpointRun().describe()).taskQueue, `${dms.settings.taskQueue}-endpoints`);
    await runOf(dms, runs.jobId).terminate('by an operator');
    await endpointRun().terminate('by an operator');
    await eventually(
      () => runOf(dms, runs.jobId).describe(),
      ({ status }) => status.name === 'RUNNING',
    );
    await eventually(
      () => endpointRun().describe(),
      ({ status }) => status.name === 'RUNNING',
    );
    await untilRestarted('terminated');
    await assertRestarted('terminated');
    await bothGoOn(runs);
  });

  it('continues within seconds when the process that confirmed its last device could no longer reach Temporal', async () => {
    const { databaseUrl, taskQueue } = dms.settings;
    const cutOff = await startService({
      withWorker: false,
      databaseUrl,
      settings: { ...SETTINGS, taskQueue, temporalAddress: '127.0.0.1:1' },
    });
    try {
      const { serial, jobId } = await waitingRuns('SIGNAL');
      const { token } = await dms.issueKey(customer.id, 'device');
      await applyAnswer({ ...customer, device: cutOff.with(token) }, serial);
      assert.equal((await untilEnded(customer, jobId)).status, 'succeeded');
    } finally {
      await cutOff.stop();
    }
  });

  it('continues with changed workflow code, and is logged and counted', async () => {
    const runs = await waitingRuns('CHANGED');
    await worker.stop(1_000);
    worker = await later.service.startWorker(await changedWorkflows());
    await bothGoOn(runs);
    await untilRestarted('failed');
    await assertRestarted('failed');
    for (const [id, startersMax] of [
      [runs.jobId, 1],
      [endpoint.id, STARTERS],
    ] as const) {
      const failed = lines.filter((line) => line.id === id && line.status === 'failed');
      assert.ok(failed.length <= startersMax, JSON.stringify(failed));
      assert.match(String(failed[0]?.reason), /nondeterminism/i);
    }
  });

  it('restarts when it waits for a step that no worker knows any more', async () => {
    const older = await deployed(OLDER);
    await worker.stop(1_000);
    const olderWorker = await older.service.startWorker(await workflowsWithOldStep());
    const [serial = ''] = await registerMany(customer, 1, 'OLD-STEP');
    const jobId = await apply(customer, FRIDGE_SLUG, { serialNumbers: [serial] });
    await eventually(
      // It is started after the answer.
      () =>
        runOf(dms, jobId)
          .describe()
          .catch(() => null),
      (run) => run?.raw.pendingActivities?.some(({ attempt }) => Number(attempt) > 1) === true,
    );
    await olderWorker.stop(1_000);
    worker = await (await deployed()).service.startWorker((await servers()).workflowBundle);
    await untilIdle(later, jobId, /Waiting until/);
    await applyAnswer(customer, serial);
    assert.equal((await untilEnded(customer, jobId)).status, 'succeeded');
  });
});
