/** Operators steer runs from the Temporal UI: updates, and cancelling a run. */
import assert from 'node:assert/strict';
import { type WorkflowFailedError, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { query } from '../../src/db/query.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { deliverWebhooksId } from '../../src/temporal/workflow-ids.ts';
import { type Endpoint, QUICK, QUICK_PLAN, useCustomer } from '../deliveries/harness.ts';
import * as escalations from '../escalations/harness.ts';
import {
  apply,
  applyAnswer,
  configOf,
  eventually,
  jobOf,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { runOf, untilIdle } from '../support/job-runs.ts';
import { useReceiver } from '../support/receiver.ts';
import { type TestOrganization, useService } from '../support/service.ts';

const SLUG = 'vaccine-fridge';
/** Of two devices, one goes first. */
const ROLLOUT = { firstPercent: 50, minAppliedPercent: 100, abortFailedPercent: 100 };
const { EventType } = proto.temporal.api.enums.v1;

/** Nothing but an update wakes a run in time. */
const SLOW_PLAN = { ...QUICK_PLAN, probePlan: { firstMs: HOUR_MS, share: 0, maxMs: HOUR_MS } };

describe('The Temporal UI', () => {
  const receiver = useReceiver();
  const dms = useService({
    settings: { webhooks: QUICK, jobPollIntervalMs: HOUR_MS, runCheckIntervalMs: HOUR_MS },
    deliveryPlan: SLOW_PLAN,
  });
  const org = useCustomer(dms);

  let jobs = 0;
  async function waitingJob(more: object = {}): Promise<{ jobId: string; serials: [string, string] }> {
    const serials = (await registerMany(org, 2, `STEERED-${++jobs}`)) as [string, string];
    const jobId = await apply(org, SLUG, { serialNumbers: serials, ...more });
    await untilIdle(dms, jobId, /Waiting until/);
    return { jobId, serials };
  }

  async function failingEndpoint(): Promise<{ endpoint: Endpoint; run: WorkflowHandle }> {
    receiver.answer((response) => response.writeHead(503).end());
    const endpoint = await org.subscribe(receiver.url);
    await org.publish(1);
    await eventually(endpoint.breaker, (breaker) => breaker === 'open');
    const run = dms.service.temporal.client.workflow.getHandle(deliverWebhooksId(endpoint.id));
    await eventually(
      () => timerSummaries(run).catch(() => []),
      (lines) => lines.some((line) => /^next probe/.test(line)),
    );
    return { endpoint, run };
  }

  const refused = (updating: Promise<unknown>, reason: RegExp) =>
    assert.rejects(updating, (error: WorkflowUpdateFailedError) => {
      assert.ok(error instanceof WorkflowUpdateFailedError, String(error));
      assert.match(String(error.cause?.message), reason);
      return true;
    });

  it('cancels a job by an update, with the same effects and the same row of the audit trail as the API', async () => {
    const { jobId, serials } = await waitingJob();
    const answer = await runOf(dms, jobId).executeUpdate('cancel');
    assert.equal(answer, 'The job is cancelled: 2 of its devices were cancelled');
    assert.equal((await jobOf(org, jobId)).status, 'cancelled');
    assert.equal((await configOf(org, serials[0])).pendingConfig, null);
    assert.equal(await runOf(dms, jobId).result(), 'cancelled: 2 cancelled');
    assert.deepEqual(await auditOf(org, jobId), [
      { action: 'cancelConfigJob', name: 'Temporal UI', keyId: null },
    ]);
  });

  it('cancels a job by cancelling its run, which ends when the change is withdrawn', async () => {
    const { jobId, serials } = await waitingJob();
    await runOf(dms, jobId).cancel();
    assert.equal((await untilEnded(org, jobId)).status, 'cancelled');
    assert.equal((await configOf(org, serials[1])).pendingConfig, null);
    assert.equal(await runOf(dms, jobId).result(), 'cancelled: 2 cancelled');
    assert.deepEqual(await auditOf(org, jobId), [
      { action: 'cancelConfigJob', name: 'Temporal UI', keyId: null },
    ]);
  });

  it('begins the next stage while the first one still waits', async () => {
    const { jobId, serials } = await waitingJob({ rollout: ROLLOUT });
    const pending = async () =>
      (await Promise.all(serials.map((serial) => configOf(org, serial)))).filter(
        ({ pendingConfig }) => pendingConfig,
      );
    assert.equal((await pending()).length, 1);
    const answer = await runOf(dms, jobId).executeUpdate('proceed');
    assert.equal(answer, 'The next stage begins, with 1 queued devices');
    await eventually(pending, ({ length }) => length === 2);
    for (const serial of serials) await applyAnswer(org, serial);
    assert.equal((await untilEnded(org, jobId)).status, 'succeeded');
    assert.deepEqual(await auditOf(org, jobId), [
      { action: 'proceedConfigJob', name: 'Temporal UI', keyId: null },
    ]);
    const [{ before, after }] = (await org.api.get(`/audit?subject=${jobId}&actor=Temporal%20UI`)).body.items;
    assert.deepEqual([before.isNextStageBeginning, after.isNextStageBeginning], [false, true]);
    assert.deepEqual([before.stage, after.stage], [1, 1]);
  });

  it('moves the deadline of a job, which waits until then', async () => {
    const { jobId } = await waitingJob({ deadlineMinutes: 60 });
    const deadlineAt = new Date(Date.now() + 5 * HOUR_MS).toISOString();
    const answer = await runOf(dms, jobId).executeUpdate('extend', { args: [deadlineAt] });
    const until = `${deadlineAt.slice(0, 10)} ${deadlineAt.slice(11, 19)} UTC`;
    assert.equal(answer, `The deadline is ${until}`);
    assert.equal((await jobOf(org, jobId)).deadlineAt, deadlineAt);
    await untilIdle(dms, jobId, new RegExp(`Waiting until ${until}`));
    assert.equal((await timerSummaries(runOf(dms, jobId))).at(-1), `waits for 2 devices, until ${until}`);
  });

  it('refuses updates that make no sense, with the reason and without a trace', async () => {
    const { jobId } = await waitingJob({ deadlineMinutes: 60 });
    const run = runOf(dms, jobId);
    const before = await eventsOf(run);
    const { deadlineAt } = await jobOf(org, jobId);
    const inTime = new Date(Date.now() + 2 * HOUR_MS).toISOString();
    const sooner = new Date(Date.parse(deadlineAt) - 1_000).toISOString();
    await refused(run.executeUpdate('cancel', { args: ['because'] }), /takes no argument/);
    await refused(run.executeUpdate('extend', { args: [inTime, inTime] }), /takes one argument/);
    await refused(
      run.executeUpdate('extend', { args: [sooner] }),
      new RegExp(`later than the present one, ${deadlineAt}`),
    );
    await refused(run.executeUpdate('proceed'), /The job is in its last stage/);
    await refused(run.executeUpdate('extend', { args: ['soon'] }), /must be a time/);
    await refused(
      run.executeUpdate('extend', { args: ['2026-01-01T00:00:00Z'] }),
      /later than the present one/,
    );
    assert.deepEqual(await eventsOf(run), before);
    assert.deepEqual(await auditOf(org, jobId), []);
  });

  it('passes on the refusal of the API, after which the run continues', async () => {
    const { jobId } = await waitingJob({ deadlineMinutes: 120 });
    const late = new Date(Date.now() + 31 * 24 * HOUR_MS).toISOString();
    const run = runOf(dms, jobId);
    await refused(run.executeUpdate('extend', { args: [late] }), /and at most 30 days ahead/);
    await run.executeUpdate('cancel');
    assert.equal(await run.result(), 'cancelled: 2 cancelled');
  });

  it('continues after signals with any data, which it leaves out', async () => {
    const { jobId, serials } = await waitingJob();
    const run = runOf(dms, jobId);
    for (const args of [[], [null], [{ x: 1 }], ['A applied'], [['A applied', 7]], [['B applied'], 'more']])
      await run.signal('targetsChanged', ...args);
    await untilIdle(dms, jobId, /Latest:\n\n- B applied\n/);
    for (const serial of serials) await applyAnswer(org, serial);
    await run.signal('targetsChanged', []);
    assert.equal(await run.result(), 'succeeded: 2 applied');
  });

  it('fails a run at once that somebody starts with a wrong input, and says what would be right', async () => {
    const { client } = dms.service.temporal;
    const { taskQueue } = dms.settings;
    for (const [workflow, args, expected] of [
      ['applyProfile', [], 'organizationId must be a UUID, jobId must be a UUID, pollIntervalMs must be a'],
      [
        'deliverWebhooks',
        [{ organizationId: org.id, endpointId: 7, pollIntervalMs: 1 }],
        'endpointId must be a UUID',
      ],
      ['escalateAlert', ['an alert'], 'organizationId must be a UUID, alertId must be a UUID'],
      [
        'withdrawProfile',
        [{ organizationId: org.id, withdrawalId: "' or 1=1" }],
        'withdrawalId must be a UUID',
      ],
    ] as const) {
      const workflowId = `by-hand:${workflow}`;
      const run = await client.workflow.start(workflow, { taskQueue, workflowId, args: [...args] });
      await assert.rejects(run.result(), (error: WorkflowFailedError) => {
        const { message } = error.cause as Error;
        assert.ok(message.startsWith(`The input of the run is not valid: ${expected}`), message);
        return true;
      });
    }
  });

  it('probes a failing webhook at once instead of in an hour', async () => {
    const { endpoint, run } = await failingEndpoint();
    receiver.answer((response) => response.writeHead(204).end());
    await refused(run.executeUpdate('retryNow', { args: ['soon'] }), /takes no argument/);
    assert.match(await run.executeUpdate<string, []>('retryNow'), /a probe first while the breaker is open$/);
    await endpoint.untilAll('delivered', 1);
    assert.equal(await run.result(), 'the endpoint is healthy');
    assert.deepEqual(await auditOf(org, endpoint.id), [
      { action: 'retryWebhook', name: 'Temporal UI', keyId: null },
    ]);
  });

  for (const [how, giveUp] of [
    ['by an update', (run: WorkflowHandle) => run.executeUpdate('giveUp')],
    ['by cancelling its run', (run: WorkflowHandle) => run.cancel()],
  ] as const) {
    it(`gives a failing webhook up ${how}, as disabling it through the API does`, async () => {
      const { endpoint, run } = await failingEndpoint();
      await giveUp(run);
      assert.equal(await run.result(), 'the endpoint is disabled by a request or an operator');
      assert.equal((await endpoint.view()).status, 'disabled');
      assert.deepEqual(await auditOf(org, endpoint.id), [
        { action: 'updateWebhook', name: 'Temporal UI', keyId: null },
      ]);
    });
  }

  it('acknowledges an alert by cancelling the run that escalates it', async () => {
    const other = await dms.addOrganization();
    const customer = escalations.toCustomer(dms, other);
    await customer.escalation([
      [0, await customer.channel('nurse')],
      [10, await customer.channel('head')],
    ]);
    const { id } = await customer.openAlert();
    const run = escalations.runOf(dms, id);
    await eventually(
      () => timerSummaries(run).catch(() => []),
      (lines) => lines.some((line) => /^step 2 at/.test(line)),
    );
    await run.cancel();
    assert.match(await run.result(), /^acknowledged by Temporal UI after \d+ s, step 1 of 2$/);
    assert.equal((await customer.show(id)).status, 'acknowledged');
  });

  it('finds late jobs of a profile, and webhooks that have failed for more than an hour, by search attributes', async () => {
    const { jobId, serials } = await waitingJob();
    const { endpoint, run } = await failingEndpoint();
    await query(
      dms.service.sql,
      `update device_states s set expected_by = now() - interval '2 hours' from assets a
       where a.organization_id = s.organization_id and a.id = s.asset_id and a.serial_number = ?`,
      [serials[0]],
    );
    await query(
      dms.service.sql,
      "update endpoints set failing_since = now() - interval '2 hours' where id = ?",
      [endpoint.id],
    );
    const deadlineAt = new Date(Date.now() + 90 * HOUR_MS).toISOString();
    await runOf(dms, jobId).executeUpdate('extend', { args: [deadlineAt] });
    await run.executeUpdate('retryNow');
    const late = "ExecutionStatus = 'Running' AND `Waiting` != 'on time' AND Waiting STARTS_WITH 'over'";
    const soon = `DeadlineAt >= '${deadlineAt}'`;
    await untilListed(`WorkflowType = 'applyProfile' AND ProfileSlug = '${SLUG}' AND ${soon} AND ${late}`, [
      runOf(dms, jobId).workflowId,
    ]);
    const name = await nameOf(org.id);
    await untilListed(
      `WorkflowType = 'deliverWebhooks' AND Organization = '${name}' AND Phase = 'probing' AND ${late}`,
      [run.workflowId],
    );
  });

  const nameOf = async (id: string) =>
    (await query<{ name: string }>(dms.service.sql, 'select name from organizations where id = ?', [id]))[0]
      ?.name;

  async function untilListed(list: string, expected: string[]): Promise<void> {
    const find = async () => {
      const ids = [];
      for await (const { workflowId } of dms.service.temporal.client.workflow.list({ query: list }))
        ids.push(workflowId);
      return ids.join();
    };
    await eventually(find, (ids) => ids === expected.join());
  }

  /** Rows of changes in the Temporal UI, oldest first. */
  async function auditOf({ api }: TestOrganization, subject: string) {
    const { body } = await api.get(`/audit?subject=${subject}&actor=Temporal%20UI`);
    return body.items
      .map(({ action, actor }: { action: string; actor: object }) => ({ action, ...actor }))
      .reverse();
  }
});

/** Without workflow tasks, which the server records for a refused update, too, when the worker is slow. */
async function eventsOf(run: WorkflowHandle): Promise<string[]> {
  const { events } = await run.fetchHistory();
  const types = (events ?? []).map(({ eventType }) => EventType[eventType ?? 0] ?? '');
  return types.filter((type) => !type.startsWith('EVENT_TYPE_WORKFLOW_TASK'));
}

async function timerSummaries(run: WorkflowHandle): Promise<string[]> {
  const { events } = await run.fetchHistory();
  return (events ?? [])
    .filter(({ eventType }) => eventType === EventType.EVENT_TYPE_TIMER_STARTED)
    .map(({ userMetadata }) => JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString() || '""'));
}
