/** What somebody who takes an alert in hand changes of it. */
import type { Actor } from '../http/audit.ts';
import type { Alert, AlertStatus } from './alert.ts';
import type { StoredAction } from './alert-history.ts';

export const SNOOZE_HOURS_MAX = 24;

export interface Handling {
  comment?: string | undefined;
  /** Null: nobody. */
  assignee?: string | null | undefined;
  /** Null: it stays acknowledged. */
  snoozeUntil?: Date | null | undefined;
}

/** How far the alert is in the hands of people. */
export type Handled = Pick<
  Alert,
  'status' | 'acknowledgedAt' | 'acknowledgedBy' | 'assignee' | 'snoozeUntil'
>;

export interface NewAction {
  action: StoredAction;
  comment: string | null;
}

/** The alert acknowledged, and a row of history for each thing that this changes. */
export function acknowledge(
  alert: Handled,
  { comment, assignee = alert.assignee, snoozeUntil = alert.snoozeUntil }: Handling,
  by: Actor,
  now: Date,
): { alert: Handled & { status: AlertStatus }; actions: NewAction[] } {
  const isNew = alert.status === 'new';
  const isSnoozeEnded = snoozeUntil === null && alert.snoozeUntil !== null;
  const isSnoozed = snoozeUntil !== null && snoozeUntil.getTime() !== alert.snoozeUntil?.getTime();
  return {
    alert: {
      status: 'acknowledged',
      acknowledgedAt: isNew ? now : alert.acknowledgedAt,
      acknowledgedBy: isNew ? by : alert.acknowledgedBy,
      assignee,
      snoozeUntil,
    },
    actions: [
      ...(isNew ? [{ action: 'acknowledged' as const, comment: null }] : []),
      ...(assignee === alert.assignee ? [] : [{ action: 'assigned' as const, comment: assignee }]),
      ...(comment === undefined ? [] : [{ action: 'commented' as const, comment }]),
      ...(isSnoozed ? [{ action: 'snoozed' as const, comment: snoozeUntil.toISOString() }] : []),
      ...(isSnoozeEnded ? [{ action: 'snooze_ended' as const, comment: null }] : []),
    ],
  };
}
