import { randomUUID } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { describeTest, refuseWithoutTurn } from '../deliveries/attempt-error.ts';
import { endpointUrlFault } from '../endpoints/endpoint-url.ts';
import type { SecretBox } from '../endpoints/secret-box.ts';
import { type LockedGroups, requireGroups } from '../groups/group.ts';
import { plusMinutes } from '../process/durations.ts';
import { conflict, invalid, orNotFound } from '../process/errors.ts';
import type { MailAddresses } from './mail-addresses.service.ts';
import type { SendResult } from './mailer.service.ts';
import { linkMessage, TEST_MESSAGE } from './message.ts';
import type { MessageSender } from './message-sender.service.ts';
import type { NotificationAlertsRepository } from './notification-alerts.repository.ts';
import {
  CHANNELS_FULL,
  CHANNELS_MAX,
  type ChangeChannel,
  type ChannelRef,
  type ChannelType,
  type CreateChannel,
  changedChannel,
  emailFault,
  isSecretTarget,
  NO_MAIL_SERVER,
  NO_PUBLIC_ADDRESS,
  NO_SUCH_CHANNEL,
  NOT_UNCONFIRMED,
  type NotificationChannel,
  namedBy,
  newChannel,
  secretOwner,
  targetOwner,
  UNCONFIRMED,
} from './notification-channel.ts';
import type { ChannelsRepository } from './notification-channels.repository.ts';
import type { NotificationsRepository } from './notifications.repository.ts';
import { quietUntil } from './quiet-hours.ts';

interface ChannelsServiceDeps {
  channelsIn(sql: Database): ChannelsRepository;
  notificationAlertsIn(
    sql: Database,
  ): Pick<NotificationAlertsRepository, 'removeAll' | 'removeDue' | 'planReminders' | 'endQuietHours'>;
  notifications: Pick<NotificationsRepository, 'showError'>;
  notificationsIn(sql: Database): Pick<NotificationsRepository, 'dropUnsent' | 'endQuietHours' | 'showError'>;
  /** Finds the name of an escalation with a step that names the channel; null: there is none. */
  escalationsIn(sql: Database): {
    findNameByChannel(organizationId: string, channelId: string): Promise<string | null>;
  };
  groupsIn(sql: Database): LockedGroups;
  sender: MessageSender;
  secretBox: SecretBox;
  hasMailServer: boolean;
  /** URL of the operators' page, which confirms addresses; null: there is none. */
  baseUrl: string | null;
  findOrganizationName(organizationId: string): Promise<string | null>;
  addresses: Pick<MailAddresses, 'lock' | 'require' | 'renewLink' | 'countTest' | 'takeBack'>;
  /** Called when a link could not be sent. */
  onFault(error: unknown): void;
  /** CIDR ranges that are allowed although they are not public. */
  allowedRanges: readonly string[];
  now(): Date;
}

export type ChannelsService = ReturnType<typeof createChannelsService>;

