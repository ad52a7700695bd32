/** Prometheus metrics; see metrics-server.ts for where they can be read. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  registry: Registry;
  coapMessages: Counter<'path' | 'type' | 'code'>;
  coapRefused: Counter<'reason'>;
  requestDuration: Histogram<'operation' | 'status'>;
  temporalErrors: Counter<'call'>;
  jobsStarted: Counter;
  runsRestarted: Counter<'workflow' | 'last'>;
  clockAhead: Gauge;
  deliveryAttempts: Counter<'verdict'>;
  deliveryDuration: Histogram;
  readings: Counter<'outcome'>;
  refusedTurns: Counter<'work' | 'reason'>;
  notifications: Counter<'outcome'>;
}

/** Counted when the metrics are read, instead of as it happens. */
export interface MetricSources {
  /** Fleets that are overdue. */
  overdueFleets(): Promise<number>;
}

type CountEndpoints = () => Promise<
  { oldestDueSeconds: number } & Record<(typeof ENDPOINT_STATES)[number], number>
>;

const ENDPOINT_STATES = ['closed', 'open', 'draining', 'disabled'] as const;

/** Counts endpoints when the metrics are read, which reads the queues of all: only workers show these. */
export function addEndpointMetrics({ registry }: Metrics, count: CountEndpoints): void {
  const registers = [registry];
  // While the database is away, the other metrics are still shown.
  const countEndpoints = shared(() => count().catch(() => null));
  new Gauge({
    name: 'dms_delivery_oldest_due_seconds',
    help: 'Age of the oldest due delivery of all active endpoints; 0 when none is due',
    registers,
    async collect() {
      const countByState = await countEndpoints();
      this.reset();
      if (countByState) this.set(countByState.oldestDueSeconds);
    },
  });
  new Gauge({
    name: 'dms_webhook_endpoints',
    help: 'Webhook endpoints by state: breaker closed, open or draining, or the endpoint disabled',
    labelNames: ['state'],
    registers,
    async collect() {
      const countByState = await countEndpoints();
      this.reset();
      if (countByState) for (const state of ENDPOINT_STATES) this.set({ state }, countByState[state]);
    },
  });
}

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

/** Reads the queues of all channels when the metrics are read: only workers show it. */
export function addNotificationMetrics({ registry }: Metrics, oldestDueSeconds: () => Promise<number>): void {
  new Gauge({
    name: 'dms_notification_oldest_due_seconds',
    help: 'Age of the oldest due message to an active notification channel; 0 when none is due',
    registers: [registry],
    async collect() {
      const seconds = await oldestDueSeconds().catch(() => null);
      this.reset();
      if (seconds !== null) this.set(seconds);
    },
  });
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'dms_overdue_fleets',
    help: 'Organizations of which many devices became overdue at once, until it is over or confirmed',
    registers,
    async collect() {
      const count = await sources.overdueFleets().catch(() => null);
      this.reset();
      if (count !== null) this.set(count);
    },
  });
  return {
    registry,
    requestDuration: new Histogram({
      name: 'dms_http_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    coapMessages: new Counter({
      name: 'dms_coap_messages_total',
      help: 'CoAP messages by path, type and response code, including responses that are not sent',
      labelNames: ['path', 'type', 'code'],
      registers,
    }),
    coapRefused: new Counter({
      name: 'dms_coap_refused_total',
      help: 'Device messages that were refused, by reason',
      labelNames: ['reason'],
      registers,
    }),
    temporalErrors: new Counter({
      name: 'dms_temporal_errors_total',
      help: 'Failed calls to Temporal; a sweep repeats them',
      labelNames: ['call'],
      registers,
    }),
    deliveryAttempts: new Counter({
      name: 'dms_delivery_attempts_total',
      help: 'Webhook requests by outcome',
      labelNames: ['verdict'],
      registers,
    }),
    deliveryDuration: new Histogram({
      name: 'dms_delivery_attempt_duration_seconds',
      help: 'Time from the start of a webhook request to the end of its response',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    readings: new Counter({
      name: 'dms_readings_total',
      help: 'Readings by outcome: accepted, duplicate, or dropped because of their time',
      labelNames: ['outcome'],
      registers,
    }),
    refusedTurns: new Counter({
      name: 'dms_refused_turns_total',
      help: 'Frames, reports and look-ups of host names that had no turn in time, by reason: overloaded, or locked',
      labelNames: ['work', 'reason'],
      registers,
    }),
    notifications: new Counter({
      name: 'dms_notifications_total',
      help: 'Attempts to send a message to a notification channel, by outcome: sent, retried or failed',
      labelNames: ['outcome'],
      registers,
    }),
    clockAhead: new Gauge({
      name: 'dms_clock_ahead_seconds',
      help: 'How far the clock of this machine is ahead of that of the database; negative: behind',
      registers,
    }),
    runsRestarted: new Counter({
      name: 'dms_runs_restarted_total',
      help: 'Runs of jobs and endpoints that a sweep started, by how the run before had ended: failed, terminated, …; none: there was none',
      labelNames: ['workflow', 'last'],
      registers,
    }),
    jobsStarted: new Counter({
      name: 'dms_config_jobs_started_total',
      help: 'Job workflows started',
      registers,
    }),
  };
}

/** Concurrent callers share one run. */
function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= run().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
