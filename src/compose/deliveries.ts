import type { Database } from '../db/database.ts';
import { createBacklogRepository } from '../deliveries/backlog.repository.ts';
import { createDeletedEndpointsRepository } from '../deliveries/deleted-endpoints.repository.ts';
import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { deliveriesRoutes } from '../deliveries/deliveries.routes.ts';
import { createDeliveriesService } from '../deliveries/deliveries.service.ts';
import { createNameLookups } from '../deliveries/name-lookups.service.ts';
import { createNameResolver } from '../deliveries/name-resolver.service.ts';
import { createRecoveryNotifier } from '../deliveries/recovery-notifier.service.ts';
import { createSender } from '../deliveries/sender.service.ts';
import { isAllowedAddress } from '../endpoints/allowed-address.ts';
import { createBreakerRepository } from '../endpoints/breaker.repository.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import { createEndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { createEndpointsRepository } from '../endpoints/endpoints.repository.ts';
import { createConcurrencyLimit } from '../http/concurrency-limit.ts';
import { createKeyedSemaphore, inTurns } from '../process/keyed-semaphore.ts';
import { createPacer } from '../process/pacer.ts';
import { VERSION } from '../process/version.ts';
import { endedAbnormally, isToReplace } from '../temporal/runs.ts';
import type { Resources } from './resources.ts';

const TESTS = { name: 'tests of webhooks', perKeyMax: 8, perProcessMax: 64 };

/** The parts of deliveries in every process; delivery-worker.ts has the parts of the worker. */
export function composeDeliveries(resources: Resources) {
  const { settings, sql, lagging, listTurns, now, secretBox, onTemporalFault } = resources;
  const requests = createKeyedSemaphore({ perKeyMax: settings.webhooks.perEndpointMax });
  const sender = createSender({
    isAllowedAddress: (address) => isAllowedAddress(address, settings.webhookAllowedRanges),
    userAgent: `device-monitoring-service/${VERSION}`,
    deadlineMs: settings.webhooks.deadlineMs,
    connectTimeoutMs: settings.webhooks.connectTimeoutMs,
    names: composeNames(resources),
    now,
  });
  const recovery = createRecoveryNotifier({
    startRecovery: createRecoveryStart(resources),
    hasRunBy: createEndpointHealthRepository(sql).hasRunBy,
    onFault: onTemporalFault('recover'),
  });
  const service = createDeliveriesService({
    endpointsIn: createEndpointsRepository,
    deliveriesIn: createDeliveriesRepository,
    backlogIn: createBacklogRepository,
    breakersIn: createBreakerRepository,
    secretBox,
    send: sender.attempt,
    requests,
    secretGracePeriodMs: settings.webhooks.secretGracePeriodMs,
    now,
    notifyRecovery: recovery.notifyRecovery,
  });
  const tests = createConcurrencyLimit(TESTS);
  return {
    routes: deliveriesRoutes({
      deliveries: {
        ...createDeliveriesRepository(sql),
        list: inTurns(createDeliveriesRepository(lagging.sql), listTurns, 'list').list,
      },
      endpoints: createEndpointsRepository(sql),
      service,
      tests,
    }),
    send: sender.attempt,
    /** Also limits tests of notification channels. */
    tests,
    requests,
    notifyRecovery: recovery.notifyRecovery,
    cleanUpDeletedEndpoints: createDeletedEndpointsCleanUp(sql),
    /** To be called after all senders have stopped. */
    async close() {
      await recovery.flush();
      await sender.close();
    },
  };
}

/** A failed delivery may start a run before the sweep finds that the previous one has ended abnormally. */
function createRecoveryStart({ starter, onRunStarted }: Resources) {
  return async (endpoint: EndpointRef): Promise<void> => {
    const last = await starter.findRecoveryRun(endpoint);
    await starter.startRecovery(endpoint, { replace: isToReplace(last.status) });
    if (endedAbnormally(last.status)) onRunStarted('deliver-webhooks', endpoint.endpointId, last);
  };
}

/** Cancels deliveries queued for deleted endpoints, some hundred at a time, and then removes the endpoints. */
function createDeletedEndpointsCleanUp(sql: Database) {
  const deletedEndpoints = createDeletedEndpointsRepository(sql);
  // Senders get their share of the database.
  const pace = createPacer();
  return async (shouldContinue: () => boolean): Promise<void> => {
    while (shouldContinue() && (await pace('deleted endpoints', deletedEndpoints.cancelQueued)) > 0);
    if (shouldContinue()) await deletedEndpoints.removeEmptied();
  };
}

const composeNames = ({ settings, resolve, metrics }: Resources) =>
  createNameLookups({
    resolve: resolve ?? createNameResolver({ servers: settings.dnsServers }),
    timeoutMs: settings.webhooks.connectTimeoutMs,
    // Far less than a lease: a claim without a turn by then is released.
    waitMaxMs: settings.webhooks.connectTimeoutMs,
    onRefused: () => metrics.refusedTurns.inc({ work: 'host name', reason: 'overloaded' }),
  });
