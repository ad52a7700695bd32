/**
 * The parts of a process that every slice may need: database, Temporal client, metrics, log, clock. Nothing
 * connects yet.
 */
import { createBatchTransact } from '../db/batch-transaction.ts';
import { openDatabase, openTransferDatabase, readPool } from '../db/database.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import { type FaultKind, isLockTimeout, isOutage } from '../db/faults.ts';
import { batchSlots } from '../db/locking-commit.ts';
import { createTransact, type Transact } from '../db/transaction.ts';
import { DELIVERY_PLAN, type DeliveryPlan } from '../deliveries/delivery.ts';
import type { ResolveName } from '../deliveries/name-lookups.service.ts';
import { notifyQueued } from '../deliveries/outbox.repository.ts';
import { createQueueNotifier } from '../deliveries/queue-notifier.service.ts';
import { createSecretBox } from '../endpoints/secret-box.ts';
import { atMostEvery } from '../http/instruments.ts';
import type { Settings } from '../process/config.ts';
import { rateLimited, withoutStatement } from '../process/errors.ts';
import { createKeyedSemaphore } from '../process/keyed-semaphore.ts';
import type { Log } from '../process/log.ts';
import { openTracing } from '../process/open-telemetry.ts';
import { type Outage, summarizeOutages } from '../process/outage-log.ts';
import { TIME_ZONE_RULES } from '../process/time-zone-rules.ts';
import { connectTemporal, toTemporalConnection } from '../temporal/connection.ts';
import { explainFault, isTemporalAway } from '../temporal/connection-faults.ts';
import { endedAbnormally, type LastRun } from '../temporal/runs.ts';
import { createStarter } from '../temporal/starter.ts';
import { composeMetrics, type SET_ASIDE_WORKS } from './metrics.ts';
import { composeReplica } from './replica.ts';
import { traceTransactions, warnOfLostSpans } from './traces.ts';

/** Minimum time between two notifications of queued deliveries. */
const NOTIFY_GATHER_MS = 3;
/** Connections that changes of all organizations take at most: messages of devices and reads have the others. */
const CHANGES_SHARE = 0.75;
/**
 * A change waits longer for a lock than a message of a device does, and shorter than REQUEST_TURN_MS: while the changes of two
 * organizations hold all turns and wait for locks, those of others get turns in time.
 */
const CHANGE_LOCK_FACTOR = 2;
/** How long a request waits for a connection while its organization, or all together, have all that they may take. */
const REQUEST_TURN_MS = 5_000;
/**
 * Connections that lists of an organization, and of all, take at most: beside its changes, one organization leaves a fifth to
 * others and to its devices.
 */
const LISTS_SHARE = { ofOne: 0.3, ofAll: 0.6 };
/** A list sends two statements at once: its page, and its total. */
const STATEMENTS_PER_LIST = 2;
/** Of one organization. */
const WAITING_LISTS_MAX = 1_000;

const toLists = (connections: number): number => Math.max(1, Math.floor(connections / STATEMENTS_PER_LIST));

export interface ComposeOptions {
  settings: Settings;
  log: Log;
  /** Replaces the clock of the database, so that tests can set the time. */
  now?: () => Date;
  /** Times caches and limits; by default never adjusted, so it survives a step of the database's clock. */
  monotonicMs?: () => number;
  /** The process's own clock; by default the machine's. */
  processNow?: () => Date;
  /** Looks up names of receivers; by default with the hosts file and name servers. */
  resolve?: ResolveName;
  /** Lets tests run days of retries in milliseconds. Absent fields are as in production. */
  deliveryPlan?: Partial<DeliveryPlan>;
  /** Between two looks of an open page for changes. */
  watchIntervalMs?: number;
  /**
   * Without threads, runs start at once, which tests with hundreds of services need. Default: with threads.
   */
  hasWorkflowThreads?: boolean;
}

export type Resources = ReturnType<typeof openResources>;

