import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { SerialInOrganization } from './serial-number.ts';

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

/** Pages go by the first contact, which does not change. */
const FIRST_CONTACT = '(extract(epoch from u.first_contact_at) * 1000000)::bigint';
/** As a value: as a condition of `exists`, the planner reads all assets of an organization to join them. */
const IS_UNREGISTERED = `(
    select a.id from assets a where a.organization_id = u.organization_id
      and lower(a.serial_number) = u.serial_number and a.archived_at is null limit 1
  ) is null`;

/** Bounds the rows that a faulty or hostile sender can store. */
const PER_ORGANIZATION_MAX = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Serials of devices that sent with an organization's token and are not registered there; the operator lists them. */
export function createUnregisteredDevicesRepository(sql: Sql) {
  return {
    async record(contacts: SerialInOrganization[]): Promise<void> {
      if (contacts.length === 0) return;
      await query(
        sql,
        `insert into unregistered_devices (organization_id, serial_number, contact_count, last_contact_at)
         select s.organization_id, s.serial_number, s.contact_count, now()
         from (
           select organization_id, lower(serial_number) as serial_number, count(*) as contact_count
           from unnest(?::uuid[], ?::text[]) as u (organization_id, serial_number) group by 1, 2
         ) as s
         where (select count(*) from unregistered_devices k where k.organization_id = s.organization_id) < ?
           or exists (select from unregistered_devices k
             where k.organization_id = s.organization_id and k.serial_number = s.serial_number)
         order by 1, 2
         on conflict on constraint unregistered_devices_pkey do update
           set contact_count = unregistered_devices.contact_count + excluded.contact_count, last_contact_at = excluded.last_contact_at`,
        [
          contacts.map(({ organizationId }) => organizationId),
          contacts.map(({ serialNumber }) => serialNumber),
          PER_ORGANIZATION_MAX,
        ],
      );
    },

    /**
     * Retention: removes devices without a contact for that number of days among the next ones of all organizations, which makes
     * room for others. Page by page, since an index on last_contact_at would be written by every contact.
     */
    async removeOlderThan(
      days: number,
      page: { after: SerialInOrganization | null; limit: number },
    ): Promise<SerialInOrganization | null> {
      const { organizationId = FIRST_ID, serialNumber = '' } = page.after ?? {};
      const [last] = await query<SerialInOrganization>(
        sql,
        `with page as materialized (
           select organization_id, serial_number from unregistered_devices
           where (organization_id, serial_number) > (?::uuid, ?) order by organization_id, serial_number limit ?
         ), removed as (
           delete from unregistered_devices u using page
           where u.organization_id = page.organization_id and u.serial_number = page.serial_number
             and u.last_contact_at < now() - make_interval(days => ?)
         )
         select organization_id as "organizationId", serial_number as "serialNumber" from page
         order by organization_id desc, serial_number desc limit 1`,
        [organizationId, serialNumber, page.limit, days],
      );
      return last ?? null;
    },

    /** Devices of one organization, newest first. */
    listOf(
      organizationId: string,
      { before, limit }: { before: string | null; limit: number },
    ): Promise<ListedDevice[]> {
      return query(
        sql,
        `select u.serial_number as "serialNumber", u.first_contact_at as "firstSeenAt",
           u.last_contact_at as "lastSeenAt", u.contact_count as count,
           ${FIRST_CONTACT} || '.' || u.serial_number as cursor
         from unregistered_devices u
         where u.organization_id = ? and ${IS_UNREGISTERED}
           and (?::text is null or (${FIRST_CONTACT}, u.serial_number) <
             (split_part(?::text, '.', 1)::numeric, substr(?::text, strpos(?::text, '.') + 1)))
         order by ${FIRST_CONTACT} desc, u.serial_number desc limit ?`,
        [organizationId, before, before, before, before, limit],
      );
    },

    /** In the transaction of `tx`. False when there is no such device, or it is registered. */
    async remove(tx: Sql, organizationId: string, serialNumber: string): Promise<boolean> {
      const rows = await query(
        tx,
        `delete from unregistered_devices u
         where u.organization_id = ? and u.serial_number = lower(?) and ${IS_UNREGISTERED} returning 1`,
        [organizationId, serialNumber],
      );
      return rows.length > 0;
    },

    /** Devices of all organizations, for the operator. */
    list(limit: number): Promise<UnregisteredDevice[]> {
      return query(
        sql,
        `select u.serial_number as "serialNumber", o.name as "organizationName", u.contact_count as "contactCount",
           u.first_contact_at as "firstContactAt", u.last_contact_at as "lastContactAt"
         from unregistered_devices u join organizations o on o.id = u.organization_id
         where ${IS_UNREGISTERED}
         order by u.last_contact_at desc limit ?`,
        [limit],
      );
    },
  };
}
