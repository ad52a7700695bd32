/** Addresses and whether they are confirmed, and the e-mails of the last hour. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { PlannedMail, SentMail } from './mail-limits.ts';

export interface MailAddress {
  addressKey: string;
  organizationName: string;
  linkExpiresAt: Date | null;
  confirmedAt: Date | null;
}

const COLUMNS = `address_key as "addressKey", link_expires_at as "linkExpiresAt", confirmed_at as "confirmedAt",
  (select o.name from organizations o where o.id = organization_id) as "organizationName"`;
const BY_LINK = 'organization_id = ? and link_hash = ? and link_expires_at > ?::timestamptz';

export type MailAddressesRepository = ReturnType<typeof createMailAddressesRepository>;

export function createMailAddressesRepository(sql: Sql) {
  return {
    async find(organizationId: string, addressKey: string): Promise<MailAddress | null> {
      const [row] = await query<MailAddress>(
        sql,
        `select ${COLUMNS} from mail_addresses where organization_id = ? and address_key = ?`,
        [organizationId, addressKey],
      );
      return row ?? null;
    },

    /** In place of an earlier link. */
    async setLink(
      organizationId: string,
      addressKey: string,
      link: { hash: Buffer; expiresAt: Date },
    ): Promise<void> {
      await query(
        sql,
        `insert into mail_addresses (organization_id, address_key, link_hash, link_expires_at)
         values (?, ?, ?, ?::timestamptz)
         on conflict (organization_id, address_key)
         do update set link_hash = excluded.link_hash, link_expires_at = excluded.link_expires_at`,
        [organizationId, addressKey, link.hash, link.expiresAt.toISOString()],
      );
    },

    async findByLink(organizationId: string, hash: Buffer, now: Date): Promise<MailAddress | null> {
      const [row] = await query<MailAddress>(sql, `select ${COLUMNS} from mail_addresses where ${BY_LINK}`, [
        organizationId,
        hash,
        now.toISOString(),
      ]);
      return row ?? null;
    },

    /** Uses the link up. */
    async confirm(organizationId: string, hash: Buffer, now: Date): Promise<MailAddress | null> {
      const [row] = await query<MailAddress>(
        sql,
        `update mail_addresses set confirmed_at = ?::timestamptz, link_hash = null, link_expires_at = null
         where ${BY_LINK} returning ${COLUMNS}`,
        [now.toISOString(), organizationId, hash, now.toISOString()],
      );
      return row ?? null;
    },

    /** Until the transaction ends, nobody else counts mails of the organization, or decides about its addresses. */
    async lock(organizationId: string): Promise<void> {
      await query(sql, `select pg_advisory_xact_lock(hashtextextended('mails:' || ?, 0))`, [organizationId]);
    },

    /** Oldest first. */
    listSent(organizationId: string, since: Date): Promise<SentMail[]> {
      return query(
        sql,
        `select address_key as "addressKey", channel_id as "channelId", kind, sent_at as "sentAt"
         from sent_mails where organization_id = ? and sent_at > ?::timestamptz order by sent_at, id`,
        [organizationId, since.toISOString()],
      );
    },

    /** Also forgets those before `since`. */
    async addSent(organizationId: string, mail: PlannedMail, at: Date, since: Date): Promise<void> {
      await query(
        sql,
        `with over as (delete from sent_mails where organization_id = ? and sent_at <= ?::timestamptz)
         insert into sent_mails (organization_id, address_key, channel_id, kind, sent_at)
         values (?, ?, ?, ?, ?::timestamptz)`,
        [
          ...[organizationId, since.toISOString()],
          ...[organizationId, mail.addressKey, mail.channelId, mail.kind, at.toISOString()],
        ],
      );
    },
  };
}
