/** The composition root: the only file that knows everybody. Clock, randomness and settings enter here. */
import type { WorkflowBundleOption } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createAssetsRepository } from './assets/assets.repository.ts';
import { assetsRoutes } from './assets/assets.routes.ts';
import { createAssetsService } from './assets/assets.service.ts';
import { createCertificatesRepository } from './certificates/certificates.repository.ts';
import { certificatesRoutes } from './certificates/certificates.routes.ts';
import { createCertificatesService } from './certificates/certificates.service.ts';
import { readSettings, type Settings } from './config.ts';
import { createChangesService } from './config-jobs/changes.service.ts';
import { createConfigJobsRepository } from './config-jobs/config-jobs.repository.ts';
import { configJobsRoutes } from './config-jobs/config-jobs.routes.ts';
import { createConfigJobsService } from './config-jobs/config-jobs.service.ts';
import { createConfigTargetsRepository } from './config-jobs/config-targets.repository.ts';
import { createJobCourseService } from './config-jobs/job-course.service.ts';
import { createEndJob } from './config-jobs/job-end.service.ts';
import { createJobProgress } from './config-jobs/job-progress.ts';
import { sweepJobs } from './config-jobs/job-sweep.ts';
import { openDatabase, type Sql } from './db/database.ts';
import { isUnavailable } from './db/faults.ts';
import { databaseHealth } from './db/health.ts';
import { listenTo } from './db/listen.ts';
import {
  createPartitionKeeper,
  createPartitions,
  DELIVERY_TABLES,
  dropPartitions,
  MEASUREMENTS,
  PARTITIONED_TABLES,
} from './db/partitions.ts';
import { createTransact } from './db/transaction.ts';
import { createAttempts } from './deliveries/attempts.service.ts';
import { createAttendance } from './deliveries/attendance.service.ts';
import {
  createDeliveriesRepository,
  noticeOf,
  notifyQueued,
  QUEUED_CHANNEL,
} from './deliveries/deliveries.repository.ts';
import { deliveriesRoutes } from './deliveries/deliveries.routes.ts';
import { createDeliveriesService } from './deliveries/deliveries.service.ts';
import { startDispatcher } from './deliveries/dispatcher.service.ts';
import { sweepEndpoints } from './deliveries/endpoint-sweep.ts';
import { createEndpointTroubleService } from './deliveries/endpoint-trouble.service.ts';
import { createEndpointsRepository } from './deliveries/endpoints.repository.ts';
import { createPublishEvents } from './deliveries/events.service.ts';
import { createSender, type SenderOptions } from './deliveries/sender.service.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from './devices/configurations.repository.ts';
import { createDeviceContacts } from './devices/device-contacts.service.ts';
import { createDevicesRepository } from './devices/devices.repository.ts';
import { devicesRoutes } from './devices/devices.routes.ts';
import { createPendingChangesRepository } from './devices/pending-changes.repository.ts';
import { createUnknownDevicesRepository } from './devices/unknown-devices.repository.ts';
import { AppError } from './errors.ts';
import { createApp, type RequestLog } from './http/app.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createDocs } from './http/docs.ts';
import { createHealth } from './http/health.ts';
import { createIdempotency, type IdempotencyRequest } from './http/idempotency.ts';
import { createMetrics, listenMetrics } from './http/metrics.ts';
import { openApi } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { type HttpServer, listen } from './http/server.ts';
import { createTokenBucket } from './http/token-bucket.ts';
import {
  createIdempotencyKeysRepository,
  removeExpiredAnswers,
} from './idempotency/idempotency-keys.repository.ts';
import { createKeysRepository } from './keys/keys.repository.ts';
import { createKeyLookup } from './keys/keys.service.ts';
import { createLog, type Log } from './log.ts';
import { createIntake } from './measurements/intake.service.ts';
import { measurementEvents } from './measurements/measurement-events.ts';
import { createMeasurementsRepository } from './measurements/measurements.repository.ts';
import { measurementsRoutes } from './measurements/measurements.routes.ts';
import { every } from './periodic.ts';
import { createProfilesRepository } from './profiles/profiles.repository.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { connectTemporal } from './temporal/connection.ts';
import { createStarter } from './temporal/starter.ts';
import { bundleWorkflows, startTemporalWorker } from './temporal/worker.ts';
import { API_INFO, VERSION } from './version.ts';
import { isAllowedAddress } from './webhooks/allowed-address.ts';
import { createSecretBox } from './webhooks/secret-box.ts';
import { createWebhooksRepository } from './webhooks/webhooks.repository.ts';
import { webhooksRoutes } from './webhooks/webhooks.routes.ts';
import { createWebhooksService } from './webhooks/webhooks.service.ts';

