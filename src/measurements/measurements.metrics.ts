import { counterOf, type MetricsRegistry } from '../http/instruments.ts';

export const createMeasurementMetrics = (registry: MetricsRegistry) => ({
  readings: counterOf(registry, {
    name: 'dms_readings_total',
    help: 'Readings by outcome: accepted, duplicate, in conflict with a known one, or dropped because of their time',
    series: ['accepted', 'duplicate', 'conflict', 'dropped'].map((outcome) => ({ outcome })),
  }),
});
