/**
 * Prometheus metrics of every process, counted as events happen; each slice declares its own beside them
 * (`src/compose/metrics.ts`), and metrics-server.ts serves all. No label grows with the number of organizations,
 * devices or endpoints.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolState } from '../db/database.ts';
import { FAULT_KINDS } from '../db/faults.ts';
import type { GroupCommitObserver } from '../db/group-commit.ts';
import type { LockingCommitObservers } from '../db/locking-commit.ts';
import { counterOf, histogramOf } from './instruments.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Buckets of seconds. */
const WAIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const REQUEST_BUCKETS = [...WAIT_BUCKETS, 10];

/** Only where there is a replica. */
export const addReplicaMetrics = ({ registry }: Metrics) => ({
  lag: new Gauge({
    name: 'dms_replica_lag_seconds',
    help: 'How far the replica is behind the primary; NaN while that is not known',
    registers: [registry],
  }),
  reads: counterOf(registry, {
    name: 'dms_replica_reads_total',
    help: 'Reads that may lag, by the server that was asked first: replica, or primary while the replica is not fit',
    labelNames: ['server'],
  }),
});

/** By default a timer wakes the process a hundred times a second, which is most of the cost of an idle one. */
const LOOP_DELAY_EVERY_MS = 100;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_DELAY_EVERY_MS });
  return {
    registry,
    /** States of pools by name; null: the pool has ended. */
    pools: new Map<string, () => PoolState | null>(),
    /** Number of waiting items in each group commit. */
    queues: new Map<string, () => number>(),
    requestDuration: histogramOf(registry, {
      name: 'dms_http_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer',
      labelNames: ['operation', 'status'],
      buckets: REQUEST_BUCKETS,
    }),
    groupCommitWait: histogramOf(registry, {
      name: 'dms_group_commit_wait_seconds',
      help: 'How long the item that waited longest did so, of each batch',
      labelNames: ['queue'],
      buckets: WAIT_BUCKETS,
    }),
    groupCommitItems: histogramOf(registry, {
      name: 'dms_group_commit_items',
      help: 'Items of each batch',
      labelNames: ['queue'],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    }),
    databaseFaults: counterOf(registry, {
      name: 'dms_database_faults_total',
      help: 'Statements that took too long (statement_timeout, lock_timeout, no_answer), callers that got no connection, and transactions that were retried after a conflict',
      series: FAULT_KINDS.map((kind) => ({ kind })),
    }),
    clockAhead: new Gauge({
      name: 'dms_clock_ahead_seconds',
      help: 'How far the clock of this machine is ahead of that of the database; negative: behind',
      registers: [registry],
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