export interface ComposeOptions {
  settings: Settings;
  log: Log;
  now?: () => Date;
  /** How names of receivers are looked up; the system's way by default. */
  resolve?: SenderOptions['resolve'];
}

export interface RunningPart {
  stop(deadlineMs: number): Promise<void>;
}

export interface RunningApi extends RunningPart {
  port: number;
  metricsPort: number;
}

export type Service = ReturnType<typeof compose>;

const TEMPORAL_TIMEOUT_MS = 5_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function compose({ settings, log, now = () => new Date(), resolve }: ComposeOptions) {
  const sql = openDatabase({
    url: settings.databaseUrl,
    poolSize: settings.databasePoolSize,
    statementTimeoutMs: settings.statementTimeoutMs,
    applicationName: 'device-monitoring-service',
  });
  const transact = createTransact(sql);
  const endpoints = createEndpointsRepository(sql);
  const metrics = createMetrics({ endpoints: endpoints.census });
  const temporal = connectTemporal(settings.temporalAddress, settings.temporalNamespace);
  const starter = createStarter({
    client: temporal.client,
    taskQueue: settings.taskQueue,
    timeoutMs: TEMPORAL_TIMEOUT_MS,
    lookAgainMs: settings.jobLookAgainMs,
  });

  const configurations = createConfigurationCache();
  const configurationsIn = (handle: Sql) => createConfigurationsRepository(handle, configurations);
  const devicesIn = (handle: Sql) => createDevicesRepository(handle, configurations);
  const jobs = createConfigJobsRepository(sql);
  const inTransaction = {
    assetsIn: createAssetsRepository,
    profilesIn: createProfilesRepository,
    pendingIn: createPendingChangesRepository,
    jobsIn: createConfigJobsRepository,
    targetsIn: createConfigTargetsRepository,
    unknownIn: createUnknownDevicesRepository,
    webhooksIn: createWebhooksRepository,
    deliveriesIn: createDeliveriesRepository,
    endpointsIn: createEndpointsRepository,
    measurementsIn: createMeasurementsRepository,
    configurationsIn,
    devicesIn,
  };

  const temporalFault = (call: string) => (err: unknown) => {
    metrics.temporalFaults.inc({ call });
    log.warn({ err, call }, 'Temporal did not take it: the sweep or the next look makes up for it');
  };
  const progress = createJobProgress({
    count: jobs.count,
    signal: starter.signalJob,
    intervalMs: settings.jobSignalIntervalMs,
    onFault: temporalFault('signal'),
  });
  const starting = new Set<Promise<void>>();
  /** After the commit; nobody waits for it. */
  function startJob(job: { id: string; organizationId: string }): void {
    const start = starter
      .startJob(job)
      .then(() => jobs.markSeen(job.id))
      .then(() => metrics.jobsStarted.inc(), temporalFault('start'))
      .finally(() => starting.delete(start));
    starting.add(start);
  }

  const { scheduleMs, leaseSeconds, perEndpointMax, probePlan, ...hooks } = settings.webhooks;
  const secretBox = createSecretBox(settings.secretsKeys);
  const answerOwner = ({ organizationId, key }: IdempotencyRequest) => ({
    organizationId,
    rowId: `idempotency:${key}`,
  });
  const answerBox = {
    seal: (text: string, request: IdempotencyRequest) => secretBox.seal(text, answerOwner(request)),
    open: (sealed: Buffer, request: IdempotencyRequest) => secretBox.open(sealed, answerOwner(request)),
  };
  const sender = createSender({
    isAllowedAddress: (address) => isAllowedAddress(address, settings.webhookAllowedRanges),
    userAgent: `device-monitoring-service/${VERSION}`,
    deadlineMs: hooks.deadlineMs,
    connectTimeoutMs: hooks.connectTimeoutMs,
    resolve,
    now,
  });
  const deliveries = createDeliveriesRepository(sql);
  const publish = createPublishEvents(inTransaction);
  const attend = createAttendance({ attend: starter.attendEndpoint, onFault: temporalFault('attend') });

  const jobsProgressed = (jobIds: string[]) => progress.progressed(jobIds);
  const changes = createChangesService(inTransaction);
  const endJob = createEndJob({ ...inTransaction, publish, now });
  const jobsService = createConfigJobsService({
    ...inTransaction,
    changes,
    endJob,
    now,
    startJob,
    jobsProgressed,
  });
  const course = createJobCourseService({ ...inTransaction, transact, changes, endJob, jobsProgressed });
  const assetsService = createAssetsService({ ...inTransaction, jobsProgressed });
  const contacts = createDeviceContacts({
    ...inTransaction,
    transact,
    jobsProgressed: progress.heard,
    publish,
    isCommonFault: isUnavailable,
    now,
  });

  const intake = createIntake({
    ...inTransaction,
    transact,
    partitions: createPartitionKeeper(sql, MEASUREMENTS),
    judge: (tx, taken) => publish(tx, taken.flatMap(measurementEvents)),
    contact: contacts.receive,
    isCommonFault: isUnavailable,
    observe({ accepted, duplicates, dropped }) {
      metrics.readings.inc({ outcome: 'accepted' }, accepted);
      metrics.readings.inc({ outcome: 'duplicate' }, duplicates);
      metrics.readings.inc({ outcome: 'dropped' }, dropped);
    },
  });

  const assets = createAssetsRepository(sql);
  const certificates = createCertificatesService({
    certificates: createCertificatesRepository(sql),
    findAsset: assets.find,
  });
  const webhooksService = createWebhooksService({
    ...inTransaction,
    secretBox,
    allowedRanges: settings.webhookAllowedRanges,
    troubled: attend.troubled,
    log,
  });
  const webhooks = createWebhooksRepository(sql);
  const deliveriesService = createDeliveriesService({
    ...inTransaction,
    secretBox,
    send: sender.attempt,
    secretOverlapMs: hooks.secretOverlapMs,
    now,
    troubled: attend.troubled,
  });

  const routes: Route[] = [
    ...profilesRoutes({ profiles: createProfilesRepository(sql), profilesIn: createProfilesRepository }),
    ...configJobsRoutes({ jobs, targets: createConfigTargetsRepository(sql), service: jobsService }),
    ...devicesRoutes({ devices: devicesIn(sql), contacts, now }),
    ...measurementsRoutes({ intake, measurements: createMeasurementsRepository(sql), now }),
    ...assetsRoutes(assets, assetsService),
    ...certificatesRoutes(certificates),
    ...webhooksRoutes({ webhooks, service: webhooksService }),
    ...deliveriesRoutes({ deliveries, webhooks, service: deliveriesService }),
  ];

  function createHttp(isDraining: () => boolean) {
    const clock = () => now().getTime();
    const authenticate = createAuthenticate({
      findCaller: createKeyLookup({ keys: createKeysRepository(sql), now: clock }),
      limits: {
        customer: createTokenBucket({ ...settings.customerLimit, now: clock }),
        device: createTokenBucket({ ...settings.deviceLimit, now: clock }),
      },
      failures: createTokenBucket({
        perSecond: settings.failedKeysPerMinute / 60,
        burst: settings.failedKeysPerMinute,
        now: clock,
      }),
    });
    const checks = { database: () => databaseHealth(sql), temporal: temporal.health };
    return createApp({
      routes,
      authenticate,
      transact,
      withIdempotency: createIdempotency(createIdempotencyKeysRepository(answerBox), transact),
      translateFault,
      observe,
      extras: [createHealth(checks, isDraining), createDocs(openApi(routes, API_INFO))],
    });
  }

  function observe({ error, durationMs, operationId, status, ...rest }: RequestLog): void {
    metrics.requestDuration.observe({ operation: operationId, status: String(status) }, durationMs / 1000);
    const entry = { ...rest, operationId, status, durationMs: Math.round(durationMs) };
    if (status >= 500 && error !== undefined) log.error({ ...entry, err: error }, 'request failed');
    else log.debug(entry, 'request');
  }

  return {
    sql,
    routes,
    temporal,

    async startApi(): Promise<RunningApi> {
      let server: HttpServer | undefined;
      const app = createHttp(() => server?.isDraining() ?? false);
      const metricsServer = await listenMetrics(metrics, settings.host, settings.metricsPort);
      server = await listen({
        listener: app.callback(),
        host: settings.host,
        port: settings.port,
        requestTimeoutMs: settings.requestTimeoutMs,
      });
      return {
        port: server.port,
        metricsPort: metricsServer.port,
        async stop(deadlineMs) {
          await server.stop(deadlineMs);
          await metricsServer.stop();
        },
      };
    },

    async startWorker(givenBundle?: WorkflowBundleOption): Promise<RunningPart> {
      // Nothing is sent before all is ready: bundling holds the process up, and until the end of it nobody can stop us.
      const workflowBundle = givenBundle ?? (await bundleWorkflows());
      let isStopping = false;
      const attempts = createAttempts({
        deliveries,
        endpoints,
        secretBox,
        send: sender.attempt,
        perEndpointMax,
        schedule: scheduleMs,
        probePlan,
        disableAfterMs: hooks.disableAfterMs,
        now,
        random: Math.random,
        troubled: attend.troubled,
        observe: ({ verdict, durationMs }) => {
          metrics.deliveryAttempts.inc({ verdict });
          metrics.deliveryDuration.observe(durationMs / 1000);
        },
        isCommonFault: isUnavailable,
        log,
      });
      const dispatcher = startDispatcher({
        deliveries,
        attempts,
        perEndpointMax,
        leaseSeconds,
        lookEveryMs: 1_000,
        log,
      });
      const listener = listenTo({
        url: settings.databaseUrl,
        channel: QUEUED_CHANNEL,
        onNotice: (payload) => {
          const { kind, webhookIds } = noticeOf(payload);
          if (kind === 'changed') dispatcher.recall(webhookIds);
          else dispatcher.wake(webhookIds);
        },
        onFault: (err) =>
          log.warn({ err }, 'no notices of new deliveries: the dispatcher looks every second'),
      });
      const trouble = createEndpointTroubleService({
        deliveries,
        endpoints,
        attempts,
        perEndpointMax,
        leaseSeconds,
        drainPerSecondMax: hooks.drainPerSecondMax,
        drainTickMs: hooks.drainTickMs,
        wake: (webhookId) => notifyQueued(sql, [webhookId]),
        isStopping: () => isStopping,
        log,
      });
      const worker = await startTemporalWorker({
        address: settings.temporalAddress,
        namespace: settings.temporalNamespace,
        taskQueue: settings.taskQueue,
        activities: createActivities({ course, trouble }),
        log,
        workflowBundle,
      });
      const lookAgainMs = settings.jobLookAgainMs;
      const sweeps = [
        every(
          settings.sweepIntervalMs,
          () => sweepJobs({ ...jobs, startJob: starter.startJob, lookAgainMs }),
          temporalFault('sweep jobs'),
        ),
        every(
          settings.sweepIntervalMs,
          () => sweepEndpoints({ ...endpoints, attend: starter.attendEndpoint, lookAgainMs }),
          temporalFault('sweep endpoints'),
        ),
        every(
          HOUR_MS,
          () =>
            cleanUp({
              sql,
              now: now(),
              deliveriesDays: hooks.retentionDays,
              measurementsDays: settings.measurementsRetentionDays,
            }),
          (err) => log.warn({ err }, 'what is old stays for another hour'),
        ),
      ];
      return {
        async stop() {
          isStopping = true;
          await Promise.all([
            ...sweeps.map((sweep) => sweep.stop()),
            listener.stop(),
            worker.stop(),
            dispatcher.stop(),
          ]);
        },
      };
    },

    /** After the parts have stopped. */
    async close(): Promise<void> {
      await progress.flush();
      await Promise.allSettled(starting);
      await attend.flush();
      await sender.close();
      await temporal.close();
      await sql.destroy();
    },
  };
}

