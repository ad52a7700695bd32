import { addGauge, type MetricsRegistry, toReadings } from '../http/instruments.ts';

export function addEscalationGauges(
  registry: MetricsRegistry,
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
