/** Runs workflows and activities, and reconnects while Temporal is away. */
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeConnection, Worker, WorkerOptions, WorkflowBundleOption } from '@temporalio/worker';
import type { Settings } from '../process/config.ts';
import type { Log } from '../process/log.ts';
import type { Tracing } from '../process/tracing.ts';
import type { TemporalConnection } from './connection.ts';
import { installMeasuredRuntime } from './runtime.ts';
import { traceSteps } from './trace-header.ts';
import { endpointTaskQueue, escalationTaskQueue } from './workflow-ids.ts';

interface TemporalWorkerOptions {
  connection: TemporalConnection;
  /** Task queue of jobs; the queues of endpoints and escalations are derived from it. */
  taskQueue: string;
  /** Concurrency limits. */
  atOnce: Settings['atOnce'];
  activities: object;
  log: Log;
  /** Null: no traces. */
  tracing: Tracing | null;
  /** Without threads, a run that never yields blocks the process. */
  hasThreads: boolean;
  workflowBundle: WorkflowBundleOption;
}

const RETRY_MS = 1_000;
/** After this time, steps under way are answered as failed, and another worker repeats them. */
const SHUTDOWN_GRACE_MS = 4_000;
/** After this time, remaining work is abandoned; all of it is idempotent. */
const SHUTDOWN_FORCE_MS = 5_000;
/**
 * Temporal's core takes 14 s to give up a server that has just gone; no work of the service depends on it.
 */
const STOP_MS_MAX = 5_500;
/** Each heartbeat is a call; the timeout of steps is twice as long. */
const HEARTBEAT_THROTTLE_MS = 4_000;
/** After this time, a run whose worker was killed continues on another one. */
const STICKY_TIMEOUT_MS = 4_000;

export async function startTemporalWorker(options: TemporalWorkerOptions) {
  const { log, connection } = options;
  await installMeasuredRuntime(log);
  let isStopping = false;
  let workers: Worker[] = [];

  async function runOnce(): Promise<void> {
    // Loaded here, so that processes without a worker do not load it.
    const { NativeConnection } = await import('@temporalio/worker');
    const native = await NativeConnection.connect(connection.options);
    try {
      // A worker that fails to register leaves its thread behind, and it fails while this does.
      await native.workflowService.describeNamespace({ namespace: connection.namespace });
      workers = await createWorkers(options, native);
      if (isStopping) return;
      log.info({ taskQueue: options.taskQueue }, 'worker is up');
      // A fault in one worker also ends the other ones.
      const ends = await Promise.allSettled(workers.map((each) => each.run().finally(shutDown)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    } finally {
      workers = [];
      await native.close();
    }
  }

  function shutDown(): void {
    for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
  }

  async function runUntilStopped(): Promise<void> {
    while (!isStopping) {
      try {
        await runOnce();
      } catch (err) {
        if (isStopping) return;
        log.warn({ err }, 'The Temporal worker has ended: it is started again');
        await delay(RETRY_MS);
      }
    }
  }

  const running = runUntilStopped();
  return {
    async stop(): Promise<void> {
      isStopping = true;
      shutDown();
      await Promise.race([running, delay(STOP_MS_MAX, undefined, { ref: false })]);
    },
  };
}

/**
 * Maximum time of one turn of a workflow. A pause of the machine counts as execution, and an interrupted turn ends the
 * process, because it leaves the stack of async contexts of Node.js corrupted. The default is 5 s; the SDK takes the option
 * and does not name it in its public type.
 */
const WORKFLOW_TURN_MS_MAX = 600_000;

/** One worker for each task queue. */
async function createWorkers(
  { connection, taskQueue, atOnce, activities, tracing, hasThreads, workflowBundle }: TemporalWorkerOptions,
  native: NativeConnection,
): Promise<Worker[]> {
  const { Worker } = await import('@temporalio/worker');
  const common: Omit<WorkerOptions, 'taskQueue'> & { isolateExecutionTimeout?: number } = {
    connection: native,
    namespace: connection.namespace,
    activities,
    workflowBundle,
    ...(tracing && { interceptors: { activity: [traceSteps(tracing)] } }),
    debugMode: !hasThreads,
    ...(hasThreads && { isolateExecutionTimeout: WORKFLOW_TURN_MS_MAX }),
    maxConcurrentWorkflowTaskExecutions: atOnce.workflowTasksMax,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT_MS,
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    shutdownForceTime: SHUTDOWN_FORCE_MS,
    // Runs hold no truth: a run that changed code cannot continue fails, and the sweep restarts it from its
    // rows.
    workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
  };
  return Promise.all([
    Worker.create({ ...common, taskQueue, maxConcurrentActivityTaskExecutions: atOnce.jobStepsMax }),
    Worker.create({
      ...common,
      taskQueue: endpointTaskQueue(taskQueue),
      maxConcurrentActivityTaskExecutions: atOnce.endpointStepsMax,
    }),
    Worker.create({
      ...common,
      taskQueue: escalationTaskQueue(taskQueue),
      maxConcurrentActivityTaskExecutions: atOnce.escalationStepsMax,
    }),
  ]);
}
