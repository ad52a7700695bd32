/** Runs workflows and activities, and reconnects for as long as Temporal is away. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { Log } from '../process/log.ts';

export interface TemporalWorkerOptions {
  address: string;
  namespace: string;
  taskQueue: string;
  activities: object;
  log: Log;
  /** A bundle shared by several workers. Default: the bundle of the build, or a new one. */
  workflowBundle?: WorkflowBundleOption;
}

export interface TemporalWorker {
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;
const SHUTDOWN_GRACE_MS = 4_000;
/** After this, activities that ignore their cancellation are abandoned; all are idempotent. */
const SHUTDOWN_FORCE_MS = 5_000;
/** Temporal's core takes 14 s to give up a server that has just gone; no work of ours depends on it. */
const STOP_MS_MAX = 5_500;

const isBuilt = import.meta.url.endsWith('.js');
const BUILT_BUNDLE = fileURLToPath(new URL('../../workflow-bundle.cjs', import.meta.url));

export async function bundleWorkflows(path: string | null = null): Promise<WorkflowBundleOption> {
  if (path !== null) return { codePath: path };
  if (isBuilt && existsSync(BUILT_BUNDLE)) return { codePath: BUILT_BUNDLE };
  const workflowsPath = fileURLToPath(
    new URL(`../../workflows/index.${isBuilt ? 'js' : 'ts'}`, import.meta.url),
  );
  return bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
}

let isRuntimeInstalled = false;

/** Sends the log of Temporal's core to ours. Once per process, before the first connection. */
export function installRuntime(log: Log): void {
  if (isRuntimeInstalled) return;
  isRuntimeInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message);
    }),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
    shutdownSignals: [],
  });
}

export async function startTemporalWorker(options: TemporalWorkerOptions): Promise<TemporalWorker> {
  installRuntime(options.log);
  const bundle = options.workflowBundle ?? (await bundleWorkflows());
  let isStopping = false;
  let worker: Worker | null = null;

  async function runOnce(): Promise<void> {
    const connection = await NativeConnection.connect({ address: options.address });
    try {
      worker = await Worker.create({
        connection,
        namespace: options.namespace,
        taskQueue: options.taskQueue,
        activities: options.activities,
        workflowBundle: bundle,
        maxConcurrentActivityTaskExecutions: 200,
        maxConcurrentWorkflowTaskExecutions: 40,
        shutdownGraceTime: SHUTDOWN_GRACE_MS,
        shutdownForceTime: SHUTDOWN_FORCE_MS,
      });
      if (isStopping) return;
      options.log.info({ taskQueue: options.taskQueue }, 'worker is up');
      await worker.run();
    } finally {
      worker = null;
      await connection.close();
    }
  }

  async function runUntilStopped(): Promise<void> {
    while (!isStopping) {
      try {
        await runOnce();
      } catch (err) {
        if (isStopping) return;
        options.log.warn({ err }, 'Temporal is away: the worker tries again');
        await delay(RETRY_MS);
      }
    }
  }

  const running = runUntilStopped();
  return {
    async stop() {
      isStopping = true;
      if (worker?.getState() === 'RUNNING') worker.shutdown();
      await Promise.race([running, delay(STOP_MS_MAX, undefined, { ref: false })]);
    },
  };
}
