import type { AlertRef } from '../alerts/alert.ts';
import type { SnoozeChange } from '../alerts/alert-handling.ts';
import type { DomainEvent, Publish } from '../db/domain-event.ts';
import type { InTransaction, Transaction } from '../db/transaction.ts';
import { createOutboxRepository } from '../deliveries/outbox.repository.ts';
import { createEscalationQueueRepository } from '../escalations/escalation-queue.repository.ts';
import { createQueueEscalations, type EscalationQueueDeps } from '../escalations/escalation-queue.service.ts';
import { createPublishEvents } from '../events/events.service.ts';
import { createNotificationAlertsRepository } from '../notifications/notification-alerts.repository.ts';
import { createNotificationQueueRepository } from '../notifications/notification-queue.repository.ts';
import { createQueueNotifications } from '../notifications/notification-queue.service.ts';
import type { Resources } from './resources.ts';
import { eventTraces } from './traces.ts';

interface EventsNeeds {
  /** Runs of escalations. */
  runs: EscalationQueueDeps['runs'];
}

/** Publishes events that concern no alert. */
export const composePublishToEndpoints = ({
  tracing,
  queueNotifier,
}: Pick<Resources, 'tracing' | 'queueNotifier'>): Publish =>
  createPublishEvents({
    deliveriesIn: createOutboxRepository,
    onQueued: queueNotifier.queued,
    traceOf: eventTraces(tracing),
  });

export function composeEvents(resources: Resources, { runs }: EventsNeeds) {
  const { now } = resources;
  const publishToEndpoints = composePublishToEndpoints(resources);
  const queueNotifications = createQueueNotifications({
    queueIn: createNotificationQueueRepository,
    now,
  });
  const queueEscalations = createQueueEscalations({ queueIn: createEscalationQueueRepository, runs, now });
  /**
   * Both statements are sent at once, in this order, because channels named in an escalation do not notify
   * separately.
   */
  async function queueAlerts(tx: InTransaction, events: DomainEvent[]): Promise<DomainEvent[]> {
    const [queued] = await Promise.all([queueEscalations(tx, events), queueNotifications(tx, events)]);
    return queued;
  }
  const publish: Publish = async (tx, events) => {
    await publishToEndpoints(tx, await queueAlerts(tx, events));
  };
  return {
    publish,
    /** The two halves of `publish`. */
    publishToEndpoints,
    queueAlerts,
    notifyAgain: ({ sql }: Transaction, organizationId: string, postponedUntil: Date): Promise<void> =>
      createNotificationAlertsRepository(sql).notifyAgain(organizationId, postponedUntil, now()),
    remindAgain: ({ sql }: Transaction, alert: AlertRef, snooze: SnoozeChange): Promise<void> =>
      createNotificationAlertsRepository(sql).remindAgain(alert, snooze),
  };
}
