/** Messages to channels: made when alerts are gathered, and sent by whoever claims them. */
import type { Sql } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query } from '../db/query.ts';
import type { Message } from './message.ts';
import type { ChannelRef, ChannelType, NotificationChannel } from './notification-channel.ts';
import type { SealedFields } from './notification-channels.repository.ts';

export interface ClaimedNotification extends ChannelRef, SealedFields {
  id: string;
  content: Message;
  attemptCount: number;
  createdAt: Date;
  type: ChannelType;
  target: string;
}

export interface RecordedNotification extends ChannelRef {
  id: string;
  state: 'pending' | 'sent' | 'failed';
  /** Null when it is sent or failed. */
  nextAttemptAt: Date | null;
  /** Null when it is sent. */
  error: string | null;
}

export type GatheringChannel = Pick<NotificationChannel, 'reminderMinutes' | 'quietHours'> & {
  unsentCount: number;
  gatheredAt: Date | null;
};

const OF_CHANNEL = 'organization_id = ? and channel_id = ?';
const toBindings = ({ organizationId, channelId }: ChannelRef) => [organizationId, channelId];
const IS_DUE = `state = 'pending' and next_attempt_at <= ? and (leased_until is null or leased_until < now())`;

export type NotificationsRepository = ReturnType<typeof createNotificationsRepository>;

/** For `eachOrganization`. */
export const WITH_CHANNELS = {
  text: `select distinct organization_id as "organizationId" from notification_channels where status = 'active' and is_confirmed`,
};