export function openResources(options: ComposeOptions) {
  const { settings, resolve, hasWorkflowThreads = true, watchIntervalMs = 3_000 } = options;
  const deliveryPlan = { ...DELIVERY_PLAN, ...options.deliveryPlan };
  const log = summarizeOutages(options.log, { findOutage });
  const { processNow = () => new Date() } = options;
  const lostConnections = new Set<() => void>();
  const metrics = composeMetrics();
  const database = {
    url: settings.databaseUrl,
    pooler: settings.databasePooler,
    isDistributed: settings.isDatabaseDistributed,
    statementTimeoutMs: settings.statementTimeoutMs,
    applicationName: 'device-monitoring-service',
    onConnectionLost() {
      for (const listener of lostConnections) listener();
    },
    onFault: (kind: FaultKind) => metrics.databaseFaults.inc({ kind }),
  };
  const sql = openDatabase({ ...database, poolSize: settings.databasePoolSize });
  const clock = createDatabaseClock({ sql, processNow, monotonicMs: () => performance.now() });
  const transferSql = openTransferDatabase({ ...database, poolSize: settings.transfers.poolSize });
  metrics.pools.set('main', () => readPool(sql));
  metrics.pools.set('transfers', () => readPool(transferSql));
  const lockTimeoutMs = settings.deviceLockTimeoutMs;
  const requestTurns = createKeyedSemaphore({
    perKeyMax: Math.floor(settings.databasePoolSize / 2),
    totalMax: Math.floor(settings.databasePoolSize * CHANGES_SHARE),
    waitMaxMs: REQUEST_TURN_MS,
    onRefused: () => metrics.refusedTurns.inc({ work: 'change', reason: 'overloaded' }),
  });
  const onRetry = () => metrics.databaseFaults.inc({ kind: 'retried' });
  const tracing = settings.traces && openTracing(settings.traces, warnOfLostSpans(options.log));
  const temporal = connectTemporal(toTemporalConnection(settings), tracing);
  const transact = traceTransactions(tracing, createTransact(sql, { onRetry }));
  const transactChange = traceTransactions(
    tracing,
    createTransact(sql, { onRetry, lockTimeoutMs: lockTimeoutMs * CHANGE_LOCK_FACTOR }),
  );
  function refuseLocked(error: unknown): never {
    if (!isLockTimeout(error)) throw error;
    metrics.refusedTurns.inc({ work: 'change', reason: 'locked' });
    throw rateLimited('Another change of what this one needs is under way: try again soon', 5);
  }
  return {
    settings,
    log,
    now: options.now ?? clock.now,
    monotonicMs: options.monotonicMs ?? (() => performance.now()),
    clock,
    onConnectionLost: (listener: () => void) => void lostConnections.add(listener),
    /** Release of the time zone database of the runtime; null: unknown. */
    timeZoneRules: TIME_ZONE_RULES,
    resolve,
    hasWorkflowThreads,
    deliveryPlan,
    watchIntervalMs,
    /** How the database is reached, for pools of a slice. */
    database,
    sql,
    /** For exports and files. */
    transferSql,
    /** For lists, whose statements may be slow. */
    listTurns: createKeyedSemaphore({
      perKeyMax: toLists(settings.databasePoolSize * LISTS_SHARE.ofOne),
      totalMax: toLists(settings.databasePoolSize * LISTS_SHARE.ofAll),
      waitMaxMs: REQUEST_TURN_MS,
      waitingMax: WAITING_LISTS_MAX,
      onRefused: () => metrics.refusedTurns.inc({ work: 'list', reason: 'overloaded' }),
    }),
    /** Turns for the chunks of certificates, so that no organization takes all connections of `transferSql`. */
    transferTurns: createKeyedSemaphore({
      perKeyMax: Math.max(1, settings.transfers.poolSize - 1),
      totalMax: settings.transfers.poolSize,
    }),
    lagging: composeReplica({ settings, log, metrics, database, sql, transferSql }),
    /** Null: no traces. */
    tracing,
    transact,
    /** For requests: an organization takes at most half of the connections, because a transaction may wait for a lock. */
    transactFor:
      (organizationId: string): Transact =>
      (work) =>
        requestTurns.run(organizationId, () => transactChange(work)).catch(refuseLocked),
    /** For batches of messages from devices, which run the same few statements many times a second. */
    transactMessages: traceTransactions(
      tracing,
      createBatchTransact(sql, { startsWithRead: true, lockTimeoutMs, onRetry }),
    ),
    slots: batchSlots(settings.databasePoolSize, !settings.isDatabaseDistributed),
    metrics,
    /** A read of the database for metrics, made at most once per `metricsMaxAgeMs`, times `factor`. */
    cached: <T>(read: () => Promise<T>, factor = 1) => atMostEvery(settings.metricsMaxAgeMs * factor, read),
    queueNotifier: createQueueNotifier({
      notify: (endpoints) => notifyQueued(sql, endpoints),
      gatherMs: NOTIFY_GATHER_MS,
      onFault: (err) =>
        log.warn({ err }, 'Dispatchers were not notified: they find what is queued by themselves'),
    }),
    temporal,
    starter: createStarter({
      client: temporal.client,
      taskQueue: settings.taskQueue,
      pollIntervalMs: settings.jobPollIntervalMs,
      operatorUrl: settings.operatorUrl,
    }),
    /** Called once for each run that replaces another one. */
    onRunStarted(workflow: string, id: string, { status, reason }: LastRun): void {
      metrics.runsRestarted.inc({ workflow, last: status });
      if (endedAbnormally(status))
        log.warn(
          { workflow, id, status, reason },
          'A run had ended before its work was done, or could not go on: started anew',
        );
    },
    /** Logs and counts an item of a queue or a sweep that cannot be processed, so that the others are processed without it. */
    onSetAside:
      (work: (typeof SET_ASIDE_WORKS)[number]) =>
      (item: object, err: unknown): void => {
        metrics.setAside.inc({ work });
        log.error(
          { err, work, ...item },
          'An item cannot be processed: it is set aside, and tried again later',
        );
      },
    onTemporalFault: (call: string) => (err: unknown) => {
      metrics.temporalErrors.inc({ call });
      log.warn({ err, call }, 'A call to Temporal failed: the sweep or the next poll makes up for it');
    },
    secretBox: createSecretBox(settings.secretsKeys),
  };
}

/** Recognizes errors that are outages of dependencies. */
function findOutage(error: unknown): Outage | null {
  if (!(error instanceof Error)) return null;
  if (isTemporalAway(error)) return { dependency: 'Temporal', reason: explainFault(error) };
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (isOutage(each)) return { dependency: 'PostgreSQL', reason: reasonOf(each) };
  }
  return null;
}

const reasonOf = ({ message, name }: Error): string => withoutStatement(message) || name;
