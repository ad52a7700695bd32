import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type SerialInOrganization, serialKeys } from './serial-number.ts';
import {
  LIST,
  LIST_OF_ORGANIZATION,
  RECORD,
  REMOVE,
  REMOVE_OUTDATED,
} from './unregistered-devices.statements.ts';

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

/**
 * Serials of devices that sent with an organization's token and are not registered there; the operator lists
 * them.
 */
export function createUnregisteredDevicesRepository(sql: Sql) {
  return {
    async record(contacts: SerialInOrganization[]): Promise<void> {
      if (contacts.length === 0) return;
      await query(sql, RECORD, serialKeys(contacts));
    },

    /** Retention, for all organizations: removes devices without a contact for that number of days, and registered ones. */
    async removeOutdated(days: number): Promise<void> {
      await query(sql, REMOVE_OUTDATED, { days });
    },

    /** Devices of one organization, newest first. */
    listOf(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<ListedDevice[]> {
      return query(sql, LIST_OF_ORGANIZATION, { organizationId, before, limit });
    },

    /** Runs in the transaction of `tx`. False when there is no such device, or it is registered. */
    async remove(tx: Sql, organizationId: string, serialNumber: string): Promise<boolean> {
      const rows = await query(tx, REMOVE, { organizationId, serialNumber });
      return rows.length > 0;
    },

    /** Devices of all organizations, for the operator. */
    list: (limit: number): Promise<UnregisteredDevice[]> => query(sql, LIST, { limit }),
  };
}
