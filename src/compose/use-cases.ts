/** Everything that a process of the service may use, put together once: repositories, rules, and what they need. */
import { createAlertStatesRepository } from '../alerts/alert-states.repository.ts';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { createAlertsService } from '../alerts/alerts.service.ts';
import { createAssetsRepository } from '../assets/assets.repository.ts';
import { createAssetsService } from '../assets/assets.service.ts';
import { createCertificatesRepository } from '../certificates/certificates.repository.ts';
import { createCertificatesService } from '../certificates/certificates.service.ts';
import { createChangesService } from '../config-jobs/changes.service.ts';
import type { JobRef } from '../config-jobs/config-job.ts';
import { createConfigJobsRepository } from '../config-jobs/config-jobs.repository.ts';
import { createConfigJobsService } from '../config-jobs/config-jobs.service.ts';
import { createConfigTargetsRepository } from '../config-jobs/config-targets.repository.ts';
import { createDaylightSavingService } from '../config-jobs/daylight-saving.service.ts';
import { createFinishJob } from '../config-jobs/finish-job.service.ts';
import { createJobRunService } from '../config-jobs/job-run.service.ts';
import { createProgressSignals } from '../config-jobs/progress-signals.service.ts';
import { createRecompile } from '../config-jobs/recompile.service.ts';
import { createScheduledDevicesRepository } from '../config-jobs/scheduled-devices.repository.ts';
import { openDatabase, type Sql } from '../db/database.ts';
import { isUnavailable } from '../db/faults.ts';
import { createPartitionKeeper, MEASUREMENTS } from '../db/partitions.ts';
import { createTransact } from '../db/transaction.ts';
import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { createDeliveriesService } from '../deliveries/deliveries.service.ts';
import { createRecoveryNotifier } from '../deliveries/recovery-notifier.service.ts';
import { createSender, type SenderOptions } from '../deliveries/sender.service.ts';
import {
  createConfigurationCache,
  createConfigurationsRepository,
} from '../devices/configurations.repository.ts';
import { createDeviceExchanges } from '../devices/device-exchange.service.ts';
import { createDeviceInfoRepository } from '../devices/device-info.repository.ts';
import { createDeviceInfoService } from '../devices/device-info.service.ts';
import { createDevicesRepository } from '../devices/devices.repository.ts';
import { createPendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { createUnregisteredDevicesRepository } from '../devices/unregistered-devices.repository.ts';
import { isAllowedAddress } from '../endpoints/allowed-address.ts';
import { createEndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { createEndpointsRepository } from '../endpoints/endpoints.repository.ts';
import { createWebhooksService } from '../endpoints/endpoints.service.ts';
import { createSecretBox } from '../endpoints/secret-box.ts';
import { createPublishEvents } from '../events/events.service.ts';
import { createMetrics } from '../http/metrics.ts';
import { createKeysRepository } from '../keys/keys.repository.ts';
import { createKeyLookup } from '../keys/keys.service.ts';
import { createIntake } from '../measurements/intake.service.ts';
import { createMeasurementsRepository } from '../measurements/measurements.repository.ts';
import { createIngressAvailabilityRepository } from '../presence/ingress-availability.repository.ts';
import type { Settings } from '../process/config.ts';
import type { Log } from '../process/log.ts';
import { VERSION } from '../process/version.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { createStarter } from '../temporal/starter.ts';

export interface ComposeOptions {
  settings: Settings;
  log: Log;
  now?: () => Date;
  /** How names of receivers are looked up; the system's way by default. */
  resolve?: SenderOptions['resolve'];
}

export type UseCases = ReturnType<typeof createUseCases>;

export function createUseCases({ settings, log, now = () => new Date(), resolve }: ComposeOptions) {
  const sql = openDatabase({
    url: settings.databaseUrl,
    poolSize: settings.databasePoolSize,
    statementTimeoutMs: settings.statementTimeoutMs,
    applicationName: 'device-monitoring-service',
  });
  const transact = createTransact(sql);
  /** For batches of devices that speak: a few statements, many times a second. */
  const transactBatch = createTransact(sql, { plans: 'once' });
  const endpoints = createEndpointHealthRepository(sql);
  const metrics = createMetrics({ endpoints: endpoints.countByState });
  const temporal = connectTemporal(settings.temporalAddress, settings.temporalNamespace);
  const starter = createStarter({
    client: temporal.client,
    taskQueue: settings.taskQueue,
    pollIntervalMs: settings.jobPollIntervalMs,
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
    unregisteredIn: createUnregisteredDevicesRepository,
    webhooksIn: createEndpointsRepository,
    deliveriesIn: createDeliveriesRepository,
    endpointsIn: createEndpointHealthRepository,
    deviceInfoIn: createDeviceInfoRepository,
    alertsIn: createAlertsRepository,
    statesIn: createAlertStatesRepository,
    measurementsIn: createMeasurementsRepository,
    configurationsIn,
    devicesIn,
  };

  const temporalFault = (call: string) => (err: unknown) => {
    metrics.temporalErrors.inc({ call });
    log.warn({ err, call }, 'Temporal did not take it: the sweep or the next look makes up for it');
  };
  const progress = createProgressSignals({
    count: ({ jobId }) => jobs.count(jobId),
    signal: starter.signalJob,
    intervalMs: settings.jobSignalIntervalMs,
    onFault: temporalFault('signal'),
  });
  const starting = new Set<Promise<void>>();
  /** After the commit; nobody waits for it. */
  function startJob(job: JobRef): void {
    const start = starter
      .startJob(job)
      .then(() => jobs.touchWorkflow(job))
      .then(() => metrics.jobsStarted.inc(), temporalFault('start'))
      .finally(() => starting.delete(start));
    starting.add(start);
  }

  const secretBox = createSecretBox(settings.secretsKeys);
  const sender = createSender({
    isAllowedAddress: (address) => isAllowedAddress(address, settings.webhookAllowedRanges),
    userAgent: `device-monitoring-service/${VERSION}`,
    deadlineMs: settings.webhooks.deadlineMs,
    connectTimeoutMs: settings.webhooks.connectTimeoutMs,
    resolve,
    now,
  });
  const deliveries = createDeliveriesRepository(sql);
  const publish = createPublishEvents(inTransaction);
  const recovery = createRecoveryNotifier({
    startRecovery: starter.startRecovery,
    onFault: temporalFault('start recovery'),
  });

  const jobsProgressed = progress.progressed;
  const listeners = createIngressAvailabilityRepository(sql);
  const alerts = createAlertsService({ ...inTransaction, transact, listeners, publish, now });
  const changes = createChangesService({ ...inTransaction, onAlertRulesChanged: alerts.onAlertRulesChanged });
  const finishJob = createFinishJob({ ...inTransaction, publish, now });
  const jobsService = createConfigJobsService({
    ...inTransaction,
    changes,
    finishJob,
    now,
    startJob,
    jobsProgressed,
  });
  const jobRun = createJobRunService({ ...inTransaction, transact, changes, finishJob, jobsProgressed });
  const daylightSaving = createDaylightSavingService({
    ...inTransaction,
    transact,
    scheduledDevices: createScheduledDevicesRepository(sql),
    scheduledIn: createScheduledDevicesRepository,
    now,
  });
  const assetsService = createAssetsService({
    ...inTransaction,
    jobsProgressed,
    alertsEnded: alerts.archived,
  });
  const contacts = createDeviceExchanges({
    ...inTransaction,
    transact,
    recompile: createRecompile({ ...inTransaction, now }),
    onAlertRulesChanged: alerts.onAlertRulesChanged,
    markOnline: alerts.markOnline,
    jobsProgressed: progress.recordOutcomes,
    publish,
    isCommonFault: isUnavailable,
    now,
  });

  const deviceInfo = createDeviceInfoService({ ...inTransaction, transact, contacts });
  const intake = createIntake({
    ...inTransaction,
    transact: transactBatch,
    partitions: createPartitionKeeper(sql, MEASUREMENTS),
    evaluate: alerts.evaluate,
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
    notifyRecovery: recovery.notifyRecovery,
    log,
  });
  const webhooks = createEndpointsRepository(sql);
  const deliveriesService = createDeliveriesService({
    ...inTransaction,
    secretBox,
    send: sender.attempt,
    secretGracePeriodMs: settings.webhooks.secretGracePeriodMs,
    now,
    notifyRecovery: recovery.notifyRecovery,
  });

  return {
    settings,
    log,
    now,
    sql,
    transact,
    metrics,
    temporal,
    starter,
    temporalFault,
    secretBox,
    findCaller: createKeyLookup({ keys: createKeysRepository(sql), now: () => now().getTime() }),
    sender,
    recovery,
    repositories: { jobs, assets, webhooks, deliveries, endpoints, listeners, ...inTransaction },
    services: {
      alerts,
      daylightSaving,
      assetsService,
      certificates,
      webhooksService,
      deliveriesService,
      jobsService,
      jobRun,
      contacts,
      deviceInfo,
      intake,
    },

    /** After the parts have stopped. */
    async close(): Promise<void> {
      await progress.flush();
      await Promise.allSettled(starting);
      await recovery.flush();
      await sender.close();
      await temporal.close();
      await sql.destroy();
    },
  };
}
