/** The metrics that a process counts and times, each declared by its slice. */
import { createAlertMetrics } from '../alerts/alerts.metrics.ts';
import { createJobMetrics } from '../config-jobs/config-jobs.metrics.ts';
import { createDeliveryMetrics } from '../deliveries/deliveries.metrics.ts';
import { createMetrics } from '../http/metrics.ts';
import { createNotificationMetrics } from '../notifications/notifications.metrics.ts';

export function composeMetrics() {
  const metrics = createMetrics();
  const { registry } = metrics;
  return {
    ...metrics,
    ...createAlertMetrics(registry),
    ...createDeliveryMetrics(registry),
    ...createJobMetrics(registry),
    ...createNotificationMetrics(registry),
  };
}
