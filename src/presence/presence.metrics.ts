import { addGauge, type MetricsRegistry, toReadings } from '../http/instruments.ts';

export function addPresenceGauge(
  registry: MetricsRegistry,
  countOverdueFleets: () => Promise<number | null>,
): void {
  addGauge(registry, {
    name: 'dms_overdue_fleets',
    help: 'Organizations of which many devices became overdue at once, until it is over or confirmed',
    read: async () => toReadings(await countOverdueFleets()),
  });
}
