import type { AlertRef } from '../alerts/alert.ts';
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { groupOf } from '../groups/member-group.ts';
import { CHANNELS_MAX } from './notification-channel.ts';

export interface OpenedAlert extends AlertRef {
  type: string;
  /** The alert was already over when it was recorded. */
  wasOver: boolean;
  /** Channels with a longer delay skip the alert. Null means that no channel skips it. */
  lasted: { from: string; to: string } | null;
}

/** A channel in the policy of the alert is notified by the escalation only. */
const ESCALATED_TO = `coalesce((
    select p.channel_ids from alert_escalations e join escalation_policies p on p.organization_id = e.organization_id and p.id = e.policy_id
    where e.organization_id = n.organization_id and e.alert_id = n.alert_id
  ), '{}')`;

const GROUP = groupOf(
  'n.organization_id',
  '(select asset_id from alerts where organization_id = n.organization_id and id = n.alert_id)',
);

/** Looks up the asset only for a channel with groups. */
const MATCHES = `status = 'active' and is_confirmed and n.type = any(alert_types)
    and (group_ids = '{}' or ${GROUP} = any(group_ids)) and id <> all(${ESCALATED_TO})`;

const QUEUE = `
  insert into notification_alerts (organization_id, alert_id, channel_id, kind, due_at, was_over)
  select n.organization_id, n.alert_id, c.id, 'opening', n.at + make_interval(mins => c.delay_minutes), n.was_over
  from unnest(:openedIn::uuid[], :opened::uuid[], :types::text[], :openedAt::timestamptz[], :wereOver::boolean[],
      :lastedFrom::timestamptz[], :lastedTo::timestamptz[])
    as n (organization_id, alert_id, type, at, was_over, lasted_from, lasted_to)
  cross join lateral (
    select id, delay_minutes from notification_channels
    where organization_id = n.organization_id and ${MATCHES}
      and (n.lasted_to - n.lasted_from < make_interval(mins => delay_minutes)) is not true for key share
  ) as c
  union all
  select n.organization_id, n.alert_id, q.channel_id, 'end', n.at, false
  from unnest(:endedIn::uuid[], :ended::uuid[], :endedAt::timestamptz[]) as n (organization_id, alert_id, at)
  cross join lateral (
    select channel_id from notification_alerts
    where organization_id = n.organization_id and alert_id = n.alert_id and kind = 'opening'
    order by channel_id limit ${CHANNELS_MAX}
  ) as q
  on conflict do nothing`;

export type NotificationQueueRepository = ReturnType<typeof createNotificationQueueRepository>;

export function createNotificationQueueRepository(sql: Sql) {
  return {
    /**
     * Queues, in the transaction of the alerts, openings for every channel whose rules match, and ends where
     * an opening is queued. It updates no row, and its lock only keeps the channel from being deleted, so the
     * intake of frames never waits for gathering.
     */
    async insert(opened: OpenedAlert[], ended: AlertRef[], at: Date): Promise<void> {
      await queryPrepared(sql, 'notification_alerts_queue', QUEUE, {
        openedIn: opened.map(({ organizationId }) => organizationId),
        opened: opened.map(({ alertId }) => alertId),
        types: opened.map(({ type }) => type),
        openedAt: opened.map(() => at.toISOString()),
        wereOver: opened.map(({ wasOver }) => wasOver),
        lastedFrom: opened.map(({ lasted }) => lasted?.from ?? null),
        lastedTo: opened.map(({ lasted }) => lasted?.to ?? null),
        endedIn: ended.map(({ organizationId }) => organizationId),
        ended: ended.map(({ alertId }) => alertId),
        endedAt: ended.map(() => at.toISOString()),
      });
    },
  };
}
