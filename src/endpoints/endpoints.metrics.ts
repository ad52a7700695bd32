import { addGauge, type MetricsRegistry, toReadings, toReadingsBy } from '../http/instruments.ts';
import type { EndpointCounts } from './endpoint-health.repository.ts';

export function addEndpointGauges(
  registry: MetricsRegistry,
  count: () => Promise<EndpointCounts | null>,
): void {
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
      if (counts === null) return null;
      const { closed, open, draining, disabled } = counts;
      return toReadingsBy('state', { closed, open, draining, disabled });
    },
  });
}
