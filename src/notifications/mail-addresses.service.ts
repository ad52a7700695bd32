/**
 * An address gets notifications only after its owner has confirmed it; before, it is sent only the link for
 * this. Each e-mail is counted before it is sent, and no longer if the mail server did not take it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ADDRESS_OWNER } from '../audit/audit.ts';
import type { Database } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import type { RecordAudit } from '../http/audit.ts';
import { HOUR_MS } from '../process/durations.ts';
import { type AppError, rateLimited } from '../process/errors.ts';
import { ID_PATTERN } from '../process/uuid.ts';
import type { MailAddress, MailAddressesRepository } from './mail-addresses.repository.ts';
import { type MailLimits, mailWaitMs, type PlannedMail, toAddressKey } from './mail-limits.ts';
import { type ChannelRef, channelView, type NotificationChannel } from './notification-channel.ts';

const LINK_MS = 24 * HOUR_MS;
const SECRET_BYTES = 32;
const TOKEN = new RegExp(`^(${ID_PATTERN})\\.([A-Za-z0-9_-]{43})$`);

interface MailAddressesDeps {
  addresses: MailAddressesRepository;
  addressesIn(sql: Database): MailAddressesRepository;
  /** Returns the channels that it has confirmed. */
  channelsIn(sql: Database): {
    confirmAddress(organizationId: string, addressKey: string): Promise<NotificationChannel[]>;
  };
  recordAudit: RecordAudit;
  limits: MailLimits;
  transact: Transact;
  now(): Date;
}

/**
 * `token` belongs to the link that has to be sent; null: the address is confirmed, or has a link that still
 * works.
 */
interface Confirmation {
  isConfirmed: boolean;
  token: string | null;
}

export type MailAddresses = ReturnType<typeof createMailAddresses>;

export function createMailAddresses(deps: MailAddressesDeps) {
  const { addresses, addressesIn, channelsIn, recordAudit, limits, transact, now } = deps;
  const hourAgo = () => new Date(now().getTime() - HOUR_MS);

  async function waitFor(
    { listSent }: Pick<MailAddressesRepository, 'listSent'>,
    organizationId: string,
    mail: PlannedMail,
  ): Promise<number> {
    return mailWaitMs(mail, await listSent(organizationId, hourAgo(), now()), limits, now());
  }

  /** @throws rate_limited */
  async function count(sql: Database, organizationId: string, mail: PlannedMail): Promise<void> {
    await addressesIn(sql).lock(organizationId);
    const waitMs = await waitFor(addressesIn(sql), organizationId, mail);
    if (waitMs > 0) throw tooMany(waitMs);
    await addressesIn(sql).addSent(organizationId, mail, now(), hourAgo());
  }

  async function issueLink(
    sql: Database,
    { organizationId, channelId }: ChannelRef,
    addressKey: string,
  ): Promise<string> {
    await count(sql, organizationId, { addressKey, channelId, kind: 'link' });
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const expiresAt = new Date(now().getTime() + LINK_MS);
    await addressesIn(sql).setLink(organizationId, addressKey, { hash: hashOf(secret), expiresAt });
    return `${organizationId}.${secret}`;
  }

  return {
    lock: (sql: Database, organizationId: string): Promise<void> => addressesIn(sql).lock(organizationId),

    /** Requires the confirmation of an address that a channel is given. @throws rate_limited */
    async require(sql: Database, ref: ChannelRef, address: string): Promise<Confirmation> {
      const addressKey = toAddressKey(address);
      await addressesIn(sql).lock(ref.organizationId);
      const found = await addressesIn(sql).find(ref.organizationId, addressKey);
      if (found?.confirmedAt) return { isConfirmed: true, token: null };
      const works = found?.linkExpiresAt && found.linkExpiresAt > now();
      return { isConfirmed: false, token: works ? null : await issueLink(sql, ref, addressKey) };
    },

    /** Replaces the earlier link. @throws rate_limited */
    renewLink: (sql: Database, ref: ChannelRef, address: string): Promise<string> =>
      issueLink(sql, ref, toAddressKey(address)),

    /** Counts a test. @throws rate_limited */
    countTest: (sql: Database, { organizationId, channelId }: ChannelRef, address: string): Promise<void> =>
      count(sql, organizationId, { addressKey: toAddressKey(address), channelId, kind: 'test' }),

    /** Whether a notification may be sent now. Counts nothing, and needs no lock: `countNotification` decides. */
    async hasRoom({ organizationId, channelId }: ChannelRef, address: string): Promise<boolean> {
      const mail: PlannedMail = { addressKey: toAddressKey(address), channelId, kind: 'notification' };
      return (await waitFor(addresses, organizationId, mail)) === 0;
    },

    /** Counts a notification; false when there are too many. */
    countNotification({ organizationId, channelId }: ChannelRef, address: string): Promise<boolean> {
      const mail: PlannedMail = { addressKey: toAddressKey(address), channelId, kind: 'notification' };
      return transact(async ({ sql }) => {
        await addressesIn(sql).lock(organizationId);
        if ((await waitFor(addressesIn(sql), organizationId, mail)) > 0) return false;
        await addressesIn(sql).addSent(organizationId, mail, now(), hourAgo());
        return true;
      });
    },

    /** Takes back that a mail was counted which the mail server has not taken. */
    takeBack: (
      { organizationId, channelId }: ChannelRef,
      address: string,
      kind: PlannedMail['kind'],
    ): Promise<void> =>
      transact(({ sql }) =>
        addressesIn(sql).removeSent(organizationId, { addressKey: toAddressKey(address), channelId, kind }),
      ),

    /** The address of a link that still works, or was used. */
    async findByToken(token: string): Promise<MailAddress | null> {
      const [, organizationId, secret] = TOKEN.exec(token) ?? [];
      if (organizationId === undefined || secret === undefined) return null;
      return addresses.findByLink(organizationId, hashOf(secret), now());
    },

    /** Confirms the address for all channels of the organization. Null when the link no longer works. */
    async confirm(token: string): Promise<MailAddress | null> {
      const [, organizationId, secret] = TOKEN.exec(token) ?? [];
      if (organizationId === undefined || secret === undefined) return null;
      return transact(async ({ sql }) => {
        // Additions of channels wait for this lock, and then find the address confirmed.
        await addressesIn(sql).lock(organizationId);
        const confirmed = await addressesIn(sql).confirm(organizationId, hashOf(secret), now());
        if (confirmed === null) return null;
        const channels = await channelsIn(sql).confirmAddress(organizationId, confirmed.addressKey);
        for (const channel of channels)
          await recordAudit(sql, {
            organizationId,
            actor: ADDRESS_OWNER,
            action: 'confirmAddress',
            subject: channel.id,
            before: shownOf({ ...channel, isConfirmed: false }),
            after: shownOf(channel),
          });
        return confirmed;
      });
    },
  };
}

function shownOf(channel: NotificationChannel) {
  const { target, status } = channelView(channel);
  return { target, status };
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function tooMany(waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1000);
  return rateLimited(`Too many e-mails within an hour: try again in ${seconds} s`, seconds);
}
