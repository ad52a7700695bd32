import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { CHANNELS_MAX } from './notification-channel.ts';

export interface OpenedAlert {
  organizationId: string;
  alertId: string;
  type: string;
  /** The alert was already over when it was recorded. */
  wasOver: boolean;
  /** Channels with a longer delay skip the alert. Null means that no channel skips it. */
  lasted: { from: string; to: string } | null;
}

export interface EndedAlert {
  organizationId: string;
  alertId: string;
}

/** A channel in the policy of the alert is notified by the escalation only. */
const ESCALATED_TO = `coalesce((
    select p.channel_ids from alert_escalations e join escalation_policies p on p.organization_id = e.organization_id and p.id = e.policy_id
    where e.organization_id = n.organization_id and e.alert_id = n.alert_id
  ), '{}')`;

/** Looks up the asset only for a channel with groups. */
const MATCHES = `status = 'active' and is_confirmed and n.type = any(alert_types) and (group_ids = '{}' or (
    select group_id from assets where organization_id = n.organization_id and id = (
      select asset_id from alerts where organization_id = n.organization_id and id = n.alert_id
    )
  ) = any(group_ids)) and id <> all(${ESCALATED_TO})`;

export type NotificationQueueRepository = ReturnType<typeof createNotificationQueueRepository>;

/** Runs in batches of frames, so its statement is prepared. */
export function createNotificationQueueRepository(sql: Sql) {
  return {
    /**
     * Queues, in the transaction of the alerts, openings for every channel whose rules match, and ends where
     * an opening is queued. It updates no row, and its lock only keeps the channel from being deleted, so the
     * intake of frames never waits for gathering.
     */
    async insert(opened: OpenedAlert[], ended: EndedAlert[], at: Date): Promise<void> {
      await queryPrepared(
        sql,
        'notification_alerts_queue',
        `insert into notification_alerts (organization_id, alert_id, channel_id, kind, due_at, was_over)
         select n.organization_id, n.alert_id, c.id, 'opening', n.at + make_interval(mins => c.delay_minutes), n.was_over
         from unnest(?::uuid[], ?::uuid[], ?::text[], ?::timestamptz[], ?::boolean[], ?::timestamptz[], ?::timestamptz[])
           as n (organization_id, alert_id, type, at, was_over, lasted_from, lasted_to)
         cross join lateral (
           select id, delay_minutes from notification_channels
           where organization_id = n.organization_id and ${MATCHES}
             and (n.lasted_to - n.lasted_from < make_interval(mins => delay_minutes)) is not true for key share
         ) as c
         union all
         select n.organization_id, n.alert_id, q.channel_id, 'end', n.at, false
         from unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) as n (organization_id, alert_id, at)
         cross join lateral (
           select channel_id from notification_alerts
           where organization_id = n.organization_id and alert_id = n.alert_id and kind = 'opening'
           order by channel_id limit ${CHANNELS_MAX}
         ) as q
         on conflict do nothing`,
        [
          opened.map(({ organizationId }) => organizationId),
          opened.map(({ alertId }) => alertId),
          opened.map(({ type }) => type),
          opened.map(() => at.toISOString()),
          opened.map(({ wasOver }) => wasOver),
          opened.map(({ lasted }) => lasted?.from ?? null),
          opened.map(({ lasted }) => lasted?.to ?? null),
          ended.map(({ organizationId }) => organizationId),
          ended.map(({ alertId }) => alertId),
          ended.map(() => at.toISOString()),
        ],
      );
    },
  };
}
