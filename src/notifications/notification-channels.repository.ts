import type { Database } from '../db/database.ts';
import { query } from '../db/query.ts';
import type {
  ChannelRef,
  ChannelSettings,
  ChannelType,
  NotificationChannel,
} from './notification-channel.ts';

const COLUMNS = `id, type, target, alert_types as "alertTypes", group_ids as "groupIds",
  delay_minutes as "delayMinutes", reminder_minutes as "reminderMinutes", quiet_hours as "quietHours", status, is_confirmed as "isConfirmed",
  last_sent_at as "lastSentAt", last_error as "lastError", created_at as "createdAt", updated_at as "updatedAt"`;
const ONE = 'organization_id = ? and id = ?';
const toBindings = ({ organizationId, channelId }: ChannelRef) => [organizationId, channelId];
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Encrypted. */
export interface SealedFields {
  /** Null: the target is no secret. */
  sealedTarget: Buffer | null;
  secret: Buffer | null;
}

interface FoundAddress extends SealedFields {
  id: string;
  type: ChannelType;
  target: string;
  isConfirmed: boolean;
}

export type ChannelsRepository = ReturnType<typeof createChannelsRepository>;

export function createChannelsRepository(sql: Database) {
  return {
    /** Newest first. */
    list(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<NotificationChannel[]> {
      return query(
        sql,
        `select ${COLUMNS} from notification_channels where organization_id = ? and id < ? order by id desc limit ?`,
        [organizationId, before ?? LAST_ID, limit],
      );
    },

    async find(ref: ChannelRef): Promise<NotificationChannel | null> {
      const [row] = await query<NotificationChannel>(
        sql,
        `select ${COLUMNS} from notification_channels where ${ONE}`,
        toBindings(ref),
      );
      return row ?? null;
    },

    /** Until the end of the transaction nothing is gathered for it; alerts are queued all the same. */
    async lock(ref: ChannelRef): Promise<NotificationChannel | null> {
      const [row] = await query<NotificationChannel>(
        sql,
        `select ${COLUMNS} from notification_channels where ${ONE} for no key update`,
        toBindings(ref),
      );
      return row ?? null;
    },

    /** Makes others who add a channel wait until the transaction ends. */
    async lockAll(organizationId: string): Promise<void> {
      await query(sql, `select pg_advisory_xact_lock(hashtextextended('notification channels:' || ?, 0))`, [
        organizationId,
      ]);
    },

    async count(organizationId: string): Promise<number> {
      const [row] = await query<{ count: number }>(
        sql,
        'select count(*) from notification_channels where organization_id = ?',
        [organizationId],
      );
      return row?.count ?? 0;
    },

    /** The id of a channel to be inserted: its secrets are encrypted for that id before the row exists. */
    async nextId(): Promise<string> {
      const [row] = await query<{ id: string }>(sql, 'select uuidv7() as id');
      return (row as { id: string }).id;
    },

    async insert(
      { organizationId, channelId }: ChannelRef,
      type: ChannelType,
      settings: ChannelSettings,
      { isConfirmed, ...sealed }: SealedFields & { isConfirmed: boolean },
    ): Promise<NotificationChannel> {
      const [row] = await query<NotificationChannel>(
        sql,
        `insert into notification_channels (organization_id, id, type, target, alert_types, group_ids, delay_minutes,
           reminder_minutes, quiet_hours, status, sealed_target, secret, is_confirmed)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning ${COLUMNS}`,
        [
          ...[organizationId, channelId, type, ...settingsOf(settings)],
          ...[sealed.sealedTarget, sealed.secret, isConfirmed],
        ],
      );
      return row as NotificationChannel;
    },

    async update(ref: ChannelRef, settings: ChannelSettings): Promise<NotificationChannel> {
      const [row] = await query<NotificationChannel>(
        sql,
        `update notification_channels set target = ?, alert_types = ?, group_ids = ?, delay_minutes = ?,
           reminder_minutes = ?, quiet_hours = ?, status = ?,
           updated_at = greatest(now(), (updated_at at time zone 'UTC' + interval '1 millisecond') at time zone 'UTC')
         where ${ONE} returning ${COLUMNS}`,
        [...settingsOf(settings), ...toBindings(ref)],
      );
      return row as NotificationChannel;
    },

    async updateConfirmed(ref: ChannelRef, isConfirmed: boolean): Promise<void> {
      await query(sql, `update notification_channels set is_confirmed = ? where ${ONE}`, [
        isConfirmed,
        ...toBindings(ref),
      ]);
    },

    /** All channels of the address, in lower case. */
    async confirmAddress(organizationId: string, addressKey: string): Promise<void> {
      await query(
        sql,
        `update notification_channels set is_confirmed = true
         where organization_id = ? and type = 'email' and lower(target) = ? and not is_confirmed`,
        [organizationId, addressKey],
      );
    },

    async updateSealedTarget(ref: ChannelRef, sealed: Buffer | null): Promise<void> {
      await query(sql, `update notification_channels set sealed_target = ? where ${ONE}`, [
        sealed,
        ...toBindings(ref),
      ]);
    },

    async updateSecret(ref: ChannelRef, sealed: Buffer | null): Promise<void> {
      await query(sql, `update notification_channels set secret = ? where ${ONE}`, [
        sealed,
        ...toBindings(ref),
      ]);
    },

    async findAddress(ref: ChannelRef): Promise<FoundAddress | null> {
      const [row] = await query<FoundAddress>(
        sql,
        `select id, type, target, sealed_target as "sealedTarget", secret,
           is_confirmed as "isConfirmed" from notification_channels where ${ONE}`,
        toBindings(ref),
      );
      return row ?? null;
    },

    /** With its notifications. Returns whether there was one. */
    async remove(ref: ChannelRef): Promise<boolean> {
      const rows = await query(
        sql,
        `delete from notification_channels where ${ONE} returning 1`,
        toBindings(ref),
      );
      return rows.length > 0;
    },
  };
}

const settingsOf = (settings: ChannelSettings) => [
  settings.target,
  settings.alertTypes,
  settings.groupIds,
  settings.delayMinutes,
  settings.reminderMinutes,
  settings.quietHours === null ? null : JSON.stringify(settings.quietHours),
  settings.status,
];
