/** What each channel is yet to say of each alert. */
import type { Alert } from '../alerts/alert.ts';
import { ALERT_COLUMNS } from '../alerts/alert-columns.ts';
import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query, queryPrepared } from '../db/query.ts';
import { CHANNELS_MAX, type ChannelRef } from './notification-channel.ts';
import type { DueAlert } from './notification-plan.ts';
import { WITH_CHANNELS } from './notifications.repository.ts';

export interface OpenedAlert {
  organizationId: string;
  alertId: string;
  type: string;
}

export interface EndedAlert {
  organizationId: string;
  alertId: string;
}

/** Only for a channel with groups is the asset looked up. */
const MATCHES = `status = 'active' and is_confirmed and n.type = any(alert_types) and (group_ids = '{}' or (
    select group_id from assets where organization_id = n.organization_id and id = (
      select asset_id from alerts where organization_id = n.organization_id and id = n.alert_id
    )
  ) = any(group_ids))`;
const OF_CHANNEL = 'organization_id = ? and channel_id = ?';
const toBindings = ({ organizationId, channelId }: ChannelRef) => [organizationId, channelId];

export type NotificationAlertsRepository = ReturnType<typeof createNotificationAlertsRepository>;

export function createNotificationAlertsRepository(sql: Sql) {
  return {
    /**
     * In the transaction of the alerts: openings for every channel that is to know of them, and ends where an opening
     * was queued. It only inserts: it updates no row, and the lock that it takes keeps the channel from being deleted only:
     * who stores frames waits for nobody who gathers.
     */
    async queue(opened: OpenedAlert[], ended: EndedAlert[], at: Date): Promise<void> {
      await queryPrepared(
        sql,
        'notification_alerts_queue',
        `insert into notification_alerts (organization_id, alert_id, channel_id, kind, due_at)
         select n.organization_id, n.alert_id, c.id, 'opening', n.at + make_interval(mins => c.delay_minutes)
         from unnest(?::uuid[], ?::uuid[], ?::text[], ?::timestamptz[]) as n (organization_id, alert_id, type, at)
         cross join lateral (
           select id, delay_minutes from notification_channels
           where organization_id = n.organization_id and ${MATCHES} for key share
         ) as c
         union all
         select n.organization_id, n.alert_id, q.channel_id, 'end', n.at
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
          ended.map(({ organizationId }) => organizationId),
          ended.map(({ alertId }) => alertId),
          ended.map(() => at.toISOString()),
        ],
      );
    },

    /** The earliest alerts first. The caller has locked the channel. */
    listDue({ organizationId, channelId }: ChannelRef, now: Date, limit: number): Promise<DueAlert[]> {
      return query(
        sql,
        `select d.alert_id as "alertId", coalesce(o.is_notified, false) as "isNotified",
           coalesce(a.status = 'resolved', true) as "isOver",
           coalesce(a.status = 'acknowledged' and (a.snooze_until > ?::timestamptz) is not false, false) as "isAnswered"
         from (
           select distinct organization_id, alert_id from (
             select organization_id, alert_id from notification_alerts
             where ${OF_CHANNEL} and due_at <= ? order by due_at, alert_id limit ?
           ) as due
         ) as d
         left join lateral (
           select notified_at is not null as is_notified from notification_alerts
           where organization_id = d.organization_id and alert_id = d.alert_id and channel_id = ? and kind = 'opening'
           limit 1
         ) as o on true
         left join lateral (
           select status, snooze_until from alerts where organization_id = d.organization_id and id = d.alert_id limit 1
         ) as a on true
         order by d.alert_id`,
        [now.toISOString(), organizationId, channelId, now.toISOString(), limit, channelId],
      );
    },

    /** In the order given. */
    async listAlerts(
      organizationId: string,
      alertIds: string[],
    ): Promise<Array<Alert & { assetName: string }>> {
      return query(
        sql,
        `select ${ALERT_COLUMNS}, asset.name as "assetName"
         from unnest(?::uuid[], ?::uuid[]) with ordinality as n (organization_id, id, position)
         cross join lateral (
           select * from alerts where organization_id = n.organization_id and id = n.id limit 1
         ) as a
         cross join lateral (
           select name from assets where organization_id = n.organization_id and id = a.asset_id limit 1
         ) as asset
         order by n.position`,
        [alertIds.map(() => organizationId), alertIds],
      );
    },

    async markNotified(
      ref: ChannelRef,
      alertIds: string[],
      now: Date,
      nextDueAt: Date | null,
    ): Promise<void> {
      if (alertIds.length === 0) return;
      await query(
        sql,
        `update notification_alerts set notified_at = coalesce(notified_at, ?), due_at = ?
         where ${OF_CHANNEL} and kind = 'opening' and alert_id = any(?::uuid[])`,
        [now.toISOString(), nextDueAt?.toISOString() ?? null, ...toBindings(ref), alertIds],
      );
    },

    /** Due again when their snooze is over; without one, when they are over. */
    async rest(ref: ChannelRef, alertIds: string[]): Promise<void> {
      if (alertIds.length === 0) return;
      await query(
        sql,
        `update notification_alerts n set due_at = (
           select snooze_until from alerts where organization_id = n.organization_id and id = n.alert_id
         )
         where ${OF_CHANNEL} and kind = 'opening' and alert_id = any(?::uuid[])`,
        [...toBindings(ref), alertIds],
      );
    },

    /** What channels have said of the alert, or were yet to say, is due at this time. */
    async remindAgain({ organizationId, alertId }: EndedAlert, at: Date): Promise<void> {
      await query(
        sql,
        `update notification_alerts set due_at = ?::timestamptz
         where organization_id = ? and alert_id = ? and kind = 'opening'`,
        [at.toISOString(), organizationId, alertId],
      );
    },

    async remove(ref: ChannelRef, alertIds: string[]): Promise<void> {
      if (alertIds.length === 0) return;
      await query(sql, `delete from notification_alerts where ${OF_CHANNEL} and alert_id = any(?::uuid[])`, [
        ...toBindings(ref),
        alertIds,
      ]);
    },

    /** Postpones to `until` what is due earlier. */
    async postpone(ref: ChannelRef, until: Date): Promise<void> {
      await query(sql, `update notification_alerts set due_at = ? where ${OF_CHANNEL} and due_at < ?`, [
        until.toISOString(),
        ...toBindings(ref),
        until.toISOString(),
      ]);
    },

    async setAside(ref: ChannelRef, alertId: string, until: Date): Promise<void> {
      await query(
        sql,
        `update notification_alerts set due_at = ?
         where ${OF_CHANNEL} and alert_id = ? and due_at < ?`,
        [until.toISOString(), ...toBindings(ref), alertId, until.toISOString()],
      );
    },

    /** For a metric: the age of the oldest alert that is due and not gathered, in all organizations; 0 when there is none. */
    async findOldestDueSeconds(now: Date): Promise<number> {
      const rows = await eachOrganization(sql, WITH_CHANNELS, (organizationId) =>
        query<{ seconds: number }>(
          sql,
          `select coalesce(max(extract(epoch from ?::timestamptz - due.due_at)), 0)::float8 as seconds
           from notification_channels c cross join lateral (
             select due_at from notification_alerts q
             where q.organization_id = c.organization_id and q.channel_id = c.id and q.due_at <= ?
             order by due_at limit 1
           ) as due
           where ${organizationId === null ? '' : 'c.organization_id = ? and'} c.status = 'active'`,
          [now.toISOString(), now.toISOString(), ...oneOrNone(organizationId)],
        ),
      );
      return Math.max(0, ...rows.map(({ seconds }) => seconds));
    },

    async removeAll(ref: ChannelRef): Promise<void> {
      await query(sql, `delete from notification_alerts where ${OF_CHANNEL}`, toBindings(ref));
    },
  };
}
