import { addGauge, type MetricsRegistry, toReadingsBy } from '../http/instruments.ts';
import type { countByState } from './fleet.ts';

type Counts = Pick<ReturnType<typeof countByState>, 'status' | 'syncStatus'>;

export function addFleetGauges(registry: MetricsRegistry, count: () => Promise<Counts | null>): void {
  addGauge(registry, {
    name: 'dms_devices',
    help: 'Devices of all organizations by presence: new, online or offline',
    labelNames: ['status'],
    read: async () => toReadingsBy('status', (await count())?.status ?? null),
  });
  addGauge(registry, {
    name: 'dms_device_syncs',
    help: 'Devices of all organizations by how their configuration stands: applied, pending, sent, failed, …',
    labelNames: ['status'],
    read: async () => toReadingsBy('status', (await count())?.syncStatus ?? null),
  });
}
