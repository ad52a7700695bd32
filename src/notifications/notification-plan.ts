/**
 * Decides, outside of quiet hours, how a notification mentions each due alert, and when that alert is due
 * again. An alert that quiet hours delay is due when they end. An alert that ends before its opening was
 * mentioned is never mentioned, unless it was over when it was recorded: then it is mentioned once, but not
 * when it began and ended during maintenance.
 */
import { plusMinutes } from '../process/durations.ts';

/** While this many messages of a channel are unsent, its alerts wait: the next message names them all. */
export const UNSENT_MAX = 10;

export const MENTION_KINDS = ['opened', 'reminder', 'resolved', 'late'] as const;
export type MentionKind = (typeof MENTION_KINDS)[number];

export interface DueAlert {
  alertId: string;
  /** Its opening was mentioned in a notification. */
  isNotified: boolean;
  /** The alert is resolved, or gone. */
  isOver: boolean;
  /** The alert was over when it was recorded: in late data, or within one frame. */
  isLate: boolean;
  /** It was over when it was recorded, and is of the maintenance of its device alone. */
  isOfMaintenance: boolean;
  /** The alert is acknowledged or snoozed. */
  isAcknowledged: boolean;
  /** End of the maintenance of its device; null: it is not under maintenance. */
  mutedUntil: Date | null;
}

export interface Mention {
  alertId: string;
  kind: MentionKind;
}

export interface NotificationPlan {
  /** Ordered by kind, and within each kind the earliest alert first. */
  mentions: Mention[];
  /** Alerts that need no further notification. */
  done: string[];
  /** Alerts that stay, and were mentioned or need no mention now. */
  kept: string[];
  /** Alerts that stay and are not mentioned before their snooze ends. */
  acknowledged: string[];
  /** Alerts that are not mentioned before the maintenance of their device ends. */
  muted: Array<{ alertId: string; until: Date }>;
  /** When the kept alerts are due again; null: when they end. */
  nextDueAt: Date | null;
}

export function planNotification(
  all: readonly DueAlert[],
  { reminderMinutes }: { reminderMinutes: number | null },
  now: Date,
): NotificationPlan {
  const dropped = all.filter(({ isOfMaintenance }) => isOfMaintenance);
  const others = all.filter(({ isOfMaintenance }) => !isOfMaintenance);
  const muted = others.flatMap(({ alertId, mutedUntil: until }) =>
    until === null ? [] : [{ alertId, until }],
  );
  const due = others.filter(({ mutedUntil }) => mutedUntil === null);
  const mentions = due.flatMap((alert) => {
    const kind = mentionOf(alert);
    return kind === null ? [] : [{ alertId: alert.alertId, kind }];
  });
  const idsOf = (alerts: readonly DueAlert[]) => alerts.map(({ alertId }) => alertId);
  return {
    mentions: MENTION_KINDS.flatMap((kind) => mentions.filter((each) => each.kind === kind)),
    done: idsOf([...dropped, ...due.filter(({ isOver }) => isOver)]),
    kept: idsOf(due.filter(({ isOver, isAcknowledged }) => !isOver && !isAcknowledged)),
    acknowledged: idsOf(due.filter(({ isOver, isAcknowledged }) => !isOver && isAcknowledged)),
    muted,
    nextDueAt: reminderMinutes === null ? null : plusMinutes(now, reminderMinutes),
  };
}

function mentionOf({ isNotified, isOver, isLate, isAcknowledged }: DueAlert): MentionKind | null {
  if (isLate) return isNotified ? null : 'late';
  if (isOver) return isNotified ? 'resolved' : null;
  if (isAcknowledged) return null;
  // Without reminders, an alert is due again only when a snooze has ended.
  return isNotified ? 'reminder' : 'opened';
}
