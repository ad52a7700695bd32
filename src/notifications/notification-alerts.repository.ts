/** The alerts that each channel has yet to notify of. */
import type { AlertRef } from '../alerts/alert.ts';
import type { SnoozeChange } from '../alerts/alert-handling.ts';
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { ListedAlert } from './message.ts';
import {
  FIND_OLDEST_ALERT,
  LIST_ALERTS,
  LIST_DUE,
  LIST_MENTIONED,
  PLAN_REMINDERS,
  POSTPONE_EACH,
} from './notification-alerts.statements.ts';
import type { ChannelRef } from './notification-channel.ts';
import { type DueAlert, UNSENT_MAX } from './notification-plan.ts';

interface NotificationAlertRow {
  organization_id: string;
  alert_id: string;
  channel_id: string;
  kind: 'opening' | 'end';
  due_at: Date | null;
  notified_at: Date | null;
  was_over: boolean;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    notification_alerts: NotificationAlertRow;
  }
}

interface MentionedState {
  alertId: string;
  /** The alert is resolved, or gone, and represents no fleet that is still overdue. */
  isOver: boolean;
  /** The alert is acknowledged or snoozed. */
  isAcknowledged: boolean;
  /** A later message of the channel names the alert. */
  isSuperseded: boolean;
  /** Its device is under maintenance. */
  isMuted: boolean;
}

const SNOOZE_UNTIL = `(select snooze_until from alerts
  where organization_id = notification_alerts.organization_id and id = notification_alerts.alert_id)`;

export type NotificationAlertsRepository = ReturnType<typeof createNotificationAlertsRepository>;

