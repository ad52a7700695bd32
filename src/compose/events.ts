import type { Publish } from '../db/domain-event.ts';
import { createDeliveriesRepository } from '../deliveries/deliveries.repository.ts';
import { createPublishEvents } from '../events/events.service.ts';
import { createNotificationAlertsRepository } from '../notifications/notification-alerts.repository.ts';
import { createQueueNotifications } from '../notifications/notification-queue.service.ts';
import type { Resources } from './resources.ts';

export function composeEvents({ now }: Resources) {
  const publishToEndpoints = createPublishEvents({ deliveriesIn: createDeliveriesRepository });
  const queueNotifications = createQueueNotifications({
    notificationAlertsIn: createNotificationAlertsRepository,
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
  };
}
