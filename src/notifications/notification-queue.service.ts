/** Queues what notification channels are to say of alerts, in the transaction that opens or resolves them. */
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { NotificationAlertsRepository } from './notification-alerts.repository.ts';

export interface NotificationQueueDeps {
  notificationAlertsIn(sql: Sql): Pick<NotificationAlertsRepository, 'queue'>;
  now(): Date;
}

/** Works from the published events: an alert without an event notifies nobody. One statement for all, or none. */
export function createQueueNotifications({ notificationAlertsIn, now }: NotificationQueueDeps): Publish {
  return async ({ sql }, events) => {
    const opened = events.filter((event) => event.type === 'alert.created');
    const ended = events.filter((event) => event.type === 'alert.resolved');
    if (opened.length + ended.length === 0) return;
    await notificationAlertsIn(sql).queue(opened.map(toRow), ended.map(toRow), now());
  };
}

const toRow = ({ organizationId, data: { id, type } }: DomainEvent<'alert.created' | 'alert.resolved'>) => ({
  organizationId,
  alertId: id,
  type,
});
