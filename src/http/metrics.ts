/**
 * Prometheus metrics that are counted as events happen; metrics-server.ts serves them. No label grows with
 * the number of organizations, devices or endpoints.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolState } from '../db/database.ts';
import { FAULT_KINDS } from '../db/faults.ts';
import type { GroupCommitObserver } from '../db/group-commit.ts';
import type { LockingCommitObservers } from '../db/locking-commit.ts';

export interface Metrics {
  registry: Registry;
  /** States of pools by name; null: the pool has ended. */
  pools: Map<string, () => PoolState | null>;
  /** Number of waiting items in each group commit. */
  queues: Map<string, () => number>;
  groupCommitWait: Histogram<'queue'>;
  groupCommitItems: Histogram<'queue'>;
  databaseFaults: Counter<'kind'>;
  coapMessages: Counter<'path' | 'type' | 'code'>;
  coapRefused: Counter<'reason'>;
  requestDuration: Histogram<'operation' | 'status'>;
  temporalErrors: Counter<'call'>;
  jobsStarted: Counter;
  runsRestarted: Counter<'workflow' | 'last'>;
  clockAhead: Gauge;
  deliveryAttempts: Counter<'verdict'>;
  deliveryDuration: Histogram;
  acknowledgement: Histogram<'severity'>;
  readings: Counter<'outcome'>;
  refusedTurns: Counter<'work' | 'reason'>;
  notifications: Counter<'outcome'>;
  setAside: Counter<'work'>;
}

export const SET_ASIDE_WORKS = [
  'notifications',
  'overdue devices',
  'offsets of time zones',
  'compaction of readings',
  'snoozed alerts',
  'escalations',
] as const;

/** Buckets of seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const ACKNOWLEDGEMENT_BUCKETS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
const WAIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * Creates a counter whose series start at 0: a series that appears with its first event seems not to have
 * grown.
 */
function counterOf<Label extends string>(
  registers: Registry[],
  { name, help, series }: { name: string; help: string; series: Array<Record<Label, string>> },
): Counter<Label> {
  const labelNames = Object.keys(series[0] ?? {}) as Label[];
  const counter = new Counter({ name, help, labelNames, registers });
  for (const labels of series) counter.inc(labels, 0);
  return counter;
}

