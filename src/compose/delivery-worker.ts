/** What the worker does with deliveries: the dispatcher sends what is due, recovery steps run for endpoints in trouble. */
import { type Database, openDatabase } from '../db/database.ts';
import { listenTo } from '../db/listen.ts';
import { type Attempts, createAttempts } from '../deliveries/attempts.service.ts';
import { type ClaimsRepository, createClaimsRepository } from '../deliveries/claims.repository.ts';
import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import {
  notifyQueued,
  parseNotification,
  QUEUED_CHANNEL,
} from '../deliveries/delivery-notifications.repository.ts';
import { startDispatcher } from '../deliveries/dispatcher.service.ts';
import { createEndpointRecoveryService } from '../deliveries/endpoint-recovery.service.ts';
import {
  createEndpointHealthRepository,
  type EndpointHealthRepository,
} from '../endpoints/endpoint-health.repository.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';

const POLL_INTERVAL_MS = 1_000;
const OUTBOX_POOL_SIZE = 8;
const OUTBOX_SESSION = {
  // Claims and outcomes that a crash of the database loses are made again: the same delivery, the same webhook-id.
  synchronous_commit: 'off',
  // A few rows among millions, always by index; the planner cannot know how few, and would read whole partitions.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

export function startDeliveryWorker(resources: Resources, deliveries: Slices['deliveries']) {
  const { settings, sql, log } = resources;
  const { perEndpointMax, leaseSeconds, drainPerSecondMax, drainTickMs } = settings.webhooks;
  const outbox = openOutbox(resources);
  const claims = createClaimsRepository(outbox);
  const endpoints = createEndpointHealthRepository(sql);
  const attempts = composeAttempts(resources, deliveries, { outbox, claims, endpoints });
  const dispatching = startDispatching(resources, { claims, attempts });
  let isStopping = false;
  return {
    recoverySteps: createEndpointRecoveryService({
      claims,
      endpoints,
      attempts,
      perEndpointMax,
      leaseSeconds,
      drainPerSecondMax,
      drainTickMs,
      wake: (endpointId) => notifyQueued(sql, [endpointId]),
      isStopping: () => isStopping,
      log,
    }),
    async stop() {
      isStopping = true;
      await dispatching.stop();
    },
    /** After the last activity has ended. */
    close: () => outbox.destroy(),
  };
}

const openOutbox = ({ settings }: Resources) =>
  openDatabase({
    url: settings.databaseUrl,
    poolSize: OUTBOX_POOL_SIZE,
    statementTimeoutMs: settings.statementTimeoutMs,
    applicationName: 'device-monitoring-service deliveries',
    session: OUTBOX_SESSION,
  });

interface Outbox {
  outbox: Database;
  claims: ClaimsRepository;
  endpoints: EndpointHealthRepository;
}

function composeAttempts(
  { settings, deliveryPlan, metrics, secretBox, now, log }: Resources,
  { send, notifyRecovery }: Slices['deliveries'],
  { outbox, claims, endpoints }: Outbox,
): Attempts {
  return createAttempts({
    claims,
    deliveries: createDeliveriesRepository(outbox),
    endpoints,
    secretBox,
    send,
    perEndpointMax: settings.webhooks.perEndpointMax,
    schedule: deliveryPlan.scheduleMs,
    probePlan: deliveryPlan.probePlan,
    disableAfterMs: deliveryPlan.disableAfterMs,
    now,
    random: Math.random,
    notifyRecovery,
    observe: ({ verdict, durationMs }) => {
      metrics.deliveryAttempts.inc({ verdict });
      metrics.deliveryDuration.observe(durationMs / 1000);
    },
    log,
  });
}

/** The dispatcher, woken by the database's notifications. */
function startDispatching(
  { settings, log }: Resources,
  { claims, attempts }: { claims: ClaimsRepository; attempts: Attempts },
) {
  const { perEndpointMax, leaseSeconds } = settings.webhooks;
  const dispatcher = startDispatcher({
    claims,
    attempts,
    perEndpointMax,
    leaseSeconds,
    lookEveryMs: POLL_INTERVAL_MS,
    log,
  });
  const listener = listenTo({
    url: settings.databaseUrl,
    channel: QUEUED_CHANNEL,
    onNotification: (payload) => {
      const { kind, endpointIds } = parseNotification(payload);
      if (kind === 'changed') dispatcher.recall(endpointIds);
      else dispatcher.wake(endpointIds);
    },
    onFault: (err) =>
      log.warn({ err }, 'No notifications of new deliveries: the dispatcher polls every second'),
  });
  return {
    async stop() {
      await Promise.all([listener.stop(), dispatcher.stop()]);
    },
  };
}
