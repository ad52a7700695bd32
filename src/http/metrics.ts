/**
 * Prometheus metrics that are counted as events happen; metrics-server.ts serves them. No label grows with
 * the number of organizations, devices or endpoints.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolState } from '../db/database.ts';
import { FAULT_KINDS } from '../db/faults.ts';
import type { GroupCommitObserver } from '../db/group-commit.ts';
import type { LockingCommitObservers } from '../db/locking-commit.ts';
import { counterOf } from './counters.ts';

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
  runsRestarted: Counter<'workflow' | 'last'>;
  clockAhead: Gauge;
  readings: Counter<'outcome'>;
  refusedTurns: Counter<'work' | 'reason'>;
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
const WAIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Only where there is a replica. */
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
    coapRefused: counterOf(registry, {
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
    databaseFaults: counterOf(registry, {
      name: 'dms_database_faults_total',
      help: 'Statements that took too long (statement_timeout, lock_timeout, no_answer), callers that got no connection, and transactions that were retried after a conflict',
      series: FAULT_KINDS.map((kind) => ({ kind })),
    }),
    temporalErrors: counterOf(registry, {
      name: 'dms_temporal_errors_total',
      help: 'Failed calls to Temporal; a sweep repeats them',
      series: [
        ...['start', 'signal', 'recover', 'sweep jobs', 'sweep endpoints'],
        ...['start escalation', 'signal escalation', 'sweep escalations'],
      ].map((call) => ({ call })),
    }),
    readings: counterOf(registry, {
      name: 'dms_readings_total',
      help: 'Readings by outcome: accepted, duplicate, in conflict with a known one, or dropped because of their time',
      series: ['accepted', 'duplicate', 'conflict', 'dropped'].map((outcome) => ({ outcome })),
    }),
    refusedTurns: counterOf(registry, {
      name: 'dms_refused_turns_total',
      help: 'Messages of devices and look-ups of host names that had no turn in time, by reason: overloaded, or locked',
      series: ['message', 'host name'].flatMap((work) =>
        ['overloaded', 'locked'].map((reason) => ({ work, reason })),
      ),
    }),
    setAside: counterOf(registry, {
      name: 'dms_set_aside_total',
      help: 'Items of queues and sweeps that could not be processed, each alone, and are tried again later, by work',
      series: SET_ASIDE_WORKS.map((work) => ({ work })),
    }),
    clockAhead: new Gauge({
      name: 'dms_clock_ahead_seconds',
      help: 'How far the clock of this machine is ahead of that of the database; negative: behind',
      registers,
    }),
    runsRestarted: counterOf(registry, {
      name: 'dms_runs_restarted_total',
      help: 'Runs of jobs, endpoints and escalations that a sweep started, by how the run before had ended: failed, terminated, …; none: there was none',
      series: ['apply-profile', 'deliver-webhooks', 'escalate-alert'].flatMap((workflow) =>
        ['none', 'failed', 'terminated', 'timed_out'].map((last) => ({ workflow, last })),
      ),
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
