/** Plays scenarios with the real workflow code on a real Temporal server; only the activities follow a script. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { createStarter } from '../../src/temporal/starter.ts';
import {
  applyProfileId,
  deliverWebhooksId,
  endpointTaskQueue,
  escalateAlertId,
  escalationTaskQueue,
  withdrawProfileId,
} from '../../src/temporal/workflow-ids.ts';
import { type Activities, ALERT, ENDPOINT, JOB, type Scenario, type Step, WITHDRAWAL } from './scenarios.ts';

const IDENTITY = 'recorder';
const TASK_QUEUE = 'histories';
const POLL_MS = 20;
const ACTIVITIES: Record<keyof Activities, true> = {
  getJobState: true,
  startJob: true,
  beginStage: true,
  completeJob: true,
  abortJob: true,
  cancelJob: true,
  proceedJob: true,
  extendJob: true,
  getEndpointState: true,
  sendImmediate: true,
  sendRetries: true,
  probeEndpoint: true,
  drainBacklog: true,
  closeBreaker: true,
  retryEndpoint: true,
  giveUpEndpoint: true,
  makeDueStep: true,
  acknowledgeAlert: true,
  withdrawFromMembers: true,
};

export async function startScenarioPlayer(address: string, workflowBundle: WorkflowBundleOption) {
  const connection = await Connection.connect({ address });
  const workerConnection = await NativeConnection.connect({ address });
  const client = new Client({ connection, identity: IDENTITY });
  let script: Script | null = null;
  const queues = [TASK_QUEUE, endpointTaskQueue(TASK_QUEUE), escalationTaskQueue(TASK_QUEUE)];
  const workers = await Promise.all(
    queues.map((taskQueue) =>
      Worker.create({
        connection: workerConnection,
        identity: IDENTITY,
        buildId: IDENTITY,
        taskQueue,
        workflowBundle,
        activities: Object.fromEntries(
          Object.keys(ACTIVITIES).map((name) => [name, () => script?.runActivity(name)]),
        ),
        // A worker with a cache has a queue of its own, with a new name each time.
        maxCachedWorkflows: 0,
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    /** The history of the scenario's first run. */
    async play(scenario: Scenario) {
      script = createScript(client, scenario);
      await script.play();
      return firstRunOf(client, script.run).then((first) => first.fetchHistory());
    },
    async stop(): Promise<void> {
      for (const worker of workers) worker.shutdown();
      await running;
      await Promise.all([connection.close(), workerConnection.close()]);
    },
  };
}

type Script = ReturnType<typeof createScript>;

function createScript(client: Client, { workflow, name, pollIntervalMs, steps, result }: Scenario) {
  const left = [...steps];
  const starter = createStarter({ client, taskQueue: TASK_QUEUE, pollIntervalMs });
  const { id, start, signal } = {
    'apply-profile': {
      id: applyProfileId(JOB.jobId),
      start: () => starter.startJob(JOB),
      signal: (lines: string[]) => starter.signalJob(JOB, lines),
    },
    'deliver-webhooks': {
      id: deliverWebhooksId(ENDPOINT.endpointId),
      start: () => starter.startRecovery(ENDPOINT),
      signal: () => starter.startRecovery(ENDPOINT),
    },
    'escalate-alert': {
      id: escalateAlertId(ALERT.alertId),
      start: () => starter.startEscalation(ALERT),
      signal: () => starter.signalEscalation(ALERT),
    },
    'withdraw-profile': {
      id: withdrawProfileId(WITHDRAWAL.withdrawalId),
      start: () => starter.startWithdrawal(WITHDRAWAL),
      signal: async () => {},
    },
  }[workflow];
  const run = client.workflow.getHandle(id);

  /** What the script has happen to a run that waits; undefined: nothing before its next activity. */
  function eventOf(step: Step | undefined): (() => Promise<unknown>) | undefined {
    if (!step || 'activity' in step) return undefined;
    if ('cancel' in step) return () => run.cancel();
    if ('signal' in step) return () => signal(step.signal);
    const { update, args = [] } = step;
    return () =>
      run.startUpdate<void, [unknown]>(update, { args: args as [unknown], waitForStage: 'ACCEPTED' });
  }

  /** Has each event happen when the run waits for it. */
  async function sendEvents(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const happen = eventOf(left[0]);
      if (happen && (await isIdle(run))) {
        left.shift();
        await happen();
      }
      await delay(POLL_MS);
    }
  }

  return {
    run,
    async runActivity(activity: string): Promise<unknown> {
      const step: Step | undefined = left.shift();
      if (!step || !('activity' in step) || step.activity !== activity) {
        throw ApplicationFailure.nonRetryable(
          `the scenario expects ${JSON.stringify(step)}, not ${activity}`,
        );
      }
      if (step.signal) {
        await signal(step.signal);
        while (await hasWorkflowTask(run)) await delay(POLL_MS);
      }
      return step.returns;
    },
    async play(): Promise<void> {
      await start();
      let ended: unknown = null;
      const ending = run.result().then(
        (value) => {
          ended = value;
        },
        (error: Error) => {
          ended = error.cause ?? error;
        },
      );
      await Promise.all([ending, sendEvents(() => ended !== null)]);
      if (ended !== result || left.length > 0)
        throw new Error(`${workflow} ${name} ended with ${ended}; steps left: ${left.length}`);
    },
  };
}

const hasWorkflowTask = async (run: WorkflowHandle) =>
  Boolean((await run.describe()).raw.pendingWorkflowTask);

async function isIdle(run: WorkflowHandle): Promise<boolean> {
  const { raw } = await run.describe();
  return !raw.pendingWorkflowTask && !raw.pendingActivities?.length;
}

async function firstRunOf(client: Client, run: WorkflowHandle): Promise<WorkflowHandle> {
  const { raw } = await run.describe();
  return client.workflow.getHandle(run.workflowId, raw.workflowExecutionInfo?.firstRunId ?? undefined);
}
