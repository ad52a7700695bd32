/**
 * Decides what a notification says about each alert that is due, and when that alert is due again. Outside of quiet hours: what
 * they held is due when they end. An alert that ends before its opening was mentioned is never mentioned, unless it was
 * over when it was recorded: such a one is mentioned once.
 */
export const MENTION_KINDS = ['opened', 'reminder', 'resolved', 'late'] as const;
export type MentionKind = (typeof MENTION_KINDS)[number];

export interface DueAlert {
  alertId: string;
  /** Its opening was in a notification. */
  isNotified: boolean;
  /** It is resolved, or gone. */
  isOver: boolean;
  /** It was over when it was recorded: in late data, or within one frame. */
  isLate: boolean;
  /** Somebody has it in hand. */
  isAnswered: boolean;
  /** Its device is under maintenance; null: it is not. */
  mutedUntil: Date | null;
}

export interface Mention {
  alertId: string;
  kind: MentionKind;
}

export interface NotificationPlan {
  /** By kind, and within each kind the earliest alert first. */
  mentions: Mention[];
  /** Alerts that are done with. */
  done: string[];
  /** Alerts that stay, and were mentioned or need not be. */
  kept: string[];
  /** Alerts that stay and are not mentioned before their snooze is over. */
  answered: string[];
  /** Alerts of which nothing is said before the maintenance of their device ends. */
  muted: Array<{ alertId: string; until: Date }>;
  /** When those that stay are due again; null: they are when they are over. */
  nextDueAt: Date | null;
}

const MINUTE_MS = 60_000;

export function planNotification(
  all: readonly DueAlert[],
  { reminderMinutes }: { reminderMinutes: number | null },
  now: Date,
): NotificationPlan {
  const muted = all.flatMap(({ alertId, mutedUntil: until }) => (until === null ? [] : [{ alertId, until }]));
  const due = all.filter(({ mutedUntil }) => mutedUntil === null);
  const mentions = due.flatMap((alert) => {
    const kind = mentionOf(alert);
    return kind === null ? [] : [{ alertId: alert.alertId, kind }];
  });
  const idsOf = (alerts: readonly DueAlert[]) => alerts.map(({ alertId }) => alertId);
  return {
    mentions: MENTION_KINDS.flatMap((kind) => mentions.filter((each) => each.kind === kind)),
    done: idsOf(due.filter(({ isOver }) => isOver)),
    kept: idsOf(due.filter(({ isOver, isAnswered }) => !isOver && !isAnswered)),
    answered: idsOf(due.filter(({ isOver, isAnswered }) => !isOver && isAnswered)),
    muted,
    nextDueAt: reminderMinutes === null ? null : new Date(now.getTime() + reminderMinutes * MINUTE_MS),
  };
}

function mentionOf({ isNotified, isOver, isLate, isAnswered }: DueAlert): MentionKind | null {
  if (isLate) return isNotified ? null : 'late';
  if (isOver) return isNotified ? 'resolved' : null;
  if (isAnswered) return null;
  // Without reminders it is due once more where a snooze has ended.
  return isNotified ? 'reminder' : 'opened';
}