/** Claims belong to the owner, a process: it alone records their outcome. */
export function createNotificationsRepository(sql: Sql, ownerId: string) {
  return {
    /** Channels of all organizations with alerts or messages that are due. */
    listDueChannels(now: Date, gatheredBefore: Date): Promise<ChannelRef[]> {
      return eachOrganization(sql, WITH_CHANNELS, (organizationId) =>
        query(
          sql,
          `select c.organization_id as "organizationId", c.id as "channelId" from notification_channels c
         where ${organizationId === null ? '' : 'c.organization_id = ? and'} c.status = 'active' and c.is_confirmed and (
           (
             coalesce(c.gathered_at, '-infinity') <= ? and (
               select 1 from notification_alerts q
               where q.organization_id = c.organization_id and q.channel_id = c.id and q.due_at <= ?
               order by q.due_at limit 1
             ) is not null
           )
           or (
             select 1 from notifications m
             where m.organization_id = c.organization_id and m.channel_id = c.id and ${IS_DUE}
             order by m.next_attempt_at limit 1
           ) is not null
         )`,
          [...oneOrNone(organizationId), gatheredBefore.toISOString(), now.toISOString(), now.toISOString()],
        ),
      );
    },

    /**
     * Locks the channel, so that one process gathers at a time; null when another one does, or the channel is disabled
     * or gone. Who queues alerts for it does not wait.
     */
    async lockChannel(ref: ChannelRef): Promise<GatheringChannel | null> {
      const [row] = await query<GatheringChannel>(
        sql,
        `select c.reminder_minutes as "reminderMinutes", c.quiet_hours as "quietHours",
           c.gathered_at as "gatheredAt", (
           select count(*) from notifications m
           where m.organization_id = c.organization_id and m.channel_id = c.id and m.state = 'pending'
         ) as "unsentCount"
         from notification_channels c
         where c.organization_id = ? and c.id = ? and c.status = 'active' and c.is_confirmed for no key update of c skip locked`,
        toBindings(ref),
      );
      return row ?? null;
    },

    async insert(ref: ChannelRef, content: Message, at: Date): Promise<void> {
      await query(
        sql,
        `insert into notifications (organization_id, channel_id, content, created_at, next_attempt_at)
         values (?, ?, ?, ?, ?)`,
        [...toBindings(ref), JSON.stringify(content), at.toISOString(), at.toISOString()],
      );
    },

    async markGathered({ organizationId, channelId }: ChannelRef, at: Date): Promise<void> {
      await query(
        sql,
        'update notification_channels set gathered_at = ? where organization_id = ? and id = ?',
        [at.toISOString(), organizationId, channelId],
      );
    },

    /** As the channel shows it. */
    async markFailed({ organizationId, channelId }: ChannelRef, error: string): Promise<void> {
      await query(
        sql,
        'update notification_channels set last_error = ? where organization_id = ? and id = ?',
        [error, organizationId, channelId],
      );
    },

    /** The oldest that is due; null when there is none, or the channel is disabled or gone. */
    async claim(ref: ChannelRef, now: Date, leaseSeconds: number): Promise<ClaimedNotification | null> {
      const [row] = await query<ClaimedNotification>(
        sql,
        `with claimed as (
           update notifications set leased_by = ?, leased_until = now() + make_interval(secs => ?)
           where organization_id = ? and id = (
             select id from notifications where ${OF_CHANNEL} and ${IS_DUE}
             order by next_attempt_at, id limit 1 for update skip locked
           ) returning *
         )
         select m.organization_id as "organizationId", m.channel_id as "channelId", m.id, m.content,
           m.attempt_count as "attemptCount", m.created_at as "createdAt", c.type, c.target,
           c.sealed_target as "sealedTarget", c.secret
         from claimed m cross join lateral (
           select * from notification_channels
           where organization_id = m.organization_id and id = m.channel_id and status = 'active' and is_confirmed limit 1
         ) as c`,
        [ownerId, leaseSeconds, ref.organizationId, ...toBindings(ref), now.toISOString()],
      );
      return row ?? null;
    },

    /** The channel shows the outcome, too. Of a claim whose lease another process has taken over, nothing is recorded. */
    async record(outcome: RecordedNotification, at: Date): Promise<void> {
      const { organizationId, channelId, id, state, nextAttemptAt, error } = outcome;
      const sentAt = state === 'sent' ? at.toISOString() : null;
      await query(
        sql,
        `with recorded as (
           update notifications set state = ?, attempt_count = attempt_count + 1, next_attempt_at = ?, last_error = ?,
             sent_at = ?, leased_by = null, leased_until = null
           where organization_id = ? and id = ? and leased_by = ? returning organization_id, channel_id
         )
         update notification_channels c set last_sent_at = coalesce(?, c.last_sent_at), last_error = ?
         from recorded r where c.organization_id = r.organization_id and c.id = r.channel_id
           and c.organization_id = ? and c.id = ?`,
        [
          ...[state, nextAttemptAt?.toISOString() ?? null, error, sentAt, organizationId, id, ownerId],
          ...[sentAt, error, organizationId, channelId],
        ],
      );
    },

    /** Gives a claim back that was not attempted. */
    async release({ organizationId, id }: ClaimedNotification): Promise<void> {
      await query(
        sql,
        `update notifications set leased_by = null, leased_until = null
         where organization_id = ? and id = ? and leased_by = ?`,
        [organizationId, id, ownerId],
      );
    },

    /** Postpones to `until` the messages that are due earlier. */
    async postpone(ref: ChannelRef, until: Date): Promise<void> {
      await query(
        sql,
        `update notifications set next_attempt_at = ?
         where ${OF_CHANNEL} and state = 'pending' and next_attempt_at < ?`,
        [until.toISOString(), ...toBindings(ref), until.toISOString()],
      );
    },

    async removeUnsent(ref: ChannelRef): Promise<void> {
      await query(
        sql,
        `delete from notifications where ${OF_CHANNEL} and state = 'pending'`,
        toBindings(ref),
      );
    },

    /** Retention, in all organizations. Returns how many were removed. */
    async removeEnded(before: Date, limit: number): Promise<number> {
      const ended = {
        text: `select distinct organization_id as "organizationId" from notifications
          where state <> 'pending' and created_at < ?`,
        bindings: [before.toISOString()],
      };
      const rows = await eachOrganization(sql, ended, (organizationId) => {
        const own = organizationId === null ? '' : 'organization_id = ? and';
        return query(
          sql,
          `delete from notifications where ${own} (organization_id, id) in (
             select organization_id, id from notifications where ${own} state <> 'pending' and created_at < ?
             order by created_at limit ? for update skip locked
           ) returning 1`,
          [...oneOrNone(organizationId), ...oneOrNone(organizationId), before.toISOString(), limit],
        );
      });
      return rows.length;
    },

    /** For a metric: the age of the oldest message that is due, in all organizations; 0 when there is none. */
    async findOldestDueSeconds(now: Date): Promise<number> {
      const rows = await eachOrganization(sql, WITH_CHANNELS, (organizationId) =>
        query<{ seconds: number }>(
          sql,
          `select coalesce(max(extract(epoch from ?::timestamptz - due.next_attempt_at)), 0)::float8 as seconds
         from notification_channels c cross join lateral (
           select next_attempt_at from notifications m
           where m.organization_id = c.organization_id and m.channel_id = c.id and m.state = 'pending'
             and m.next_attempt_at <= ?
           order by next_attempt_at limit 1
         ) as due
         where ${organizationId === null ? '' : 'c.organization_id = ? and'} c.status = 'active' and c.is_confirmed`,
          [now.toISOString(), now.toISOString(), ...oneOrNone(organizationId)],
        ),
      );
      return Math.max(0, ...rows.map(({ seconds }) => seconds));
    },
  };
}
