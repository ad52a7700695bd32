/**
 * Leaves out of a claimed message what is no longer true: alerts that were acknowledged or are over by now,
 * and alerts that a later message of the channel names. So a message that waited for its retry or for the end
 * of quiet hours overtakes and contradicts no other one. Alerts of a device that is under maintenance by now are left out,
 * too, and gathered again after it; steps of escalations, which are made once, are not.
 */
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { openAlerts } from './linked-text.ts';
import { composeMessage, type Message, mergeSteps } from './message.ts';
import type { NotificationAlertsRepository } from './notification-alerts.repository.ts';
import type { MentionKind } from './notification-plan.ts';
import type { ClaimedNotification, NotificationsRepository } from './notifications.repository.ts';

interface MessageRenewalDeps {
  transact: Transact;
  notificationAlerts: Pick<NotificationAlertsRepository, 'listMentioned' | 'listAlerts'>;
  notificationAlertsIn(sql: Database): Pick<NotificationAlertsRepository, 'markNotNotified' | 'makeDue'>;
  notificationsIn(sql: Database): Pick<NotificationsRepository, 'rewrite' | 'withdraw'>;
  now(): Date;
}

/** The message as it is to be sent; null: nothing of it is true any more, and it has been withdrawn. */
export type RenewMessage = (claimed: ClaimedNotification) => Promise<Message | null>;

export const createMessageRenewal =
  (deps: MessageRenewalDeps): RenewMessage =>
  async (claimed) => {
    const { content } = claimed;
    const ids = openAlerts(content.data).map(({ alert }) => alert.id);
    if (ids.length === 0) return content;
    const mentioned = await deps.notificationAlerts.listMentioned(claimed, ids, deps.now());
    const ended = mentioned.filter(({ isOver, isAcknowledged }) => isOver || isAcknowledged);
    const current = mentioned.filter((each) => !each.isSuperseded && !ended.includes(each));
    const mayHoldBack = !claimed.isEscalation && namesAll(content);
    const muted = mayHoldBack ? current.filter(({ isMuted }) => isMuted) : [];
    const left = mentioned.filter((each) => muted.includes(each) || !current.includes(each));
    if (left.length === 0) return content;
    const leftIds = left.map(({ alertId }) => alertId);
    const renewed = claimed.isEscalation
      ? withoutSteps(content, leftIds)
      : await withoutAlerts(deps.notificationAlerts, claimed, leftIds);
    // An opening that was never attempted was not notified, so its end is not mentioned.
    const unheard = left.filter(({ isSuperseded }) => !isSuperseded).map(({ alertId }) => alertId);
    await deps.transact(async ({ sql }) => {
      if (!claimed.isEscalation && claimed.attemptCount === 0)
        await deps.notificationAlertsIn(sql).markNotNotified(claimed, unheard, claimed.createdAt);
      const heldBack = muted.map(({ alertId }) => alertId);
      await deps.notificationAlertsIn(sql).makeDue(claimed, heldBack, deps.now());
      if (renewed === null) await deps.notificationsIn(sql).withdraw(claimed);
      else await deps.notificationsIn(sql).rewrite(claimed, renewed);
    });
    return renewed;
  };

/** Others could not be gathered again, and a message without any name would help nobody. */
const namesAll = ({ data: { counts, alerts } }: Message): boolean =>
  Object.values(counts).reduce((sum, count) => sum + count, 0) === alerts.length;

/** Null when no step is left. */
function withoutSteps(content: Message, alertIds: string[]): Message | null {
  const parts = content.steps ?? [content];
  // A merged message of the release before has no parts: it is kept while one of its alerts is.
  const kept = parts.filter(({ data }) => data.alerts.some(({ alert }) => !alertIds.includes(alert.id)));
  if (kept.length === 0) return null;
  const { message } = mergeSteps(kept);
  const named = message.data.alerts.map(({ alert }) => alert.id);
  const notSent = alertIds.filter((id) => !named.includes(id));
  return { ...message, notSent: [...(content.notSent ?? []), ...notSent] };
}

/** Null when no alert is left. Alerts that the message counts without a name stay counted. */
async function withoutAlerts(
  alerts: Pick<NotificationAlertsRepository, 'listAlerts'>,
  { organizationId, content: { data } }: ClaimedNotification,
  alertIds: string[],
): Promise<Message | null> {
  const counts = { ...data.counts };
  const kinds = new Map<string, MentionKind>();
  for (const { change, alert } of data.alerts) {
    if (change === 'escalated') continue;
    if (alertIds.includes(alert.id)) counts[change]--;
    else kinds.set(alert.id, change);
  }
  if (Object.values(counts).every((count) => count === 0)) return null;
  const found = await alerts.listAlerts(organizationId, [...kinds.keys()]);
  const named = found.map((alert) => ({ kind: kinds.get(alert.id) as MentionKind, alert }));
  return composeMessage(named, counts);
}
