/** The history of an alert, from its opening to its end, as shown to people. */
import type { Actor } from '../db/transaction.ts';
import type { Alert } from './alert.ts';

/** Actions that are stored as they happen; opening and end are facts of the alert itself. */
const STORED_ACTIONS = [
  'acknowledged',
  'assigned',
  'commented',
  'snoozed',
  'snooze_ended',
  'escalated',
] as const;
export const ALERT_ACTIONS = ['opened', ...STORED_ACTIONS, 'resolved'] as const;
export type StoredAction = (typeof STORED_ACTIONS)[number];

export interface AlertAction {
  at: Date;
  action: (typeof ALERT_ACTIONS)[number];
  /** Null: the service. */
  by: Actor | null;
  /** The comment; for `assigned` the assignee, for `snoozed` the end, for `escalated` the step. */
  comment: string | null;
}

/**
 * Oldest first. `openedAt` is when the alert was recorded: late readings may open it long after it began. Only comments
 * follow the end, although the transaction that resolves an alert may begin before an escalation that it waits for.
 */
export function historyOf(
  { status, updatedAt, late }: Alert,
  openedAt: Date,
  actions: readonly AlertAction[],
): AlertAction[] {
  const ofService = (action: AlertAction['action'], at: Date): AlertAction => ({
    at,
    action,
    by: null,
    comment: null,
  });
  const handledAt = actions.findLast(({ action }) => action !== 'commented')?.at ?? openedAt;
  const resolvedAt = updatedAt > handledAt && !late ? updatedAt : handledAt;
  const end = status === 'resolved' ? [ofService('resolved', resolvedAt)] : [];
  const later = [...actions, ...end].toSorted((a, b) => a.at.getTime() - b.at.getTime());
  return [ofService('opened', openedAt), ...later];
}

export type AlertActionView = ReturnType<typeof actionView>;

export const actionView = ({ at, action, by, comment }: AlertAction) => ({
  at: at.toISOString(),
  action,
  by,
  comment,
});