export function createNotificationAlertsRepository(sql: Database) {
  const ofChannel = ({ organizationId, channelId }: ChannelRef) =>
    sql('notification_alerts').where({ organization_id: organizationId, channel_id: channelId });
  const openings = (ref: ChannelRef, alertIds: string[]) =>
    ofChannel(ref).where({ kind: 'opening' }).where(oneOf('alert_id', alertIds));

  /** Lets the gatherings under way commit first: what they listed may have changed meanwhile. */
  const lockChannels = async (organizationId: string): Promise<string[]> => {
    const channels = sql('notification_channels').where({ organization_id: organizationId });
    const rows = await channels.orderBy('id').select('id').forNoKeyUpdate();
    return rows.map(({ id }) => id);
  };

  return {
    /** The earliest alerts first. The caller has locked the channel. */
    listDue: (ref: ChannelRef, now: Date, limit: number): Promise<DueAlert[]> =>
      query(sql, LIST_DUE, { ...ref, now, limit }),

    /** In the order of the ids. */
    listAlerts: (organizationId: string, alertIds: string[]): Promise<ListedAlert[]> =>
      query(sql, LIST_ALERTS, { organizationIds: alertIds.map(() => organizationId), alertIds }),

    async markNotified(
      ref: ChannelRef,
      alertIds: string[],
      now: Date,
      nextDueAt: Date | null,
    ): Promise<void> {
      if (alertIds.length === 0) return;
      const notifiedAt = sql.raw('coalesce(notified_at, ?)', [now]);
      await openings(ref, alertIds).update({ notified_at: notifiedAt, due_at: nextDueAt });
    },

    /** Makes alerts due again when their snooze ends; without a snooze, when they end. */
    async postponeToSnoozeEnd(ref: ChannelRef, alertIds: string[]): Promise<void> {
      if (alertIds.length === 0) return;
      await openings(ref, alertIds).update({ due_at: sql.raw(SNOOZE_UNTIL) });
    },

    /**
     * Makes the alert due at the end of the snooze on all channels that have it. A channel whose delay is not
     * over yet keeps it: if that ends within the snooze, the alert is postponed then.
     */
    async remindAgain({ organizationId, alertId }: AlertRef, { from, to }: SnoozeChange): Promise<void> {
      await lockChannels(organizationId);
      await sql('notification_alerts')
        .where({ organization_id: organizationId, alert_id: alertId, kind: 'opening' })
        .where((row) => row.whereNotNull('notified_at').orWhereNull('due_at').orWhere({ due_at: from }))
        .update({ due_at: to });
    },

    /** Postpones each alert, unless it is due later. */
    async postponeEach(
      ref: ChannelRef,
      muted: ReadonlyArray<{ alertId: string; until: Date }>,
    ): Promise<void> {
      if (muted.length === 0) return;
      await query(sql, POSTPONE_EACH, {
        ...ref,
        alertIds: muted.map(({ alertId }) => alertId),
        untils: muted.map(({ until }) => until.toISOString()),
      });
    },

    /** Makes alerts that were postponed to `postponedUntil` due at `at`, on all channels. */
    async notifyAgain(organizationId: string, postponedUntil: Date, at: Date): Promise<void> {
      const channelIds = await lockChannels(organizationId);
      await sql('notification_alerts')
        .where({ organization_id: organizationId, due_at: postponedUntil })
        .whereIn('channel_id', channelIds)
        .update({ due_at: at });
    },

    /** Current states of the alerts that the message names. */
    listMentioned: (
      { organizationId, channelId, id }: ChannelRef & { id: string },
      alertIds: string[],
      now: Date,
    ): Promise<MentionedState[]> =>
      query(sql, LIST_MENTIONED, { organizationId, channelId, id, alertIds, now }),

    /** Marks openings that were notified at that time as not notified. */
    async markNotNotified(ref: ChannelRef, alertIds: string[], notifiedAt: Date): Promise<void> {
      if (alertIds.length === 0) return;
      await sql('notification_channels')
        .where({ organization_id: ref.organizationId, id: ref.channelId })
        .forNoKeyUpdate()
        .first('id');
      await openings(ref, alertIds).where({ notified_at: notifiedAt }).update({ notified_at: null });
    },

    /** Makes open alerts due, so that the next gathering decides about them. */
    async makeDue(ref: ChannelRef, alertIds: string[], now: Date): Promise<void> {
      if (alertIds.length === 0) return;
      await openings(ref, alertIds).update({ due_at: now });
    },

    async remove(ref: ChannelRef, alertIds: string[]): Promise<void> {
      if (alertIds.length === 0) return;
      await ofChannel(ref).where(oneOf('alert_id', alertIds)).delete();
    },

    /** Postpones to `until` the alerts that are due. */
    async postpone(ref: ChannelRef, now: Date, until: Date): Promise<void> {
      await ofChannel(ref).where('due_at', '<=', now).update({ due_at: until });
    },

    /** Makes alerts that quiet hours have postponed to `postponedUntil` due at `at`. */
    async endQuietHours(ref: ChannelRef, postponedUntil: Date, at: Date): Promise<void> {
      await ofChannel(ref).where({ due_at: postponedUntil }).update({ due_at: at });
    },

    /**
     * Plans the next reminders of open alerts that nobody has acknowledged; null: there are none. What is due, or postponed to
     * the end of quiet hours or of a mute, stays.
     */
    async planReminders(
      ref: ChannelRef,
      dueAt: Date | null,
      { now, heldUntil }: { now: Date; heldUntil: Date | null },
    ): Promise<void> {
      await query(sql, PLAN_REMINDERS, { ...ref, dueAt, now, heldUntil });
    },

    /**
     * Metric: age in seconds of the oldest alert that should have been gathered, in all organizations; 0 when
     * there is none.
     */
    async findOldestDueSeconds(now: Date, gatheredBefore: Date): Promise<number> {
      const given = { now, gatheredBefore, unsentMax: UNSENT_MAX };
      const [row] = await query<{ seconds: number }>(sql, FIND_OLDEST_ALERT, given);
      return row?.seconds ?? 0;
    },

    async removeAll(ref: ChannelRef): Promise<void> {
      await ofChannel(ref).delete();
    },

    /** Those that are yet to be notified. */
    async removeDue(ref: ChannelRef): Promise<void> {
      await ofChannel(ref).whereNotNull('due_at').delete();
    },
  };
}
