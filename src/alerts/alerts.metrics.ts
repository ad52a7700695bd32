import { addGauge, histogramOf, type MetricsRegistry, toReadingsBy } from '../http/instruments.ts';
import type { OpenAlertCount } from './alerts.repository.ts';

/** Seconds. */
const ACKNOWLEDGEMENT_BUCKETS = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];

export const createAlertMetrics = (registry: MetricsRegistry) => ({
  acknowledgement: histogramOf(registry, {
    name: 'dms_alert_acknowledgement_seconds',
    help: 'Time from the record of an alert until somebody first has it in hand, by severity',
    labelNames: ['severity'],
    buckets: ACKNOWLEDGEMENT_BUCKETS,
  }),
});

export function addAlertGauges(
  registry: MetricsRegistry,
  count: () => Promise<OpenAlertCount[] | null>,
): void {
  addGauge(registry, {
    name: 'dms_alerts',
    help: 'Alerts of all organizations that are not resolved, by type, severity, and whether somebody has them in hand',
    labelNames: ['type', 'severity', 'status'],
    async read() {
      const counts = await count();
      return (
        counts?.map(({ type, severity, status, count: value }) => ({
          labels: { type, severity, status },
          value,
        })) ?? null
      );
    },
  });
  addGauge(registry, {
    name: 'dms_oldest_new_alert_timestamp_seconds',
    help: 'When the oldest alert of all organizations was recorded that nobody has in hand, by severity; absent: there is none',
    labelNames: ['severity'],
    async read() {
      const counts = await count();
      return toReadingsBy('severity', counts && oldestNewBySeverity(counts));
    },
  });
}

/** Unix seconds. */
function oldestNewBySeverity(counts: OpenAlertCount[]): Record<string, number> {
  const oldest: Record<string, number> = {};
  for (const { severity, status, oldestAt } of counts) {
    if (status !== 'new') continue;
    oldest[severity] = Math.min(oldest[severity] ?? Number.POSITIVE_INFINITY, oldestAt.getTime() / 1000);
  }
  return oldest;
}
