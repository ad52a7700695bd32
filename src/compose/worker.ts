/** What waits and what is sent: workflows, activities, the dispatcher of deliveries, and the sweeps. */
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { openDatabase } from '../db/database.ts';
import { isUnavailable } from '../db/faults.ts';
import { listenTo } from '../db/listen.ts';
import {
  createPartitions,
  DELIVERY_TABLES,
  dropPartitions,
  MEASUREMENTS,
  PARTITIONED_TABLES,
} from '../db/partitions.ts';
import { createAttempts } from '../deliveries/attempts.service.ts';
import { createClaimsRepository } from '../deliveries/claims.repository.ts';
import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import {
  notifyQueued,
  parseNotification,
  QUEUED_CHANNEL,
} from '../deliveries/delivery-notifications.repository.ts';
import { startDispatcher } from '../deliveries/dispatcher.service.ts';
import { createEndpointRecoveryService } from '../deliveries/endpoint-recovery.service.ts';
import { createUnregisteredDevicesRepository } from '../devices/unregistered-devices.repository.ts';
import { removeExpiredAnswers } from '../http/idempotency-keys.repository.ts';
import { createIngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import { type Periodic, startPeriodic } from '../process/periodic.ts';
import { startMissingWorkflows } from '../temporal/start-missing-workflows.ts';
import { bundleWorkflows, startTemporalWorker } from '../temporal/worker.ts';
import type { UseCases } from './use-cases.ts';

export interface RunningPart {
  stop(deadlineMs: number): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
const OUTBOX_POOL_SIZE = 8;
const OUTBOX_SESSION = {
  // Claims and outcomes that a crash of the database takes back are made again: the same delivery, the same webhook-id.
  synchronous_commit: 'off',
  // A few rows among millions, always by index; the planner cannot know how few, and would read whole partitions.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};
/** So many sweeps later: zones change twice a year, and a minute is soon enough. */
const SWEEPS_PER_LOOK_AT_ZONES = 12;
/** Silence counts after ten minutes at the least, and the look reads the states of all devices. */
const SWEEPS_PER_LOOK_AT_SILENCE = 3;
const UNKNOWN_KEPT_DAYS = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function startWorker(
  useCases: UseCases,
  givenBundle?: WorkflowBundleOption,
): Promise<RunningPart> {
  const { settings, log } = useCases;
  // Nothing is sent before all is ready: bundling holds the process up, and until the end of it nobody can stop us.
  const workflowBundle = givenBundle ?? (await bundleWorkflows());
  let isStopping = false;
  const delivering = startDelivering(useCases, () => isStopping);
  const worker = await startTemporalWorker({
    address: settings.temporalAddress,
    namespace: settings.temporalNamespace,
    taskQueue: settings.taskQueue,
    activities: createActivities({
      jobRun: useCases.services.jobRun,
      recoverySteps: delivering.recoverySteps,
    }),
    log,
    workflowBundle,
  });
  const sweeps = startSweeps(useCases);
  return {
    async stop() {
      isStopping = true;
      await Promise.all([...sweeps.map((sweep) => sweep.stop()), worker.stop(), delivering.stop()]);
      await delivering.close();
    },
  };
}

function startDelivering(useCases: UseCases, isStopping: () => boolean) {
  const { settings, log, now, sql, metrics, secretBox, sender, recovery } = useCases;
  const { scheduleMs, probePlan, disableAfterMs, drainPerSecondMax, drainTickMs } = settings.webhooks;
  const { endpoints } = useCases.repositories;
  const outbox = openDatabase({
    url: settings.databaseUrl,
    poolSize: OUTBOX_POOL_SIZE,
    statementTimeoutMs: settings.statementTimeoutMs,
    applicationName: 'device-monitoring-service deliveries',
    session: OUTBOX_SESSION,
  });
  const claims = createClaimsRepository(outbox);
  const bounds = {
    perEndpointMax: settings.webhooks.perEndpointMax,
    leaseSeconds: settings.webhooks.leaseSeconds,
  };
  const attempts = createAttempts({
    claims,
    deliveries: createDeliveriesRepository(outbox),
    endpoints,
    secretBox,
    send: sender.attempt,
    ...bounds,
    schedule: scheduleMs,
    probePlan,
    disableAfterMs,
    now,
    random: Math.random,
    notifyRecovery: recovery.notifyRecovery,
    observe: ({ verdict, durationMs }) => {
      metrics.deliveryAttempts.inc({ verdict });
      metrics.deliveryDuration.observe(durationMs / 1000);
    },
    isCommonFault: isUnavailable,
    log,
  });
  const dispatcher = startDispatcher({ claims, attempts, ...bounds, lookEveryMs: LOOK_EVERY_MS, log });
  const listener = listenTo({
    url: settings.databaseUrl,
    channel: QUEUED_CHANNEL,
    onNotification: (payload) => {
      const { kind, endpointIds } = parseNotification(payload);
      if (kind === 'changed') dispatcher.recall(endpointIds);
      else dispatcher.wake(endpointIds);
    },
    onFault: (err) => log.warn({ err }, 'no notices of new deliveries: the dispatcher looks every second'),
  });
  const recoverySteps = createEndpointRecoveryService({
    claims,
    endpoints,
    attempts,
    ...bounds,
    drainPerSecondMax,
    drainTickMs,
    wake: (endpointId) => notifyQueued(sql, [endpointId]),
    isStopping,
    log,
  });
  return {
    recoverySteps,
    async stop() {
      await Promise.all([listener.stop(), dispatcher.stop()]);
    },
    /** When no activity uses it any more. */
    close: () => outbox.destroy(),
  };
}

function startSweeps({
  settings,
  starter,
  temporalFault,
  repositories,
  services,
  sql,
  now,
  log,
}: UseCases): Periodic[] {
  const { jobPollIntervalMs: pollIntervalMs, sweepIntervalMs } = settings;
  const { jobs, endpoints } = repositories;
  const later = (what: string) => (err: unknown) => log.warn({ err }, `${what}: it is tried again`);
  return [
    startPeriodic(
      sweepIntervalMs,
      () => startMissingWorkflows({ ...jobs, start: starter.startJob, pollIntervalMs }),
      temporalFault('sweep jobs'),
    ),
    startPeriodic(
      sweepIntervalMs,
      () => startMissingWorkflows({ ...endpoints, start: starter.startRecovery, pollIntervalMs }),
      temporalFault('sweep endpoints'),
    ),
    startPeriodic(
      sweepIntervalMs * SWEEPS_PER_LOOK_AT_SILENCE,
      services.alerts.sweepOffline,
      later('silent devices were not looked for'),
    ),
    startPeriodic(
      sweepIntervalMs * SWEEPS_PER_LOOK_AT_ZONES,
      services.daylightSaving.syncUtcOffsets,
      later('zones were not followed'),
    ),
    startPeriodic(
      HOUR_MS,
      () => cleanUp({ sql, now: now(), settings }),
      later('what is old stays for another hour'),
    ),
  ];
}

/** Partitions ahead of time, and nothing kept beyond its time. */
async function cleanUp({
  sql,
  now,
  settings,
}: { now: Date } & Pick<UseCases, 'sql' | 'settings'>): Promise<void> {
  // First of all: without it, new rows find no place.
  for (const table of PARTITIONED_TABLES) await createPartitions(sql, table, now);
  await removeExpiredAnswers(sql);
  await createUnregisteredDevicesRepository(sql).removeOlderThan(UNKNOWN_KEPT_DAYS);
  await createIngressAvailabilityRepository(sql).removeOldOutages();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  for (const table of DELIVERY_TABLES)
    await dropPartitions(sql, table, daysAgo(settings.webhooks.retentionDays));
  await dropPartitions(sql, MEASUREMENTS, daysAgo(settings.measurementsRetentionDays));
}
