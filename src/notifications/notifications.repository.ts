/** Messages to channels: inserted when alerts are gathered, and sent by the process that claims them. */
import { acrossOrganizations, countRows, toJson } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import { workOnDueRows } from '../db/due-rows.ts';
import { query } from '../db/query.ts';
import { type Message, NOT_SENT } from './message.ts';
import type { ChannelRef, ChannelType, NotificationChannel } from './notification-channel.ts';
import type { SealedFields } from './notification-channels.repository.ts';
import {
  FIND_OLDEST_MESSAGE,
  HAS_ENDED,
  IS_DUE,
  IS_WAITING_STEP,
  LIST_DUE_CHANNELS,
  OVERTAKES_NONE,
  REMOVE_ENDED,
} from './notifications.statements.ts';

export interface DueChannel extends ChannelRef {
  type: ChannelType;
  target: string;
}

export interface ClaimedNotification extends DueChannel, SealedFields {
  id: string;
  content: Message;
  attemptCount: number;
  isEscalation: boolean;
  createdAt: Date;
}

type NotificationRef = Pick<ClaimedNotification, 'organizationId' | 'id'>;

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
  stepsGatheredAt: Date | null;
};

interface NotificationRow {
  organization_id: string;
  id: string;
  channel_id: string;
  content: Message;
  state: RecordedNotification['state'];
  next_attempt_at: Date | null;
  leased_by: string | null;
  leased_until: Date | null;
  attempt_count: number;
  last_error: string | null;
  sent_at: Date | null;
  created_at: Date;
  is_escalation: boolean;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    notifications: NotificationRow;
  }
}

const UNLEASED = { leased_by: null, leased_until: null };
const FAILED = { ...UNLEASED, state: 'failed', next_attempt_at: null } as const;
const DISABLED = 'the channel was disabled';

export type NotificationsRepository = ReturnType<typeof createNotificationsRepository>;

