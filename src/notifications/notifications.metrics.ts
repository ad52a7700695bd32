import { addGauge, counterOf, type MetricsRegistry, toReadings } from '../http/instruments.ts';

export const createNotificationMetrics = (registry: MetricsRegistry) => ({
  notifications: counterOf(registry, {
    name: 'dms_notifications_total',
    help: 'Attempts to send a message to a notification channel, by outcome: sent, retried or failed',
    series: ['sent', 'retried', 'failed'].map((outcome) => ({ outcome })),
  }),
});

export function addNotificationGauges(
  registry: MetricsRegistry,
  oldest: { messageSeconds(): Promise<number | null>; alertSeconds(): Promise<number | null> },
): void {
  addGauge(registry, {
    name: 'dms_notification_oldest_due_seconds',
    help: 'Age of the oldest message to an active notification channel that is due, or an e-mail that was tried; 0 when there is none',
    read: async () => toReadings(await oldest.messageSeconds()),
  });
  addGauge(registry, {
    name: 'dms_notification_oldest_alert_seconds',
    help: 'Age of the oldest due alert that no message to its active notification channel holds yet; 0 when none is due',
    read: async () => toReadings(await oldest.alertSeconds()),
  });
}
