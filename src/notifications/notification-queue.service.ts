/** Queues alerts for notification channels, in the transaction that opens or resolves the alerts. */
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { NotificationQueueRepository } from './notification-queue.repository.ts';

export interface NotificationQueueDeps {
  queueIn(sql: Sql): NotificationQueueRepository;
  now(): Date;
}

/**
 * Works from the published events, in one statement, or none without alerts. An alert without an event is not
 * notified. Excursions in late data have no separate end: their opening says that they are over.
 */
export function createQueueNotifications({ queueIn, now }: NotificationQueueDeps): Publish {
  return async ({ sql }, events) => {
    const opened = events.filter((event) => event.type === 'alert.created');
    const ended = events.filter((event) => event.type === 'alert.resolved').filter(({ data }) => !data.late);
    if (opened.length + ended.length === 0) return;
    await queueIn(sql).insert(opened.map(toRow), ended.map(toRow), now());
  };
}

const toRow = ({ organizationId, data: { id, type } }: DomainEvent<'alert.created' | 'alert.resolved'>) => ({
  organizationId,
  alertId: id,
  type,
});
