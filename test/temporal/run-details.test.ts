/** What the Temporal UI shows of a run before and after its work: links, the reason of a failure, and the run that follows. */
import assert from 'node:assert/strict';
import { WorkflowFailedError } from '@temporalio/client';
import { query } from '../../src/db/query.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { toMarkdownText } from '../../src/process/markdown-text.ts';
import { findLastRun } from '../../src/temporal/runs.ts';
import { applyProfileId, deliverWebhooksId } from '../../src/temporal/workflow-ids.ts';
import { QUICK, useCustomer } from '../deliveries/harness.ts';
import * as escalations from '../escalations/harness.ts';
import { OPERATOR_ORIGIN, signIn, visit } from '../operator/visitor.ts';
import { apply, applyAnswer, eventually, registerMany, untilEnded } from '../support/fleet.ts';
import { runOf, untilIdle } from '../support/job-runs.ts';
import { startReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';

const SLUG = 'vaccine-fridge';

describe('The details of a run', () => {
  const dms = useService({
    settings: { webhooks: QUICK, runCheckIntervalMs: 200, operatorUrl: OPERATOR_ORIGIN },
  });
  const org = useCustomer(dms);

  const handleOf = (workflowId: string) => dms.service.temporal.client.workflow.getHandle(workflowId);

  async function waitingJob(prefix: string): Promise<{ jobId: string; serial: string }> {
    const [serial = ''] = await registerMany(org, 1, prefix);
    const jobId = await apply(org, SLUG, { serialNumbers: [serial] });
    await untilIdle(dms, jobId, /Waiting until/);
    return { jobId, serial };
  }

  /** The pages behind the links of a run, without the public address. */
  async function linkedPages(workflowId: string): Promise<string[]> {
    const described = await eventually(
      () =>
        handleOf(workflowId)
          .describe()
          .catch(() => null),
      (found) => found !== null,
    );
    const details = (await described?.staticDetails()) ?? '';
    return [...details.matchAll(/\]\((\S+?)\)/g)].map(([, url = '']) => {
      assert.ok(url.startsWith(OPERATOR_ORIGIN), url);
      return url.slice(OPERATOR_ORIGIN.length);
    });
  }

  async function assertPages(paths: string[], expected: string[]): Promise<void> {
    assert.deepEqual(paths, expected);
    const cookie = await signIn(dms, { organizationId: org.id });
    for (const path of paths) assert.equal((await visit(dms.baseUrl + path, { cookie })).status, 200, path);
  }

  it('names the key that began a job, and links the page of the job and the page that explains runs', async () => {
    const { jobId } = await waitingJob('BEGUN');
    const described = await handleOf(applyProfileId(jobId)).describe();
    const { name } = (await org.api.get(`/devices/config-jobs/${jobId}`)).body.createdBy;
    const details = (await described.staticDetails()) ?? '';
    assert.ok(details.startsWith(`Begun by ${toMarkdownText(name)}\n`), details);
    const paths = await linkedPages(runOf(dms, jobId).workflowId);
    await assertPages(paths, [`/operator/jobs/${jobId}`, '/docs/temporal-ui']);
  });

  it('links the webhooks, for a webhook that fails', async () => {
    const receiver = await startReceiver();
    receiver.answer((response) => response.writeHead(503).end());
    const endpoint = await org.subscribe(receiver.url);
    await org.publish(1);
    await assertPages(await linkedPages(deliverWebhooksId(endpoint.id)), [
      '/operator/webhooks',
      '/docs/temporal-ui',
    ]);
    await receiver.stop();
  });

  it('links the page of the alert, for an alert that escalates', async () => {
    const customer = escalations.toCustomer(dms, org);
    await customer.escalation([[0, await customer.channel('nurse')]]);
    const { id } = await customer.openAlert();
    await assertPages(await linkedPages(escalations.runOf(dms, id).workflowId), [
      `/operator/alerts/${id}`,
      '/docs/temporal-ui',
    ]);
  });

  it('ends a run by a defect with its reason, and ends the job by another run once it is repaired', async () => {
    const { jobId, serial } = await waitingJob('DEFECT');
    const { runId } = await runOf(dms, jobId).describe();
    const failing = dms.service.temporal.client.workflow.getHandle(runOf(dms, jobId).workflowId, runId);
    await query(
      dms.service.sql,
      "alter table config_jobs add constraint config_jobs_defect check (status <> 'succeeded') not valid",
    );
    await applyAnswer(org, serial);
    await assert.rejects(failing.result(), WorkflowFailedError);
    const last = await eventually(
      () => findLastRun(dms.service.temporal.client, failing.workflowId, dms.settings.taskQueue),
      ({ status }) => status === 'failed',
    );
    assert.match(String(last.reason), /config_jobs_defect/);
    await query(dms.service.sql, 'alter table config_jobs drop constraint config_jobs_defect');
    assert.equal((await untilEnded(org, jobId)).status, 'succeeded');
    assert.equal(await runOf(dms, jobId).result(), 'succeeded: 1 applied');
  });

  it('starts a scheduled job again whose run was terminated long before its start', async () => {
    const serialNumbers = await registerMany(org, 1, 'LATER');
    const startAt = new Date(Date.now() + DAY_MS).toISOString();
    const jobId = await apply(org, SLUG, { serialNumbers, startAt });
    await untilIdle(dms, jobId, /offered from/);
    await runOf(dms, jobId).terminate();
    await eventually(
      () => runOf(dms, jobId).describe(),
      ({ status }) => status.name === 'RUNNING',
    );
    await untilIdle(dms, jobId, /offered from/);
  });

  it('replaces a run whose code fails at an event of its history, after which its job goes on', async () => {
    const { jobId, serial } = await waitingJob('BLOCKED');
    const { client } = dms.service.temporal;
    const { workflowId } = runOf(dms, jobId);
    // A run whose tasks are repeated every second, where others take some ten.
    const blocked = await client.workflow.start('applyProfile', {
      workflowId,
      taskQueue: dms.settings.taskQueue,
      args: [{ organizationId: org.id, jobId, pollIntervalMs: DAY_MS }],
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      workflowTaskTimeout: '1 second',
    });
    await untilIdle(dms, jobId, /Waiting until/);
    await client.workflowService.signalWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      signalName: 'targetsChanged',
      // The SDK cannot decode it, so no handler gets it.
      input: {
        payloads: [{ metadata: { encoding: Buffer.from('json/protobuf') }, data: Buffer.from('{}') }],
      },
    });
    await eventually(
      () => runOf(dms, jobId).describe(),
      ({ runId }) => runId !== blocked.firstExecutionRunId,
    );
    await applyAnswer(org, serial);
    assert.equal((await untilEnded(org, jobId)).status, 'succeeded');
  });
});
