import { counterOf } from '../http/counters.ts';
import type { MetricsRegistry } from '../http/gauges.ts';

export const createMeasurementMetrics = (registry: MetricsRegistry) => ({
  readings: counterOf(registry, {
    name: 'dms_readings_total',
    help: 'Readings by outcome: accepted, duplicate, in conflict with a known one, or dropped because of their time',
    series: ['accepted', 'duplicate', 'conflict', 'dropped'].map((outcome) => ({ outcome })),
  }),
});
