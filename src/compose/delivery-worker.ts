/**
 * The worker's part of deliveries: the dispatcher sends new ones, and recovery sends to endpoints whose
 * breaker opened.
 */
import { randomUUID } from 'node:crypto';
import { openDatabase, readPool } from '../db/database.ts';
import { listenTo } from '../db/listen.ts';
import { createAttemptsRepository } from '../deliveries/attempts.repository.ts';
import { type Attempts, type AttemptsDeps, createAttempts } from '../deliveries/attempts.service.ts';
import { createBacklogRepository } from '../deliveries/backlog.repository.ts';
import { type ClaimsRepository, createClaimsRepository } from '../deliveries/claims.repository.ts';
import { startDispatcher } from '../deliveries/dispatcher.service.ts';
import { createEndpointRecoveryService } from '../deliveries/endpoint-recovery.service.ts';
import { createLookBack } from '../deliveries/look-back.ts';
import { DELIVERIES_CHANNEL, notifyQueued, parseNotification } from '../deliveries/outbox.repository.ts';
import { createBreakerRepository } from '../endpoints/breaker.repository.ts';
import { createDisableEndpoint } from '../endpoints/disable-endpoint.service.ts';
import {
  createEndpointHealthRepository,
  createShownHealthRepository,
} from '../endpoints/endpoint-health.repository.ts';
import { createEndpointHealthService, createLastAttempts } from '../endpoints/endpoint-health.service.ts';
import { addEndpointGauges } from '../endpoints/endpoints.metrics.ts';
import { observeGroupCommit } from '../http/metrics.ts';
import { startPeriodic } from '../process/periodic.ts';
import { firstIdAt } from '../process/uuid.ts';
import { composePublishToEndpoints } from './events.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';
import { traceDeliveries } from './traces.ts';

const OUTBOX_POOL_SIZE = 8;
/** Polls read every delivery that was sent and is not yet vacuumed; while a dump keeps them, polls are rarer. */
const POLL_SHARE = 0.05;
export const OUTBOX_SESSION = {
  // Claims and outcomes that a crash of the database loses are repeated: the same delivery, with the same
  // webhook-id.
  synchronous_commit: 'off',
  // These statements read few rows among millions, always by index. The planner does not know that, and would
  // scan tables.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  // A statement that changes or locks rows checks a row again that another transaction has changed meanwhile.
  // PostgreSQL 18.0 to 18.4 at least then forget how to choose partitions by values of other rows: they write
  // into freed memory, and often end with all their connections. Repaired in October 2026 (commit 1b5dd3a of
  // PostgreSQL). Nine empty look-ups cost about as much as choosing.
  enable_partition_pruning: 'off',
};

export function startDeliveryWorker(resources: Resources, deliveries: Slices['deliveries']) {
  const { settings, deliveryPlan, sql, metrics, cached, now, log } = resources;
  const { perEndpointMax, leaseSeconds, drainPerSecondMax, drainTickMs } = settings.webhooks;
  const outbox = openOutbox(resources);
  const ownerId = randomUUID();
  const claims = createClaimsRepository(outbox, ownerId);
  const endpoints = createEndpointHealthRepository(sql);
  addEndpointGauges(metrics.registry, cached(endpoints.countByState));
  const breakers = createBreakerRepository(sql);
  const lastAttempts = createLastAttempts({ recordLastAttempts: endpoints.recordLastAttempts, log });
  const endpointHealth = createEndpointHealthService({
    endpoints,
    breakers: { open: breakers.open, disable: composeDisableEndpoint(resources) },
    lastAttempts,
    probePlan: deliveryPlan.probePlan,
    disableAfterMs: deliveryPlan.disableAfterMs,
    now,
    notifyRecovery: deliveries.notifyRecovery,
    log,
  });
  const attempts = composeAttempts(resources, {
    recorder: createAttemptsRepository(outbox, ownerId),
    endpointHealth,
    send: traceDeliveries(resources.tracing, deliveries.send),
    requests: deliveries.requests,
    release: claims.release,
  });
  const dispatching = startDispatching(resources, { claims, attempts });
  let isStopping = false;
  return {
    isListening: dispatching.isListening,
    recoverySteps: createEndpointRecoveryService({
      claims,
      backlog: createBacklogRepository(outbox),
      endpoints,
      breakers,
      attempts,
      perEndpointMax,
      leaseSeconds,
      drainPerSecondMax,
      drainTickMs,
      wake: (endpoint) => notifyQueued(sql, [endpoint]),
      isStopping: () => isStopping,
      log,
    }),
    async stop() {
      isStopping = true;
      await dispatching.stop();
    },
    /** To be called after the last activity has ended. */
    async close() {
      await lastAttempts.flush();
      await outbox.destroy();
    },
  };
}

