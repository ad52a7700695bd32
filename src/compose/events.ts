import type { AlertRef } from '../alerts/alerts.repository.ts';
import type { Publish } from '../db/domain-event.ts';
import type { Transaction } from '../db/transaction.ts';
import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { createPublishEvents } from '../events/events.service.ts';
import { createNotificationAlertsRepository } from '../notifications/notification-alerts.repository.ts';
import { createNotificationQueueRepository } from '../notifications/notification-queue.repository.ts';
import { createQueueNotifications } from '../notifications/notification-queue.service.ts';
import type { Resources } from './resources.ts';
import { eventTraces } from './traces.ts';

export function composeEvents({ tracing, queueNotifier, now }: Resources) {
  const publishToEndpoints = createPublishEvents({
    deliveriesIn: createDeliveriesRepository,
    onQueued: queueNotifier.queued,
    traceOf: eventTraces(tracing),
  });
  const queueNotifications = createQueueNotifications({
    queueIn: createNotificationQueueRepository,
    now,
  });
  const publish: Publish = async (tx, events) => {
    await queueNotifications(tx, events);
    await publishToEndpoints(tx, events);
  };
  return {
    publish,
    /** The two halves of `publish`. */
    publishToEndpoints,
    queueNotifications,
    notifyAgain: ({ sql }: Transaction, organizationId: string, putOffUntil: Date): Promise<void> =>
      createNotificationAlertsRepository(sql).notifyAgain(organizationId, putOffUntil, now()),
    remindAgain: ({ sql }: Transaction, alert: AlertRef, at: Date): Promise<void> =>
      createNotificationAlertsRepository(sql).remindAgain(alert, at),
  };
}