/** Claims belong to the owner, a process, which alone records their outcome. */
export function createNotificationsRepository(sql: Database, ownerId: string) {
  const channel = ({ organizationId, channelId }: ChannelRef) =>
    sql('notification_channels').where({ organization_id: organizationId, id: channelId });
  const active = (ref: ChannelRef) => channel(ref).where({ status: 'active', is_confirmed: true });
  const pending = ({ organizationId, channelId }: ChannelRef) =>
    sql('notifications').where({ organization_id: organizationId, channel_id: channelId, state: 'pending' });
  const one = ({ organizationId, id }: NotificationRef) =>
    sql('notifications').where({ organization_id: organizationId, id });
  const claimed = (ref: NotificationRef) => one(ref).where({ leased_by: ownerId });

  async function insert(
    { organizationId, channelId }: ChannelRef,
    content: Message,
    at: Date,
    isEscalation = false,
  ): Promise<void> {
    await sql('notifications').insert({
      organization_id: organizationId,
      channel_id: channelId,
      content: toJson(content),
      created_at: at,
      next_attempt_at: isEscalation ? null : at,
      is_escalation: isEscalation,
    });
  }

  return {
    /** Channels of all organizations with alerts or messages that are due, those with steps of escalations first. */
    listDueChannels: (now: Date, gatheredBefore: Date): Promise<DueChannel[]> =>
      query(sql, LIST_DUE_CHANNELS, { now, gatheredBefore }),

    /**
     * Locks the channel, so that one process gathers at a time. Null when another process does, or the
     * channel is disabled or gone. Queueing alerts for the channel does not wait.
     */
    async lockChannel(ref: ChannelRef): Promise<GatheringChannel | null> {
      const row = await active(ref).first().forNoKeyUpdate().skipLocked();
      if (!row) return null;
      return {
        reminderMinutes: row.reminder_minutes,
        quietHours: row.quiet_hours,
        gatheredAt: row.gathered_at,
        stepsGatheredAt: row.steps_gathered_at,
        unsentCount: await countRows(pending(ref).where({ is_escalation: false })),
      };
    },

    insert,

    /** Null: it is gone. */
    async findContent(ref: NotificationRef): Promise<Message | null> {
      const row = await one(ref).first('content');
      return row?.content ?? null;
    },

    /** Inserts a step of an escalation. It is sent once it is gathered, even in quiet hours. */
    insertEscalation: (ref: ChannelRef, content: Message, at: Date): Promise<void> =>
      insert(ref, content, at, true),

    /** The first steps that are not gathered. The caller locks the channel before it changes them. */
    async listSteps(ref: ChannelRef, limit: number): Promise<Array<{ id: string; content: Message }>> {
      return pending(ref)
        .where({ is_escalation: true })
        .whereNull('next_attempt_at')
        .orderBy('id')
        .limit(limit)
        .select('id', 'content');
    },

    /** Replaces the steps by one message, which is due. */
    async releaseSteps(
      { organizationId }: ChannelRef,
      [id = '', ...others]: readonly string[],
      content: Message,
      at: Date,
    ): Promise<void> {
      const rows = () => sql('notifications').where({ organization_id: organizationId });
      await rows()
        .where({ id })
        .update({ content: toJson(content), next_attempt_at: at });
      if (others.length > 0) await rows().whereIn('id', others).delete();
    },

    async markGathered(ref: ChannelRef, at: Date): Promise<void> {
      await channel(ref).update({ gathered_at: at });
    },

    async markStepsGathered(ref: ChannelRef, at: Date): Promise<void> {
      await channel(ref).update({ steps_gathered_at: at });
    },

    /** Shows the error of the latest attempt on the channel; null: it succeeded. */
    async showError(ref: ChannelRef, error: string | null): Promise<void> {
      await channel(ref).update({ last_error: error });
    },

    /** Whether steps of escalations wait on the channel, and whether messages are due. */
    async findWaiting(ref: ChannelRef, now: Date): Promise<{ hasSteps: boolean; isDue: boolean }> {
      const steps = pending(ref).whereRaw(IS_WAITING_STEP).select('id');
      const due = pending(ref).whereRaw(IS_DUE, { now }).select('id');
      return sql.first(sql.raw('exists ? as "hasSteps", exists ? as "isDue"', [steps, due]));
    },

    /**
     * Claims the oldest due message, steps of escalations first, or only these. Null when none is due, or the
     * channel is disabled or gone. The lock of the channel, until the end of the transaction, lets other
     * processes claim nothing meanwhile, so that no message overtakes one about the same alert.
     */
    async claim(
      ref: ChannelRef,
      now: Date,
      { leaseSeconds, isForEscalations }: { leaseSeconds: number; isForEscalations: boolean },
    ): Promise<ClaimedNotification | null> {
      const target = await active(ref).first().forNoKeyUpdate();
      if (!target) return null;
      const next = pending(ref)
        .whereRaw(IS_DUE, { now })
        .whereRaw(OVERTAKES_NONE, { ...ref })
        .orderBy([{ column: 'is_escalation', order: 'desc' }, 'next_attempt_at', 'id']);
      if (isForEscalations) next.where({ is_escalation: true });
      const [row] = await sql('notifications')
        .where({ organization_id: ref.organizationId })
        .where('id', '=', next.first('id').forUpdate().skipLocked())
        .update({
          leased_by: ownerId,
          leased_until: sql.raw('now() + make_interval(secs => ?)', [leaseSeconds]),
          // The attempt of a process that died counts, because the message may have arrived.
          attempt_count: sql.raw('attempt_count + (leased_by is not null)::integer'),
        })
        .returning('*');
      if (!row) return null;
      return {
        ...ref,
        id: row.id,
        content: row.content,
        attemptCount: row.attempt_count,
        isEscalation: row.is_escalation,
        createdAt: row.created_at,
        type: target.type,
        target: target.target,
        sealedTarget: target.sealed_target,
        secret: target.secret,
      };
    },

    /**
     * Records the outcome, and shows it on the channel. Records nothing if another process has taken over the
     * lease.
     */
    async record(outcome: RecordedNotification, at: Date): Promise<void> {
      const isSent = outcome.state === 'sent';
      const recorded = claimed(outcome)
        .update({
          ...UNLEASED,
          state: outcome.state,
          attempt_count: sql.raw('attempt_count + 1'),
          next_attempt_at: outcome.nextAttemptAt,
          last_error: outcome.error,
          sent_at: isSent ? at : null,
        })
        .returning('id');
      await channel(outcome)
        .with('recorded', recorded)
        .whereExists(sql('recorded').select(sql.raw('1')))
        .update({ last_error: outcome.error, ...(isSent && { last_sent_at: at }) });
    },

    /** Releases a claim that was not attempted. */
    async release(ref: ClaimedNotification): Promise<void> {
      await claimed(ref).update(UNLEASED);
    },

    /** Replaces the content of a claimed message. */
    async rewrite(ref: ClaimedNotification, content: Message): Promise<void> {
      await claimed(ref).update({ content: toJson(content) });
    },

    /** Ends a claimed message, of which nothing is true any more. It is no fault of the channel. */
    async withdraw(ref: ClaimedNotification): Promise<void> {
      await claimed(ref).update({ ...FAILED, last_error: NOT_SENT });
    },

    /** Postpones to `until` the messages that are due, but no steps of escalations. */
    async postpone(ref: ChannelRef, now: Date, until: Date): Promise<void> {
      await pending(ref)
        .where({ is_escalation: false })
        .where('next_attempt_at', '<=', now)
        .update({ next_attempt_at: until });
    },

    /** Makes messages that quiet hours have postponed to `postponedUntil` due at `at`. */
    async endQuietHours(ref: ChannelRef, postponedUntil: Date, at: Date): Promise<void> {
      await pending(ref).where({ next_attempt_at: postponedUntil }).update({ next_attempt_at: at });
    },

    /** Steps of escalations stay, as failed: the history of their alerts says that they were not sent. */
    async dropUnsent(ref: ChannelRef): Promise<void> {
      await pending(ref).where({ is_escalation: false }).delete();
      await pending(ref).update({ ...FAILED, last_error: DISABLED });
    },

    /** Removes old messages of all organizations. Returns their number. */
    async removeEnded(before: Date, limit: number): Promise<number> {
      const list = acrossOrganizations(sql('notifications'))
        .whereRaw(HAS_ENDED, { before })
        .orderBy('created_at')
        .limit(limit)
        .select({ organizationId: 'organization_id', id: 'id' });
      return (await workOnDueRows(sql, { list, work: REMOVE_ENDED }, { before })).length;
    },

    /** Metric: age in seconds of the oldest message that is due, or an e-mail that was tried, in all organizations; or 0. */
    async findOldestDueSeconds(now: Date): Promise<number> {
      const [row] = await query<{ seconds: number }>(sql, FIND_OLDEST_MESSAGE, { now });
      return row?.seconds ?? 0;
    },
  };
}
