/**
 * Gauges of workers about the whole service. They take statements of sweeps, so not every process reads them.
 */
import { addGauge } from './gauges.ts';
import type { Metrics } from './metrics.ts';
import { toReadings } from './process-gauges.ts';

/** Each is null while unknown. */
export interface ServiceSources {
  jobs(): Promise<{ running: number; overdue: number; withoutRun: number } | null>;
  totals(): Promise<Record<'status' | 'syncStatus' | 'openAlerts', Record<string, number>> | null>;
  alerts(): Promise<Array<{ severity: string; status: string; count: number; oldestAt: Date }> | null>;
  /** The time until which rows can be inserted, by table. */
  partitions(): Promise<Array<{ table: string; end: Date }> | null>;
  /** Whether notifications of the database arrive. */
  isListening(): boolean;
}

export function addServiceGauges({ registry }: Metrics, sources: ServiceSources): void {
  addGauge(registry, {
    name: 'dms_config_jobs',
    help: 'Jobs that are running, up to 10,000; of these, those past their deadline, and those that no run has checked for five minutes',
    labelNames: ['state'],
    async read() {
      const jobs = await sources.jobs();
      return jobs === null
        ? null
        : [
            { labels: { state: 'running' }, value: jobs.running },
            { labels: { state: 'overdue' }, value: jobs.overdue },
            { labels: { state: 'without_run' }, value: jobs.withoutRun },
          ];
    },
  });
  addGauge(registry, {
    name: 'dms_devices',
    help: 'Devices of all organizations by presence: new, online or offline',
    labelNames: ['status'],
    read: async () => toReadingsBy('status', (await sources.totals())?.status),
  });
  addGauge(registry, {
    name: 'dms_device_syncs',
    help: 'Devices of all organizations by how their configuration stands: applied, pending, sent, failed, …',
    labelNames: ['status'],
    read: async () => toReadingsBy('status', (await sources.totals())?.syncStatus),
  });
  addGauge(registry, {
    name: 'dms_open_alerts',
    help: 'Alerts of all organizations that are not resolved, by type',
    labelNames: ['type'],
    read: async () => toReadingsBy('type', (await sources.totals())?.openAlerts),
  });
  addGauge(registry, {
    name: 'dms_alerts',
    help: 'Alerts of all organizations that are not resolved, by severity, and whether somebody has them in hand',
    labelNames: ['severity', 'status'],
    read: async () =>
      (await sources.alerts())?.map(({ severity, status, count }) => ({
        labels: { severity, status },
        value: count,
      })) ?? null,
  });
  addGauge(registry, {
    name: 'dms_oldest_new_alert_timestamp_seconds',
    help: 'When the oldest alert of all organizations was recorded that nobody has in hand, by severity; absent: there is none',
    labelNames: ['severity'],
    read: async () =>
      (await sources.alerts())
        ?.filter(({ status }) => status === 'new')
        .map(({ severity, oldestAt }) => ({ labels: { severity }, value: oldestAt.getTime() / 1000 })) ??
      null,
  });
  addGauge(registry, {
    name: 'dms_partitions_end_timestamp_seconds',
    help: 'Until when rows can be inserted: the end of the partitions that exist',
    labelNames: ['table'],
    async read() {
      const partitions = await sources.partitions();
      return (
        partitions?.map(({ table, end }) => ({ labels: { table }, value: end.getTime() / 1000 })) ?? null
      );
    },
  });
  addGauge(registry, {
    name: 'dms_database_listening',
    help: 'Whether notifications of new deliveries arrive: 1 or 0; at 0 the dispatcher polls every second',
    read: () => [{ value: Number(sources.isListening()) }],
  });
}

const toReadingsBy = (label: string, counts: Record<string, number> = {}) =>
  Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));

const ENDPOINT_STATES = ['closed', 'open', 'draining', 'disabled'] as const;

type EndpointCounts = { oldestDueSeconds: number; delaySeconds: number } & Record<
  (typeof ENDPOINT_STATES)[number],
  number
>;

export function addEndpointGauges({ registry }: Metrics, count: () => Promise<EndpointCounts | null>): void {
  addGauge(registry, {
    name: 'dms_delivery_oldest_due_seconds',
    help: 'Age of the oldest due delivery of all active endpoints; 0 when none is due',
    read: async () => toReadings((await count())?.oldestDueSeconds ?? null),
  });
  addGauge(registry, {
    name: 'dms_delivery_delay_seconds',
    help: 'The same of endpoints whose breaker is closed: how far sending is behind',
    read: async () => toReadings((await count())?.delaySeconds ?? null),
  });
  addGauge(registry, {
    name: 'dms_webhook_endpoints',
    help: 'Webhook endpoints by state: breaker closed, open or draining, or the endpoint disabled',
    labelNames: ['state'],
    async read() {
      const counts = await count();
      return counts && ENDPOINT_STATES.map((state) => ({ labels: { state }, value: counts[state] }));
    },
  });
}

export function addNotificationGauges(
  { registry }: Metrics,
  oldest: { messageSeconds(): Promise<number | null>; alertSeconds(): Promise<number | null> },
): void {
  addGauge(registry, {
    name: 'dms_notification_oldest_due_seconds',
    help: 'Age of the oldest due message to an active notification channel; 0 when none is due',
    read: async () => toReadings(await oldest.messageSeconds()),
  });
  addGauge(registry, {
    name: 'dms_notification_oldest_alert_seconds',
    help: 'Age of the oldest due alert that no message to its active notification channel holds yet; 0 when none is due',
    read: async () => toReadings(await oldest.alertSeconds()),
  });
}

export function addEscalationGauges(
  { registry }: Metrics,
  count: () => Promise<{ open: number; overdueSeconds: number } | null>,
): void {
  addGauge(registry, {
    name: 'dms_escalations',
    help: 'Alerts that escalate: nobody has acknowledged them, and they are not over; up to 10,000',
    read: async () => toReadings((await count())?.open ?? null),
  });
  addGauge(registry, {
    name: 'dms_escalation_step_overdue_seconds',
    help: 'How long ago the most overdue step of an escalation was due; 0 when none is',
    read: async () => toReadings((await count())?.overdueSeconds ?? null),
  });
}

/**
 * When each sweep of this process last succeeded; 0 before its first success, and in a process without
 * sweeps.
 */
export function addSweepGauge({ registry }: Metrics, succeededAt: ReadonlyMap<string, Date | null>): void {
  addGauge(registry, {
    name: 'dms_sweep_last_success_timestamp_seconds',
    help: 'When a sweep last succeeded in this process; 0: never. The sweeps are made by one worker at a time',
    labelNames: ['sweep'],
    read: () =>
      [...succeededAt].map(([sweep, at]) => ({ labels: { sweep }, value: (at?.getTime() ?? 0) / 1000 })),
  });
}

/** Exchanges of the gateway. */
export function addExchangeGauge({ registry }: Metrics, count: () => number): void {
  addGauge(registry, {
    name: 'dms_coap_exchanges',
    help: 'Requests of loggers under way',
    read: () => [{ value: count() }],
  });
}
