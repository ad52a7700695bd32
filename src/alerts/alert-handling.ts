/** The changes that an acknowledgement makes to an alert. */
import type { Actor } from '../db/transaction.ts';
import type { Alert } from './alert.ts';
import type { StoredAction } from './alert-history.ts';

export const SNOOZE_HOURS_MAX = 24;

export interface Handling {
  comment?: string | undefined;
  /** Null: unassigned. */
  assignee?: string | null | undefined;
  /** Null: the alert stays acknowledged. */
  snoozeUntil?: Date | null | undefined;
}

/** The end of a snooze, before and after it was set. */
export interface SnoozeChange {
  from: Date | null;
  to: Date;
}

/** The fields of an alert that handling changes. */
export type Handled = Pick<Alert, 'status' | 'acknowledgedBy' | 'assignee' | 'snoozeUntil'>;

export interface NewAction {
  action: StoredAction;
  comment: string | null;
}

/** Acknowledges the alert, and returns an entry of its history for each change. */
export function acknowledge(
  alert: Handled,
  { comment, assignee = alert.assignee, snoozeUntil = alert.snoozeUntil }: Handling,
  by: Actor,
): { alert: Handled; actions: NewAction[] } {
  const isNew = alert.status === 'new';
  const isSnoozeEnded = snoozeUntil === null && alert.snoozeUntil !== null;
  const isSnoozed = snoozeUntil !== null && snoozeUntil.getTime() !== alert.snoozeUntil?.getTime();
  return {
    alert: {
      status: 'acknowledged',
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
