/** Queues alerts for notification channels, in the transaction that opens or resolves the alerts. */
import type { AlertView } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { NotificationQueueRepository, OpenedAlert } from './notification-queue.repository.ts';

interface NotificationQueueDeps {
  queueIn(sql: Sql): NotificationQueueRepository;
  now(): Date;
}

/**
 * Works from the published events, in one statement, or none without alerts. An alert without an event is not
 * notified. An alert that was over when it was recorded has no separate end: its opening says that it is over.
 */
export function createQueueNotifications({ queueIn, now }: NotificationQueueDeps): Publish {
  return async ({ sql }, events) => {
    const opened = events.filter((event) => event.type === 'alert.created');
    const resolved = events.filter((event) => event.type === 'alert.resolved');
    if (opened.length + resolved.length === 0) return;
    const openedIds = new Set(opened.map(({ data }) => data.id));
    const overAtOnce = new Map(
      resolved.filter(({ data }) => openedIds.has(data.id)).map(({ data }) => [data.id, data]),
    );
    const ended = resolved.filter(({ data }) => !overAtOnce.has(data.id));
    await queueIn(sql).insert(
      opened.map((event) => toOpened(event, overAtOnce.get(event.data.id))),
      ended.map(toRef),
      now(),
    );
  };
}

const toRef = ({ organizationId, data: { id } }: DomainEvent<'alert.created' | 'alert.resolved'>) => ({
  organizationId,
  alertId: id,
});

const toOpened = (event: DomainEvent<'alert.created'>, over: AlertView | undefined): OpenedAlert => ({
  ...toRef(event),
  type: event.data.type,
  wasOver: over !== undefined,
  lasted: over?.endedAt && !over.late ? { from: over.timestamp, to: over.endedAt } : null,
});
