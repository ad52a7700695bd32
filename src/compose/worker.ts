/** Deferred work: workflows and activities, the dispatcher of deliveries, and the sweeps. */
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import type { Route } from '../http/route.ts';
import { createKeyedSemaphore, inTurns } from '../process/keyed-semaphore.ts';
import type { RunningPart } from '../process/shutdown.ts';
import { toTemporalConnection } from '../temporal/connection.ts';
import { startTemporalWorker } from '../temporal/worker.ts';
import { bundleWorkflows } from '../temporal/workflow-bundle.ts';
import { startDeliveryWorker } from './delivery-worker.ts';
import type { Resources } from './resources.ts';
import { composeServiceMetrics } from './service-metrics.ts';
import type { Slices } from './slices.ts';
import { startSweeps } from './sweeps.ts';
import { composeTemporalUi } from './temporal-ui.ts';

/** Steps of a worker are shared by at least this number of organizations: of jobs, many wait for the turn of a chunk. */
const ORGANIZATIONS_AT_ONCE_MIN = { endpoints: 4, jobs: 10 };
/** Chunks of one organization at the same time: its jobs wait for each other's devices, each with a connection. */
const CHUNKS_PER_ORGANIZATION_MAX = 2;

/** Less than a chunk may take before its step counts as hanging (`CHUNK_MAX_MS`). */
const CHUNK_TURN_MS = 120_000;

export async function startWorker(
  resources: Resources,
  slices: Slices,
  routes: readonly Route[],
  givenBundle?: WorkflowBundleOption,
): Promise<RunningPart> {
  const { settings, log } = resources;
  // Bundling blocks the process, which cannot be stopped meanwhile, so nothing is sent before it is done.
  const workflowBundle = givenBundle ?? (await bundleWorkflows(settings.workflowBundlePath));
  const deliveries = startDeliveryWorker(resources, slices.deliveries);
  composeServiceMetrics(resources, deliveries);
  slices.escalations.addGauges();
  const notifier = slices.notifications.startNotifier();
  // Notifications, escalations and sweeps have the other connections.
  const chunkTurns = createKeyedSemaphore({
    perKeyMax: CHUNKS_PER_ORGANIZATION_MAX,
    totalMax: Math.floor(settings.databasePoolSize / 2),
    // Temporal repeats a step that waited for longer.
    waitMaxMs: CHUNK_TURN_MS,
  });
  const worker = await startTemporalWorker({
    connection: toTemporalConnection(settings),
    taskQueue: settings.taskQueue,
    atOnce: settings.atOnce,
    activities: createActivities({
      jobRun: inTurns(slices.configJobs.jobRun, chunkTurns, 'startNext', 'offerNext', 'endNext'),
      recoverySteps: deliveries.recoverySteps,
      escalationRun: slices.escalations.run,
      withdrawals: inTurns(slices.groups.withdrawals, chunkTurns, 'withdrawNext'),
      updates: composeTemporalUi(resources, slices, routes),
      perOrganizationMax: {
        endpoints: Math.ceil(settings.atOnce.endpointStepsMax / ORGANIZATIONS_AT_ONCE_MIN.endpoints),
        jobs: Math.ceil(settings.atOnce.jobStepsMax / ORGANIZATIONS_AT_ONCE_MIN.jobs),
      },
      unknownStepsGiveUpMs: settings.unknownStepsGiveUpMs,
    }),
    log,
    tracing: resources.tracing,
    workflowBundle,
    hasThreads: resources.hasWorkflowThreads,
  });
  const sweeps = startSweeps(resources, slices);
  return {
    async stop() {
      await Promise.all([deliveries.stop(), notifier.stop(), sweeps.stop(), worker.stop()]);
      await deliveries.close();
    },
  };
}
