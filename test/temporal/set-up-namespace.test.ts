/** `npm run dms -- temporal setup` prepares a Temporal server for the service. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DAY_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { setUpNamespace } from '../../src/temporal/set-up-namespace.ts';
import { createStarter } from '../../src/temporal/starter.ts';
import { startTemporalWorker } from '../../src/temporal/worker.ts';
import { applyProfileId, deliverWebhooksId, SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { eventually } from '../support/fleet.ts';
import { servers } from '../support/servers.ts';

describe('The set-up of a Temporal namespace', () => {
  it('creates everything that workflows need to be started and found, and can be repeated', async () => {
    const { temporalAddress: address } = await servers();
    const namespace = `setup-${randomUUID()}`;
    const lines: string[] = [];
    const connection = { options: { address }, namespace };
    const options = {
      connection,
      retentionMs: DAY_MS,
      print: (line: string) => lines.push(line),
    };
    await setUpNamespace(options);
    await setUpNamespace(options);
    const once = [
      `Namespace ${namespace}: ready`,
      ...Object.keys(SEARCH_ATTRIBUTES).map((name) => `Search attribute ${name}: ready`),
    ];
    assert.deepEqual(lines, [...once, ...once]);

    const { client, close } = connectTemporal(connection);
    const starter = createStarter({ client, taskQueue: 'nobody', pollIntervalMs: 1_000 });
    await starter.startJob({ organizationId: 'organization', jobId: 'job' });
    await starter.startRecovery({ organizationId: 'organization', endpointId: 'endpoint' });
    const find = async (query: string) => {
      const ids = [];
      for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
      return ids;
    };
    const finds = async (query: string, ...ids: string[]) =>
      assert.deepEqual(
        (
          await eventually(
            () => find(query),
            ({ length }) => length === ids.length,
          )
        ).sort(),
        ids,
      );
    await finds("OrganizationId = 'organization'", applyProfileId('job'), deliverWebhooksId('endpoint'));
    await finds("JobId = 'job'", applyProfileId('job'));
    await finds("EndpointId = 'endpoint'", deliverWebhooksId('endpoint'));
    await close();
  });

  it('changes how long histories are kept only when that is given', async () => {
    const { temporalAddress: address } = await servers();
    const connection = { options: { address }, namespace: `retention-${randomUUID()}` };
    const { client, close } = connectTemporal(connection);
    const setUp = async (retentionMs: number | null) => {
      await setUpNamespace({ connection, retentionMs, print: () => {} });
      const { namespace } = connection;
      const { config } = await client.workflowService.describeNamespace({ namespace });
      return Number(config?.workflowExecutionRetentionTtl?.seconds) * 1_000;
    };
    assert.equal(await setUp(null), 3 * DAY_MS);
    assert.equal(await setUp(30 * DAY_MS), 30 * DAY_MS);
    assert.equal(await setUp(null), 30 * DAY_MS);
    await close();
  });

  it('is waited for by workers, which start no thread before', async () => {
    const { temporalAddress: address, workflowBundle } = await servers();
    const countThreads = () => (process.report.getReport() as { workers: unknown[] }).workers.length;
    const before = countThreads();
    const log = createLog('silent');
    const failed = new Promise<void>((resolve) => Object.assign(log, { warn: () => resolve() }));
    const worker = await startTemporalWorker({
      connection: { options: { address }, namespace: `missing-${randomUUID()}` },
      taskQueue: 'nobody',
      atOnce: { jobStepsMax: 1, endpointStepsMax: 1, escalationStepsMax: 1, workflowTasksMax: 1 },
      activities: {},
      log,
      tracing: null,
      hasThreads: true,
      workflowBundle,
    });
    await failed;
    assert.equal(countThreads(), before);
    await worker.stop();
  });
});
