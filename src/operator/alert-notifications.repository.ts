/** Notifications about alerts: by channels of their own accord, and by the steps of escalations. */
import type { Database } from '../db/database.ts';
import { HOUR_MS, MINUTE_MS } from '../process/durations.ts';
import { firstIdAt } from '../process/uuid.ts';
import type { StepMessage } from './step-outcomes.ts';

/** A step joins a message that was made this long before it, when there were too many mails within the hour. */
const GATHERED_MS = 2 * HOUR_MS;
const MESSAGES_MAX = 100;

/** A channel that was notified of an alert, or is going to be. */
export interface AlertNotification {
  alertId: string;
  channelId: string;
  notifiedAt: Date | null;
  dueAt: Date | null;
}

export type AlertNotificationsRepository = ReturnType<typeof createAlertNotificationsRepository>;

export const createAlertNotificationsRepository = (sql: Database) => ({
  async listOpenings(organizationId: string, alertIds: readonly string[]): Promise<AlertNotification[]> {
    const rows = await sql('notification_alerts')
      .where({ organization_id: organizationId, kind: 'opening' })
      .whereRaw('alert_id = any(?::uuid[])', [[...alertIds]])
      .select('alert_id', 'channel_id', 'notified_at', 'due_at');
    return rows.map((row) => ({
      alertId: row.alert_id,
      channelId: row.channel_id,
      notifiedAt: row.notified_at,
      dueAt: row.due_at,
    }));
  },

  /** Messages of steps of the escalation of an alert, made between the first and the last step, oldest first. */
  async listOfSteps(
    { organizationId, alertId }: { organizationId: string; alertId: string },
    steps: { first: Date; last: Date },
  ): Promise<StepMessage[]> {
    const about = JSON.stringify({ data: { alerts: [{ alert: { id: alertId } }] } });
    const rows = await sql('notifications')
      .where({ organization_id: organizationId, is_escalation: true })
      .where('id', '>=', firstIdAt(new Date(steps.first.getTime() - GATHERED_MS)))
      .where('id', '<', firstIdAt(new Date(steps.last.getTime() + MINUTE_MS)))
      .whereRaw('content @> ?::jsonb', [about])
      .orderBy('id')
      .limit(MESSAGES_MAX)
      .select('channel_id', 'state', 'last_error', 'next_attempt_at', 'created_at');
    return rows.map((row) => ({
      channelId: row.channel_id,
      state: row.state,
      error: row.last_error,
      nextAttemptAt: row.next_attempt_at,
      madeAt: row.created_at,
    }));
  },
});
