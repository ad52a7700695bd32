/** Notifications about alerts: by channels of their own accord, and by the steps of escalations. */
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { REPEATS_MAX } from '../escalations/escalation-plan.ts';
import { STEP_CHANNELS_MAX, STEPS_MAX } from '../escalations/escalation-policy.ts';
import { NOT_SENT } from '../notifications/message.ts';
import { HOUR_MS, MINUTE_MS } from '../process/durations.ts';
import { firstIdAt } from '../process/uuid.ts';
import type { StepMessage } from './step-outcomes.ts';

/** A step joins a message that was made this long before it, when there were too many mails within the hour. */
const GATHERED_MS = 2 * HOUR_MS;
/** Each step and each repeat makes a message for each of its channels. */
const MESSAGES_MAX = (STEPS_MAX + REPEATS_MAX) * STEP_CHANNELS_MAX;

/** A channel that was notified of an alert, or is going to be. */
export interface AlertNotification {
  alertId: string;
  channelId: string;
  notifiedAt: Date | null;
  dueAt: Date | null;
}

/** A step of the escalation of an alert, with the channels that it notified. */
export interface MadeStep {
  alertId: string;
  comment: string;
}

export type AlertNotificationsRepository = ReturnType<typeof createAlertNotificationsRepository>;

export const createAlertNotificationsRepository = (sql: Database) => ({
  async listOpenings(organizationId: string, alertIds: readonly string[]): Promise<AlertNotification[]> {
    return sql('notification_alerts')
      .where({ organization_id: organizationId, kind: 'opening' })
      .where(oneOf('alert_id', alertIds))
      .select({ alertId: 'alert_id', channelId: 'channel_id', notifiedAt: 'notified_at', dueAt: 'due_at' });
  },

  /** What the history of the alerts says of the steps of their escalations, oldest first. */
  async listSteps(organizationId: string, alertIds: readonly string[]): Promise<MadeStep[]> {
    const rows = await sql('alert_actions')
      .where({ organization_id: organizationId, action: 'escalated' })
      .where(oneOf('alert_id', alertIds))
      .orderBy('id')
      .select('alert_id', 'comment');
    return rows.map(({ alert_id, comment }) => ({ alertId: alert_id, comment: comment ?? '' }));
  },

  /** Messages of steps of the escalation of an alert, made between the first and the last step, oldest first. */
  async listOfSteps(
    { organizationId, alertId }: { organizationId: string; alertId: string },
    steps: { first: Date; last: Date },
  ): Promise<StepMessage[]> {
    const about = JSON.stringify({ data: { alerts: [{ alert: { id: alertId } }] } });
    const leftOut = JSON.stringify({ notSent: [alertId] });
    const rows = await sql('notifications')
      .where({ organization_id: organizationId, is_escalation: true })
      .where('id', '>=', firstIdAt(new Date(steps.first.getTime() - GATHERED_MS)))
      .where('id', '<', firstIdAt(new Date(steps.last.getTime() + MINUTE_MS)))
      .whereRaw('(content @> ?::jsonb or content @> ?::jsonb)', [about, leftOut])
      .orderBy('id')
      .limit(MESSAGES_MAX)
      .select('channel_id', 'state', 'last_error', 'next_attempt_at', 'created_at', {
        is_left_out: sql.raw('content @> ?::jsonb', [leftOut]),
      });
    return rows.map((row) => ({
      channelId: row.channel_id,
      madeAt: row.created_at,
      state: row.is_left_out ? 'failed' : row.state,
      error: row.is_left_out ? NOT_SENT : row.last_error,
      nextAttemptAt: row.is_left_out ? null : row.next_attempt_at,
    }));
  },
});
