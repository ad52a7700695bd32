import { countRows, lockName, newestFirst, nextId, nextUpdate, type Page, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type {
  ChannelRef,
  ChannelSettings,
  ChannelType,
  NamedChannel,
  NotificationChannel,
} from './notification-channel.ts';

/** Encrypted. */
export interface SealedFields {
  /** Null: the target is not secret. */
  sealedTarget: Buffer | null;
  secret: Buffer | null;
}

type FoundAddress = SealedFields & Pick<NotificationChannel, 'id' | 'type' | 'target' | 'isConfirmed'>;

interface ChannelRow extends Columns<NotificationChannel & SealedFields> {
  organization_id: string;
  gathered_at: Date | null;
  steps_gathered_at: Date | null;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    notification_channels: ChannelRow;
  }
}

const toChannel = (row: ChannelRow): NotificationChannel => ({
  id: row.id,
  type: row.type,
  name: row.name,
  target: row.target,
  alertTypes: row.alert_types,
  groupIds: row.group_ids,
  delayMinutes: row.delay_minutes,
  reminderMinutes: row.reminder_minutes,
  quietHours: row.quiet_hours,
  status: row.status,
  isConfirmed: row.is_confirmed,
  lastSentAt: row.last_sent_at,
  lastError: row.last_error,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toColumns = (settings: ChannelSettings) => ({
  name: settings.name,
  target: settings.target,
  alert_types: settings.alertTypes,
  group_ids: settings.groupIds,
  delay_minutes: settings.delayMinutes,
  reminder_minutes: settings.reminderMinutes,
  quiet_hours: toJson(settings.quietHours),
  status: settings.status,
});

export type ChannelsRepository = ReturnType<typeof createChannelsRepository>;

export function createChannelsRepository(sql: Database) {
  const all = (organizationId: string) =>
    sql('notification_channels').where({ organization_id: organizationId });
  const one = ({ organizationId, channelId }: ChannelRef) => all(organizationId).where({ id: channelId });

  return {
    /** Newest first. */
    async list(organizationId: string, page: Page): Promise<NotificationChannel[]> {
      return (await all(organizationId).modify(newestFirst, page)).map(toChannel);
    },

    async find(ref: ChannelRef): Promise<NotificationChannel | null> {
      const row = await one(ref).first();
      return row ? toChannel(row) : null;
    },

    /** Keeps the channel from gathering until the transaction ends; alerts are still queued. */
    async lock(ref: ChannelRef): Promise<NotificationChannel | null> {
      const row = await one(ref).first().forNoKeyUpdate();
      return row ? toChannel(row) : null;
    },

    /** Channels that messages may be sent to, in the order of the ids. */
    async listActive(organizationId: string, ids: string[]): Promise<NamedChannel[]> {
      const rows = await all(organizationId)
        .where({ status: 'active', is_confirmed: true })
        .whereIn('id', ids)
        .select('id', 'type', 'name', 'target');
      return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    },

    /** The channels that exist, with the outcome of their latest attempt, in the order of the ids. */
    async listOutcomes(
      organizationId: string,
      ids: string[],
    ): Promise<Array<NamedChannel & Pick<NotificationChannel, 'lastError'>>> {
      const rows = await all(organizationId)
        .whereIn('id', ids)
        .select('id', 'type', 'name', 'target', 'last_error');
      return rows
        .map(({ last_error, ...channel }) => ({ ...channel, lastError: last_error }))
        .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
    },

    /** Keeps the channels from being deleted until the transaction ends. Returns the ids that exist. */
    async lockKeys(organizationId: string, ids: string[]): Promise<string[]> {
      return all(organizationId).whereIn('id', ids).orderBy('id').forKeyShare().pluck('id');
    },

    /** Serializes additions of channels until the transaction ends. */
    lockAll: (organizationId: string): Promise<void> =>
      lockName(sql, `notification channels:${organizationId}`),

    count: (organizationId: string): Promise<number> => countRows(all(organizationId)),

    /** The id of a channel to be inserted: its secrets are encrypted for that id before the row exists. */
    nextId: (): Promise<string> => nextId(sql),

    async insert(
      { organizationId, channelId }: ChannelRef,
      type: ChannelType,
      settings: ChannelSettings,
      { isConfirmed, sealedTarget, secret }: SealedFields & { isConfirmed: boolean },
    ): Promise<NotificationChannel> {
      const [row] = await sql('notification_channels')
        .insert({
          organization_id: organizationId,
          id: channelId,
          type,
          ...toColumns(settings),
          sealed_target: sealedTarget,
          secret,
          is_confirmed: isConfirmed,
        })
        .returning('*');
      return toChannel(row as ChannelRow);
    },

    /** Absent sealed fields stay. */
    async update(
      ref: ChannelRef,
      settings: ChannelSettings,
      { isConfirmed, sealedTarget, secret }: Partial<SealedFields & { isConfirmed: boolean }>,
    ): Promise<NotificationChannel> {
      const sealed = { is_confirmed: isConfirmed, sealed_target: sealedTarget, secret };
      const [row] = await one(ref)
        .update({ ...toColumns(settings), ...sealed, updated_at: nextUpdate(sql) })
        .returning('*');
      return toChannel(row as ChannelRow);
    },

    /** Confirms all channels with the address, which is in lower case. */
    async confirmAddress(organizationId: string, addressKey: string): Promise<NotificationChannel[]> {
      const rows = await all(organizationId)
        .where({ type: 'email', is_confirmed: false })
        .whereRaw('lower(target) = ?', [addressKey])
        .update({ is_confirmed: true })
        .returning('*');
      return rows.map(toChannel);
    },

    async findAddress(ref: ChannelRef): Promise<FoundAddress | null> {
      const row = await one(ref).first();
      if (!row) return null;
      const { id, type, target, sealed_target, secret, is_confirmed } = row;
      return { id, type, target, sealedTarget: sealed_target, secret, isConfirmed: is_confirmed };
    },

    /** Removes the channel with its notifications. Returns whether there was one. */
    async remove(ref: ChannelRef): Promise<boolean> {
      return (await one(ref).delete()) > 0;
    },
  };
}
