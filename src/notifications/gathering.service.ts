/**
 * Gathers all due alerts of a channel into one notification. One transaction stores it together with the next
 * due times of the alerts. An alert that cannot be put into a notification is set aside, so that it does not
 * delay others.
 */
import type { Database } from '../db/database.ts';
import { isFaultOfAll, SET_ASIDE_MS } from '../db/due-rows.ts';
import { isStatementTimeout } from '../db/faults.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { composeMessage, type MentionCounts, type Message, mergeSteps, NAMED_MAX } from './message.ts';
import type { NotificationAlertsRepository } from './notification-alerts.repository.ts';
import type { ChannelRef } from './notification-channel.ts';
import {
  type DueAlert,
  type Mention,
  type MentionKind,
  type NotificationPlan,
  planNotification,
  UNSENT_MAX,
} from './notification-plan.ts';
import type { GatheringChannel, NotificationsRepository } from './notifications.repository.ts';
import { quietUntil } from './quiet-hours.ts';

interface GatheringDeps {
  transact: Transact;
  notificationAlertsIn(
    sql: Database,
  ): Pick<
    NotificationAlertsRepository,
    'listDue' | 'listAlerts' | 'markNotified' | 'postponeToSnoozeEnd' | 'postponeEach' | 'remove' | 'postpone'
  >;
  notificationsIn(
    sql: Database,
  ): Pick<NotificationsRepository, 'lockChannel' | 'insert' | 'markGathered' | 'postpone' | 'showError'>;
  /** Minimum time between two notifications of a channel; alerts in between go into the next one. */
  gatherIntervalMs: number;
  now(): Date;
  onSetAside(alert: { organizationId: string; channelId: string; alertId: string }, error: unknown): void;
}

const ALERTS_AT_ONCE = 20_000;
const NOT_READABLE = 'an alert cannot be put into a notification: it is tried again later';

/** Returns whether messages of the channel may be sent now. */
export type Gather = (channel: ChannelRef) => Promise<boolean>;

export function createGathering(deps: GatheringDeps): Gather {
  const { transact, notificationAlertsIn, notificationsIn, gatherIntervalMs, now } = deps;

  async function gatherLocked({ sql }: Transaction, ref: ChannelRef, gathering: Gathering) {
    const { channel, due, at } = gathering;
    const plan = planNotification(due, channel, at);
    const message = await toMessage(sql, ref, plan);
    await notificationAlertsIn(sql).markNotified(ref, plan.kept, at, plan.nextDueAt);
    await notificationAlertsIn(sql).postponeToSnoozeEnd(ref, plan.acknowledged);
    await notificationAlertsIn(sql).postponeEach(ref, plan.muted);
    await notificationAlertsIn(sql).remove(ref, plan.done);
    if (message === null) return;
    await notificationsIn(sql).insert(ref, message, at);
    await notificationsIn(sql).markGathered(ref, at);
  }

  async function toMessage(
    sql: Database,
    { organizationId }: ChannelRef,
    { mentions }: NotificationPlan,
  ): Promise<Message | null> {
    if (mentions.length === 0) return null;
    const named = new Map(mentions.slice(0, NAMED_MAX).map(({ alertId, kind }) => [alertId, kind]));
    const alerts = await notificationAlertsIn(sql).listAlerts(organizationId, [...named.keys()]);
    return composeMessage(
      alerts.map((alert) => ({ kind: named.get(alert.id) as MentionKind, alert })),
      countKinds(mentions),
    );
  }

  /** Gathers the first `alertsMax` alerts. Tries halves when they cannot be stored together. */
  async function gather(ref: ChannelRef, alertsMax: number, isPart: boolean): Promise<boolean> {
    const at = now();
    let due: DueAlert[] = [];
    try {
      return await transact(async (tx) => {
        const channel = await notificationsIn(tx.sql).lockChannel(ref);
        if (!channel) return false;
        const until = quietUntil(channel.quietHours, at);
        if (until !== null) {
          await notificationAlertsIn(tx.sql).postpone(ref, at, until);
          await notificationsIn(tx.sql).postpone(ref, at, until);
          return false;
        }
        if (
          !isPart &&
          (channel.unsentCount >= UNSENT_MAX || isWithin(gatherIntervalMs, channel.gatheredAt, at))
        )
          return true;
        due = await notificationAlertsIn(tx.sql).listDue(ref, at, alertsMax);
        if (due.length > 0) await gatherLocked(tx, ref, { channel, due, at });
        return true;
      });
    } catch (error) {
      const [first, ...others] = due;
      if (!first || isFaultOfAll(error)) throw error;
      // Only its own channel waits for an alert that takes too long: it is tried again at once, not in an hour.
      if (others.length === 0 && isStatementTimeout(error)) throw error;
      if (others.length === 0) await setAside(ref, first, error);
      else {
        const half = Math.ceil(due.length / 2);
        await gather(ref, half, true);
        await gather(ref, due.length - half, true);
      }
      return true;
    }
  }

  async function setAside(ref: ChannelRef, { alertId }: DueAlert, error: unknown): Promise<void> {
    const until = new Date(now().getTime() + SET_ASIDE_MS);
    await transact(async ({ sql }) => {
      await notificationAlertsIn(sql).postponeEach(ref, [{ alertId, until }]);
      await notificationsIn(sql).showError(ref, NOT_READABLE);
    });
    deps.onSetAside({ ...ref, alertId }, error);
  }

  return (ref) => gather(ref, ALERTS_AT_ONCE, false);
}

