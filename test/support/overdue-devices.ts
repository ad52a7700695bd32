/** Devices that were in contact, and miss the next one. */
import { query } from '../../src/db/query.ts';
import { registerMany } from './fleet.ts';
import type { TestOrganization, TestService } from './service.ts';

let prefixes = 0;

const OF_SERIALS = `where a.organization_id = s.organization_id and a.id = s.asset_id
    and a.organization_id = ? and a.serial_number = any(?::text[])`;

/** Their state after their first frames; returns their serial numbers. */
export async function newFleet(dms: TestService, org: TestOrganization, count: number): Promise<string[]> {
  const serials = await registerMany(org, count, `FLEET-${++prefixes}`);
  await query(
    dms.service.sql,
    `update device_states s set status = 'online', last_contact_at = now(),
       expected_by = now() + interval '70 minutes', overdue_check_at = now() + interval '70 minutes'
     from assets a ${OF_SERIALS}`,
    [org.id, serials],
  );
  return serials;
}

/** One statement, so that one sweep finds all of them. */
export const missContact = (dms: TestService, org: TestOrganization, serials: string[]) =>
  query(
    dms.service.sql,
    `update device_states s set expected_by = now() - interval '1 minute', overdue_check_at = now() - interval '1 minute'
     from assets a ${OF_SERIALS}`,
    [org.id, serials],
  );
