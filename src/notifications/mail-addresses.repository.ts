/** E-mail addresses with their confirmations, and the e-mails of the last hour. */
import { lockName } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { PlannedMail, SentMail } from './mail-limits.ts';

export interface MailAddress {
  addressKey: string;
  organizationName: string;
  linkExpiresAt: Date | null;
  confirmedAt: Date | null;
}

interface MailAddressRow extends Columns<Omit<MailAddress, 'organizationName'>> {
  organization_id: string;
  link_hash: Buffer | null;
}

interface SentMailRow extends Columns<SentMail> {
  organization_id: string;
  id: string;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    mail_addresses: MailAddressRow;
    sent_mails: SentMailRow;
  }
}

export type MailAddressesRepository = ReturnType<typeof createMailAddressesRepository>;

export function createMailAddressesRepository(sql: Database) {
  const addresses = (organizationId: string) =>
    sql('mail_addresses as m')
      .join('organizations as o', 'o.id', 'm.organization_id')
      .where({ 'm.organization_id': organizationId })
      .select<MailAddress[]>({
        addressKey: 'm.address_key',
        organizationName: 'o.name',
        linkExpiresAt: 'm.link_expires_at',
        confirmedAt: 'm.confirmed_at',
      });
  const sent = (organizationId: string) => sql('sent_mails').where({ organization_id: organizationId });

  return {
    async find(organizationId: string, addressKey: string): Promise<MailAddress | null> {
      return (await addresses(organizationId).where('m.address_key', addressKey).first()) ?? null;
    },

    /** Replaces an earlier link. */
    async setLink(
      organizationId: string,
      addressKey: string,
      link: { hash: Buffer; expiresAt: Date },
    ): Promise<void> {
      await sql('mail_addresses')
        .insert({
          organization_id: organizationId,
          address_key: addressKey,
          link_hash: link.hash,
          link_expires_at: link.expiresAt,
        })
        .onConflict(['organization_id', 'address_key'])
        .merge(['link_hash', 'link_expires_at']);
    },

    /** A used link is found after its end, too, and says that it was used. */
    async findByLink(organizationId: string, hash: Buffer, now: Date): Promise<MailAddress | null> {
      const found = await addresses(organizationId)
        .where('m.link_hash', hash)
        .where((link) => link.where('m.link_expires_at', '>', now).orWhereNotNull('m.confirmed_at'))
        .first();
      return found ?? null;
    },

    /** Repeated use of the link changes nothing. */
    async confirm(organizationId: string, hash: Buffer, now: Date): Promise<MailAddress | null> {
      const [row] = await sql('mail_addresses')
        .where({ organization_id: organizationId, link_hash: hash })
        .where('link_expires_at', '>', now)
        .update({ confirmed_at: sql.raw('coalesce(confirmed_at, ?)', [now]) })
        .returning('address_key');
      return row ? this.find(organizationId, row.address_key) : null;
    },

    /**
     * Serializes counting e-mails of the organization, and decisions about its addresses, until the
     * transaction ends.
     */
    lock: (organizationId: string): Promise<void> => lockName(sql, `mails:${organizationId}`),

    /** Oldest first. One that is still to come is of a clock that was ahead, and does not count. */
    async listSent(organizationId: string, since: Date, now: Date): Promise<SentMail[]> {
      return sent(organizationId)
        .where('sent_at', '>', since)
        .where('sent_at', '<=', now)
        .orderBy(['sent_at', 'id'])
        .select({ addressKey: 'address_key', channelId: 'channel_id', kind: 'kind', sentAt: 'sent_at' });
    },

    /** Removes the latest entry of such a mail. */
    async removeSent(organizationId: string, mail: PlannedMail): Promise<void> {
      const latest = sent(organizationId)
        .where({ address_key: mail.addressKey, channel_id: mail.channelId, kind: mail.kind })
        .orderBy('id', 'desc')
        .limit(1)
        .select('id');
      await sent(organizationId).whereIn('id', latest).delete();
    },

    /** Also removes entries before `since`. */
    async addSent(organizationId: string, mail: PlannedMail, at: Date, since: Date): Promise<void> {
      await sent(organizationId).where('sent_at', '<=', since).delete();
      await sql('sent_mails').insert({
        organization_id: organizationId,
        address_key: mail.addressKey,
        channel_id: mail.channelId,
        kind: mail.kind,
        sent_at: at,
      });
    },
  };
}