interface CleanUp {
  sql: Sql;
  now: Date;
  deliveriesDays: number;
  measurementsDays: number;
}

/** Partitions ahead of time, and nothing kept beyond its time. */
async function cleanUp({ sql, now, deliveriesDays, measurementsDays }: CleanUp): Promise<void> {
  await removeExpiredAnswers(sql);
  for (const table of PARTITIONED_TABLES) await createPartitions(sql, table, now);
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  for (const table of DELIVERY_TABLES) await dropPartitions(sql, table, daysAgo(deliveriesDays));
  await dropPartitions(sql, MEASUREMENTS, daysAgo(measurementsDays));
}

/** The database being away is an ordinary fault; what else a driver throws is a defect of ours. */
function translateFault(error: unknown): unknown {
  if (error instanceof AppError || !isUnavailable(error)) return error;
  return new AppError('unavailable', 'The database cannot be reached at present: try again soon', {
    cause: error,
    headers: { 'Retry-After': '5' },
  });
}

/** The API as it documents itself; nothing is connected. */
export function documentedApi() {
  const settings = readSettings({
    DATABASE_URL: 'postgres://nowhere',
    TEMPORAL_ADDRESS: 'nowhere:1',
    SECRETS_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  });
  return openApi(compose({ settings, log: createLog('silent') }).routes, API_INFO);
}
