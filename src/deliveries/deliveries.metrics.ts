import { counterOf, histogramOf, type MetricsRegistry } from '../http/instruments.ts';

/** Seconds. */
const ATTEMPT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export const createDeliveryMetrics = (registry: MetricsRegistry) => ({
  deliveryAttempts: counterOf(registry, {
    name: 'dms_delivery_attempts_total',
    help: 'Webhook requests by outcome',
    series: ['delivered', 'retry', 'throttled', 'gone', 'blocked'].map((verdict) => ({ verdict })),
  }),
  deliveryDuration: histogramOf(registry, {
    name: 'dms_delivery_attempt_duration_seconds',
    help: 'Time from the start of a webhook request to the end of its response',
    buckets: ATTEMPT_BUCKETS,
  }),
});
