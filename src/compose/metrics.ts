/** The metrics that a process counts and times, each declared by its slice; shared ones are here. */
import { createAlertMetrics } from '../alerts/alerts.metrics.ts';
import { createJobMetrics } from '../config-jobs/config-jobs.metrics.ts';
import { createDeliveryMetrics } from '../deliveries/deliveries.metrics.ts';
import { createGatewayMetrics } from '../gateway/gateway.metrics.ts';
import { counterOf } from '../http/instruments.ts';
import { createMetrics } from '../http/metrics.ts';
import { createMeasurementMetrics } from '../measurements/measurements.metrics.ts';
import { createNotificationMetrics } from '../notifications/notifications.metrics.ts';
import { createTemporalMetrics } from '../temporal/temporal.metrics.ts';

export const SET_ASIDE_WORKS = [
  'notifications',
  'overdue devices',
  'offsets of time zones',
  'compaction of readings',
  'snoozed alerts',
  'escalations',
  'retention',
] as const;

export function composeMetrics() {
  const metrics = createMetrics();
  const { registry } = metrics;
  return {
    ...metrics,
    ...createAlertMetrics(registry),
    ...createDeliveryMetrics(registry),
    ...createGatewayMetrics(registry),
    ...createJobMetrics(registry),
    ...createMeasurementMetrics(registry),
    ...createNotificationMetrics(registry),
    ...createTemporalMetrics(registry),
    refusedTurns: counterOf(registry, {
      name: 'dms_refused_turns_total',
      help: 'Messages of devices, look-ups of host names, changes and lists by the API or the page that had no turn in time, by reason: overloaded, or locked',
      series: [
        { work: 'message', reason: 'overloaded' },
        { work: 'message', reason: 'locked' },
        { work: 'host name', reason: 'overloaded' },
        { work: 'change', reason: 'overloaded' },
        { work: 'change', reason: 'locked' },
        { work: 'list', reason: 'overloaded' },
      ],
    }),
    setAside: counterOf(registry, {
      name: 'dms_set_aside_total',
      help: 'Items of queues and sweeps that could not be processed, each alone, and are tried again later, by work',
      series: SET_ASIDE_WORKS.map((work) => ({ work })),
    }),
  };
}
