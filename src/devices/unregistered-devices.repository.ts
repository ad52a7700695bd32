import { acrossOrganizations } from '../db/builder.ts';
import type { Database, Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type SerialInOrganization, serialKeys } from './serial-number.ts';
import { IS_UNREGISTERED, RECORD, REMOVE_OUTDATED } from './unregistered-devices.statements.ts';

export interface UnregisteredDevice {
  serialNumber: string;
  organizationName: string;
  contactCount: number;
  firstContactAt: Date;
  lastContactAt: Date;
}

/** As its organization sees it. */
export interface ListedDevice {
  serialNumber: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  count: number;
  cursor: string;
}

/** Pages are ordered by the first contact, which does not change. */
const FIRST_CONTACT = '(extract(epoch from first_contact_at) * 1000000)::bigint';
const IS_EARLIER = `(${FIRST_CONTACT}, serial_number)
  < (split_part(:before::text, '.', 1)::numeric, substr(:before::text, strpos(:before::text, '.') + 1))`;

interface UnregisteredRow {
  organization_id: string;
  serial_number: string;
  contact_count: number;
  first_contact_at: Date;
  last_contact_at: Date;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    unregistered_devices: UnregisteredRow;
  }
}

/**
 * Serials of devices that sent with an organization's token and are not registered there; the operator lists
 * them.
 */
export function createUnregisteredDevicesRepository(sql: Database) {
  return {
    /** Retention, for all organizations: removes devices without a contact for that number of days, and registered ones. */
    async removeOutdated(days: number): Promise<void> {
      await query(sql, REMOVE_OUTDATED, { days });
    },

    /** Devices of one organization, newest first. */
    async listOf(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<ListedDevice[]> {
      const list = sql('unregistered_devices')
        .where({ organization_id: organizationId })
        .whereRaw(IS_UNREGISTERED);
      if (before !== null) list.whereRaw(IS_EARLIER, { before });
      return list
        .orderByRaw(`${FIRST_CONTACT} desc, serial_number desc`)
        .limit(limit)
        .select({
          serialNumber: 'serial_number',
          firstSeenAt: 'first_contact_at',
          lastSeenAt: 'last_contact_at',
        })
        .select({ count: 'contact_count', cursor: sql.raw(`${FIRST_CONTACT} || '.' || serial_number`) });
    },

    /** Runs in the transaction of `tx`. False when there is no such device, or it is registered. */
    async remove(tx: Database, organizationId: string, serialNumber: string): Promise<boolean> {
      const device = { organization_id: organizationId, serial_number: serialNumber.toLowerCase() };
      return (await tx('unregistered_devices').where(device).whereRaw(IS_UNREGISTERED).delete()) > 0;
    },

    /** Devices of all organizations, for the operator. */
    list: (limit: number): Promise<UnregisteredDevice[]> =>
      acrossOrganizations(sql('unregistered_devices'))
        .join('organizations as o', 'o.id', 'organization_id')
        .whereRaw(IS_UNREGISTERED)
        .orderBy('last_contact_at', 'desc')
        .limit(limit)
        .select({ serialNumber: 'serial_number', organizationName: 'o.name', contactCount: 'contact_count' })
        .select({ firstContactAt: 'first_contact_at', lastContactAt: 'last_contact_at' }),
  };
}

/** Records contacts, in batches of messages. */
export const createUnregisteredContactsRepository = (sql: Sql) => ({
  async record(contacts: SerialInOrganization[]): Promise<void> {
    if (contacts.length > 0) await query(sql, RECORD, serialKeys(contacts));
  },
});