interface Gathering {
  channel: GatheringChannel;
  due: DueAlert[];
  at: Date;
}

function countKinds(mentions: readonly Mention[]): MentionCounts {
  const counts: MentionCounts = { opened: 0, reminder: 0, resolved: 0, late: 0 };
  for (const { kind } of mentions) counts[kind]++;
  return counts;
}

/** A time that is still to come is of a clock that was ahead, and holds nothing. */
const isWithin = (intervalMs: number, last: Date | null, at: Date): boolean =>
  last !== null && last <= at && at.getTime() - last.getTime() < intervalMs;

interface StepGatheringDeps extends Pick<GatheringDeps, 'transact' | 'gatherIntervalMs' | 'now'> {
  notificationsIn(
    sql: Database,
  ): Pick<NotificationsRepository, 'listSteps' | 'lockChannel' | 'releaseSteps' | 'markStepsGathered'>;
}

/** Messages of one transaction; further ones are merged the next time. */
const MESSAGES_MAX = 50;

export type GatherSteps = (channel: ChannelRef) => Promise<void>;

/**
 * Merges waiting steps of escalations on a channel into fewer messages, so that a thousand alerts at once do
 * not notify somebody a thousand times, and stay within the limit of e-mails. Every alert is named. The first
 * step is sent at once, and later ones together when the interval has passed. A gathered message takes up no
 * further step, so that a repeat says nothing that the receiver may take for known.
 */
export const createStepGathering =
  ({ transact, notificationsIn, gatherIntervalMs, now }: StepGatheringDeps): GatherSteps =>
  (ref) =>
    transact(async ({ sql }) => {
      const notifications = notificationsIn(sql);
      const at = now();
      const channel = await notifications.lockChannel(ref);
      if (!channel || isWithin(gatherIntervalMs, channel.stepsGatheredAt, at)) return;
      await notifications.markStepsGathered(ref, at);
      for (let made = 0; made < MESSAGES_MAX; made++) {
        const steps = await notifications.listSteps(ref, NAMED_MAX);
        if (steps.length === 0) return;
        const { message, count } = mergeSteps(steps.map(({ content }) => content));
        await notifications.releaseSteps(
          ref,
          steps.slice(0, count).map(({ id }) => id),
          message,
          at,
        );
      }
    });