export function createChannelsService(deps: ChannelsServiceDeps) {
  const { channelsIn, notificationAlertsIn, notificationsIn, sender, secretBox, addresses } = deps;

  function checkTarget(type: ChannelType, target: string): void {
    const fault = type === 'email' ? emailFault(target) : endpointUrlFault(target, deps.allowedRanges);
    if (fault !== null) throw invalid(`target ${fault}`);
  }

  function checkSecret(type: ChannelType, secret: string | null | undefined): void {
    if (secret && type !== 'webhook') throw invalid('secret is for the type webhook only');
  }

  const sealTarget = (type: ChannelType, ref: ChannelRef, target: string): Buffer | null =>
    isSecretTarget(type) ? secretBox.seal(target, targetOwner(ref)) : null;
  const sealSecret = (ref: ChannelRef, secret: string | null): Buffer | null =>
    secret === null ? null : secretBox.seal(secret, secretOwner(ref));

  /** Unsent messages of a disabled channel are never sent. */
  async function dropUnsent(sql: Database, ref: ChannelRef): Promise<void> {
    await notificationAlertsIn(sql).removeAll(ref);
    await notificationsIn(sql).dropUnsent(ref);
  }

  /** Alerts and messages that wait follow the changed reminders and quiet hours. */
  async function replan(
    sql: Database,
    ref: ChannelRef,
    before: NotificationChannel,
    after: NotificationChannel,
  ): Promise<void> {
    const now = deps.now();
    const heldUntil = quietUntil(before.quietHours, now);
    const { reminderMinutes } = after;
    if (reminderMinutes !== before.reminderMinutes) {
      const dueAt = reminderMinutes === null ? null : plusMinutes(now, reminderMinutes);
      await notificationAlertsIn(sql).planReminders(ref, dueAt, { now, heldUntil });
    }
    // The worker postpones them again where the changed quiet hours hold them.
    if (heldUntil === null || JSON.stringify(after.quietHours) === JSON.stringify(before.quietHours)) return;
    await notificationAlertsIn(sql).endQuietHours(ref, heldUntil, now);
    await notificationsIn(sql).endQuietHours(ref, heldUntil, now);
  }

  function requireMail(): void {
    if (!deps.hasMailServer) throw conflict(NO_MAIL_SERVER);
    if (deps.baseUrl === null) throw conflict(NO_PUBLIC_ADDRESS);
  }

  /** Sent in the background: the channel shows the outcome, and the owner can request a lost link again. */
  async function sendLink(ref: ChannelRef, target: string, token: string): Promise<void> {
    const organizationName = (await deps.findOrganizationName(ref.organizationId)) ?? '';
    const content = linkMessage(deps.baseUrl ?? '', organizationName, token);
    const address = { ...ref, type: 'email' as const, target, secret: null };
    const { error, isUnsent } = await sender.send(address, { id: randomUUID(), madeAt: deps.now(), content });
    if (isUnsent) await addresses.takeBack(ref, target, 'link');
    await deps.notifications.showError(ref, error);
  }

  async function confirmation(
    { sql, afterCommit }: Transaction,
    ref: ChannelRef,
    type: ChannelType,
    target: string,
  ): Promise<boolean> {
    if (type !== 'email') return true;
    const { isConfirmed, token } = await addresses.require(sql, ref, target);
    if (token !== null) afterCommit(() => void sendLink(ref, target, token).catch(deps.onFault));
    return isConfirmed;
  }

  return {
    /** Adds a channel; 409 when there are too many, even with concurrent additions. */
    async add(
      transact: Transact,
      organizationId: string,
      request: CreateChannel,
    ): Promise<NotificationChannel> {
      const { type, target, secret } = request;
      checkTarget(type, target);
      checkSecret(type, secret);
      if (type === 'email') requireMail();
      return transact(async (tx) => {
        const { sql } = tx;
        await requireGroups(deps.groupsIn(sql), organizationId, request.groupIds ?? []);
        const channels = channelsIn(sql);
        await channels.lockAll(organizationId);
        if ((await channels.count(organizationId)) >= CHANNELS_MAX) throw conflict(CHANNELS_FULL);
        const ref = { organizationId, channelId: await channels.nextId() };
        const isConfirmed = await confirmation(tx, ref, type, target);
        return channels.insert(ref, type, newChannel(request), {
          isConfirmed,
          sealedTarget: sealTarget(type, ref, target),
          secret: sealSecret(ref, secret ?? null),
        });
      });
    },

    /** Absent fields stay; `secret: null` removes the secret. */
    change(transact: Transact, given: ChannelRef, change: ChangeChannel): Promise<NotificationChannel> {
      return transact(async (tx) => {
        const { sql } = tx;
        const channels = channelsIn(sql);
        // Locks in the order of a confirmation: first the addresses, then the channels.
        if (change.target !== undefined) await addresses.lock(sql, given.organizationId);
        const before = orNotFound(await channels.lock(given), NO_SUCH_CHANNEL);
        const { type } = before;
        // A client may send back groups that it was shown and that are deleted by now.
        const added = (change.groupIds ?? []).filter((id) => !before.groupIds.includes(id));
        await requireGroups(deps.groupsIn(sql), given.organizationId, added);
        // Uses the id as stored, which the caller may spell differently: secrets are encrypted for it.
        const ref = { organizationId: given.organizationId, channelId: before.id };
        const { secret } = change;
        // A client that sends back the shown target leaves the target as it is.
        const target = change.target === before.target ? undefined : change.target;
        const sealed: Parameters<ChannelsRepository['update']>[2] = {};
        checkSecret(type, secret);
        if (target !== undefined) {
          checkTarget(type, target);
          if (type === 'email') requireMail();
          sealed.isConfirmed = await confirmation(tx, ref, type, target);
          sealed.sealedTarget = sealTarget(type, ref, target);
        }
        if (secret !== undefined) sealed.secret = sealSecret(ref, secret);
        const after = await channels.update(ref, changedChannel(before, { ...change, target }), sealed);
        // Transactions that had seen the channel active may have queued more when it was disabled.
        if (after.status === 'disabled' || before.status === 'disabled') await dropUnsent(sql, ref);
        else await replan(sql, ref, before, after);
        return after;
      });
    },

    remove(transact: Transact, ref: ChannelRef): Promise<void> {
      return transact(async ({ sql }) => {
        const [channels, alerts] = [channelsIn(sql), notificationAlertsIn(sql)];
        // Frames wait for the deletion of the row, not for this lock: there may be a million alerts to remove.
        orNotFound(await channels.lock(ref), NO_SUCH_CHANNEL);
        await alerts.removeAll(ref);
        // Waits for transactions that name the channel in an escalation, because they have locked it.
        await channels.remove(ref);
        const escalation = await deps.escalationsIn(sql).findNameByChannel(ref.organizationId, ref.channelId);
        if (escalation !== null) throw conflict(namedBy(escalation));
        // Those that frames have queued meanwhile.
        await alerts.removeDue(ref);
      });
    },

    /** Sends the link that confirms the address again; the earlier link becomes invalid. */
    confirmAgain(transact: Transact, given: ChannelRef): Promise<NotificationChannel> {
      return transact(async ({ sql, afterCommit }) => {
        const channel = orNotFound(await channelsIn(sql).find(given), NO_SUCH_CHANNEL);
        if (channel.isConfirmed) throw conflict(NOT_UNCONFIRMED);
        requireMail();
        const ref = { organizationId: given.organizationId, channelId: channel.id };
        const token = await addresses.renewLink(sql, ref, channel.target);
        afterCommit(() => void sendLink(ref, channel.target, token).catch(deps.onFault));
        return channel;
      });
    },

    /**
     * Sends one message at once, even to a disabled channel and in quiet hours, without retries. The channel
     * shows the outcome.
     */
    async test(transact: Transact, given: ChannelRef): Promise<SendResult> {
      const found = orNotFound(
        await transact(({ sql }) => channelsIn(sql).findAddress(given)),
        NO_SUCH_CHANNEL,
      );
      if (!found.isConfirmed) throw conflict(UNCONFIRMED);
      const ref = { organizationId: given.organizationId, channelId: found.id };
      if (found.type === 'email' && deps.hasMailServer)
        await transact(({ sql }) => addresses.countTest(sql, ref, found.target));
      const address = sender.open({ ...found, ...ref });
      const message = { id: randomUUID(), madeAt: deps.now(), content: TEST_MESSAGE };
      const result = await sender.send(address, message).catch(refuseWithoutTurn);
      const error = describeTest(result);
      await transact(({ sql }) => notificationsIn(sql).showError(ref, error));
      return { ...result, error };
    },
  };
}