/** Only used with a replica. */
export function addReplicaMetrics({ registry }: Metrics) {
  const registers = [registry];
  return {
    lag: new Gauge({
      name: 'dms_replica_lag_seconds',
      help: 'How far the replica is behind the primary; NaN while that is not known',
      registers,
    }),
    reads: new Counter({
      name: 'dms_replica_reads_total',
      help: 'Reads that may lag, by the server that was asked first: replica, or primary while the replica is not fit',
      labelNames: ['server'],
      registers,
    }),
  };
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    pools: new Map(),
    queues: new Map(),
    requestDuration: new Histogram({
      name: 'dms_http_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer',
      labelNames: ['operation', 'status'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    coapMessages: new Counter({
      name: 'dms_coap_messages_total',
      help: 'CoAP messages by path, type and response code, including responses that are not sent',
      labelNames: ['path', 'type', 'code'],
      registers,
    }),
    coapRefused: counterOf(registers, {
      name: 'dms_coap_refused_total',
      help: 'Device messages that were refused, by reason',
      series: ['wrong_token', 'missing_token', 'unregistered_serial', 'ambiguous_serial'].map((reason) => ({
        reason,
      })),
    }),
    groupCommitWait: new Histogram({
      name: 'dms_group_commit_wait_seconds',
      help: 'How long the item that waited longest did so, of each batch',
      labelNames: ['queue'],
      buckets: WAIT_BUCKETS,
      registers,
    }),
    groupCommitItems: new Histogram({
      name: 'dms_group_commit_items',
      help: 'Items of each batch',
      labelNames: ['queue'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers,
    }),
    databaseFaults: counterOf(registers, {
      name: 'dms_database_faults_total',
      help: 'Statements that took too long (statement_timeout, lock_timeout, no_answer), callers that got no connection, and transactions that were retried after a conflict',
      series: FAULT_KINDS.map((kind) => ({ kind })),
    }),
    temporalErrors: counterOf(registers, {
      name: 'dms_temporal_errors_total',
      help: 'Failed calls to Temporal; a sweep repeats them',
      series: [
        ...['start', 'signal', 'recover', 'sweep jobs', 'sweep endpoints'],
        ...['start escalation', 'signal escalation', 'sweep escalations'],
      ].map((call) => ({ call })),
    }),
    deliveryAttempts: counterOf(registers, {
      name: 'dms_delivery_attempts_total',
      help: 'Webhook requests by outcome',
      series: ['delivered', 'retry', 'throttled', 'gone', 'blocked'].map((verdict) => ({ verdict })),
    }),
    deliveryDuration: new Histogram({
      name: 'dms_delivery_attempt_duration_seconds',
      help: 'Time from the start of a webhook request to the end of its response',
      buckets: ATTEMPT_BUCKETS,
      registers,
    }),
    acknowledgement: new Histogram({
      name: 'dms_alert_acknowledgement_seconds',
      help: 'Time from the record of an alert until somebody first has it in hand, by severity',
      labelNames: ['severity'],
      buckets: ACKNOWLEDGEMENT_BUCKETS,
      registers,
    }),
    readings: counterOf(registers, {
      name: 'dms_readings_total',
      help: 'Readings by outcome: accepted, duplicate, in conflict with a known one, or dropped because of their time',
      series: ['accepted', 'duplicate', 'conflict', 'dropped'].map((outcome) => ({ outcome })),
    }),
    refusedTurns: counterOf(registers, {
      name: 'dms_refused_turns_total',
      help: 'Messages of devices and look-ups of host names that had no turn in time, by reason: overloaded, or locked',
      series: ['message', 'host name'].flatMap((work) =>
        ['overloaded', 'locked'].map((reason) => ({ work, reason })),
      ),
    }),
    notifications: counterOf(registers, {
      name: 'dms_notifications_total',
      help: 'Attempts to send a message to a notification channel, by outcome: sent, retried or failed',
      series: ['sent', 'retried', 'failed'].map((outcome) => ({ outcome })),
    }),
    setAside: counterOf(registers, {
      name: 'dms_set_aside_total',
      help: 'Items of queues and sweeps that could not be processed, each alone, and are tried again later, by work',
      series: SET_ASIDE_WORKS.map((work) => ({ work })),
    }),
    clockAhead: new Gauge({
      name: 'dms_clock_ahead_seconds',
      help: 'How far the clock of this machine is ahead of that of the database; negative: behind',
      registers,
    }),
    runsRestarted: counterOf(registers, {
      name: 'dms_runs_restarted_total',
      help: 'Runs of jobs, endpoints and escalations that a sweep started, by how the run before had ended: failed, terminated, …; none: there was none',
      series: ['apply-profile', 'deliver-webhooks', 'escalate-alert'].flatMap((workflow) =>
        ['none', 'failed', 'terminated', 'timed_out'].map((last) => ({ workflow, last })),
      ),
    }),
    jobsStarted: new Counter({
      name: 'dms_config_jobs_started_total',
      help: 'Job workflows started',
      registers,
    }),
  };
}

/** Metrics of the group commit with this name. */
export function observeGroupCommit(
  { queues, groupCommitWait, groupCommitItems }: Metrics,
  queue: string,
): GroupCommitObserver {
  const wait = groupCommitWait.labels(queue);
  const size = groupCommitItems.labels(queue);
  return {
    observeQueue: (countWaiting) => void queues.set(queue, countWaiting),
    observeBatch({ items, longestWaitMs }) {
      wait.observe(longestWaitMs / 1000);
      size.observe(items);
    },
  };
}

export const observeLockingCommit = (metrics: Metrics, queue: string): LockingCommitObservers => ({
  direct: observeGroupCommit(metrics, queue),
  waiting: observeGroupCommit(metrics, `locked ${queue}`),
});
