/**
 * Gathers what a channel is to say of all alerts that are due into one notification, in a transaction: it is stored
 * together with what it leaves to be said, or not at all.
 */
import type { Sql } from '../db/database.ts';
import type { InTransaction, Transact } from '../db/transaction.ts';
import { composeMessage, type MentionCounts, type Message, NAMED_MAX } from './message.ts';
import type { NotificationAlertsRepository } from './notification-alerts.repository.ts';
import type { ChannelRef } from './notification-channel.ts';
import {
  type Mention,
  type MentionKind,
  type NotificationPlan,
  planNotification,
} from './notification-plan.ts';
import type { GatheringChannel, NotificationsRepository } from './notifications.repository.ts';
import { quietUntil } from './quiet-hours.ts';

export interface GatheringDeps {
  transact: Transact;
  notificationAlertsIn(
    sql: Sql,
  ): Pick<NotificationAlertsRepository, 'listDue' | 'listAlerts' | 'markNotified' | 'remove' | 'postpone'>;
  notificationsIn(
    sql: Sql,
  ): Pick<NotificationsRepository, 'lockChannel' | 'insert' | 'markGathered' | 'postpone'>;
  /** Between two notifications of a channel: what happens meanwhile is in the next one. */
  gatherIntervalMs: number;
  now(): Date;
}

const ALERTS_AT_ONCE = 20_000;
/** While so many messages of a channel cannot be sent, its alerts wait: the next one names them all. */
const UNSENT_MAX = 10;

/** Answers whether messages of the channel may be sent now. */
export type Gather = (channel: ChannelRef) => Promise<boolean>;

export function createGathering({
  transact,
  notificationAlertsIn,
  notificationsIn,
  gatherIntervalMs,
  now,
}: GatheringDeps): Gather {
  async function gatherLocked({ sql }: InTransaction, ref: ChannelRef, channel: GatheringChannel) {
    const at = now();
    if (channel.gatheredAt && at.getTime() - channel.gatheredAt.getTime() < gatherIntervalMs) return;
    const due = await notificationAlertsIn(sql).listDue(ref, at, ALERTS_AT_ONCE);
    if (due.length === 0) return;
    const plan = planNotification(due, channel, at);
    const message = await toMessage(sql, ref, plan);
    await notificationAlertsIn(sql).markNotified(ref, plan.kept, at, plan.nextDueAt);
    await notificationAlertsIn(sql).remove(ref, plan.done);
    if (message === null) return;
    await notificationsIn(sql).insert(ref, message, at);
    await notificationsIn(sql).markGathered(ref, at);
  }

  async function toMessage(
    sql: Sql,
    { organizationId }: ChannelRef,
    { mentions }: NotificationPlan,
  ): Promise<Message | null> {
    if (mentions.length === 0) return null;
    const named = new Map(mentions.slice(0, NAMED_MAX).map(({ alertId, kind }) => [alertId, kind]));
    const alerts = await notificationAlertsIn(sql).listAlerts(organizationId, [...named.keys()]);
    return composeMessage(
      alerts.map(({ assetName, ...alert }) => ({
        kind: named.get(alert.id) as MentionKind,
        alert,
        assetName,
      })),
      countKinds(mentions),
    );
  }

  return (ref) =>
    transact(async ({ sql }) => {
      const channel = await notificationsIn(sql).lockChannel(ref);
      if (!channel) return false;
      const until = quietUntil(channel.quietHours, now());
      if (until !== null) {
        await notificationAlertsIn(sql).postpone(ref, until);
        await notificationsIn(sql).postpone(ref, until);
        return false;
      }
      if (channel.unsentCount < UNSENT_MAX) await gatherLocked({ sql }, ref, channel);
      return true;
    });
}

function countKinds(mentions: readonly Mention[]): MentionCounts {
  const counts: MentionCounts = { opened: 0, reminder: 0, resolved: 0 };
  for (const { kind } of mentions) counts[kind]++;
  return counts;
}