const composeDisableEndpoint = (resources: Resources) =>
  createDisableEndpoint({
    transact: resources.transact,
    breakersIn: createBreakerRepository,
    healthIn: createShownHealthRepository,
    publish: composePublishToEndpoints(resources),
    now: resources.now,
  });

function openOutbox({ database, metrics }: Resources) {
  const outbox = openDatabase({
    ...database,
    poolSize: OUTBOX_POOL_SIZE,
    applicationName: `${database.applicationName} deliveries`,
    session: OUTBOX_SESSION,
    onConnectionLost() {},
  });
  metrics.pools.set('deliveries', () => readPool(outbox));
  return outbox;
}

type AttemptsNeeds = Pick<AttemptsDeps, 'recorder' | 'endpointHealth' | 'send' | 'requests' | 'release'>;

function composeAttempts(
  { deliveryPlan, metrics, secretBox, now, log }: Resources,
  needs: AttemptsNeeds,
): Attempts {
  return createAttempts({
    ...needs,
    secretBox,
    schedule: deliveryPlan.scheduleMs,
    now,
    random: Math.random,
    observe: ({ verdict, durationMs }) => {
      metrics.deliveryAttempts.inc({ verdict });
      metrics.deliveryDuration.observe(durationMs / 1000);
    },
    observer: observeGroupCommit(metrics, 'outcomes'),
    log,
  });
}

/** The dispatcher, and the notifications that wake it. */
function startDispatching(
  { settings, deliveryPlan, now, log }: Resources,
  { claims, attempts }: { claims: ClaimsRepository; attempts: Attempts },
) {
  const { perEndpointMax, leaseSeconds } = settings.webhooks;
  const { pollIntervalMs } = deliveryPlan;
  const dispatcher = startDispatcher({
    claims,
    attempts,
    perEndpointMax,
    leaseSeconds,
    pollIntervalMs,
    log,
  });
  const listener = listenTo({
    url: settings.databaseDirectUrl,
    channel: DELIVERIES_CHANNEL,
    onNotification: (payload) => {
      const { kind, endpoints } = parseNotification(payload);
      if (kind === 'changed') dispatcher.invalidate(endpoints);
      else dispatcher.wake(endpoints);
    },
    onFault: (err) =>
      log.warn({ err }, 'No notifications of new deliveries: the dispatcher polls every second'),
  });
  // Finds deliveries whose notification was lost. Runs in loops of its own, so that a slow or failed poll
  // never delays a claim.
  const onFault = (err: unknown) => log.warn({ err }, 'The outbox was not polled: it is tried again');
  const [lookForExpired, lookForPending] = [createLookBack(now), createLookBack(now)];
  const wakePendingSince = async (since: Date) =>
    dispatcher.wakePending(await claims.listPendingEndpoints(firstIdAt(since)));
  const share = { maxShare: POLL_SHARE };
  const polls = [
    startPeriodic(pollIntervalMs, () => lookForExpired(claims.releaseExpired), onFault, share),
    startPeriodic(pollIntervalMs, () => lookForPending(wakePendingSince), onFault, share),
  ];
  return {
    isListening: listener.isListening,
    async stop() {
      await Promise.all([listener.stop(), dispatcher.stop(), ...polls.map((poll) => poll.stop())]);
    },
  };
}
