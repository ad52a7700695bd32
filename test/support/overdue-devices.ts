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
    `with states as (
       update device_states s set status = 'online', last_contact_at = now(), expected_by = now() + interval '70 minutes'
       from assets a ${OF_SERIALS} returning s.organization_id, s.asset_id, s.expected_by
     )
     insert into overdue_checks (organization_id, asset_id, check_at)
     select organization_id, asset_id, expected_by from states`,
    [org.id, serials],
  );
  return serials;
}

/** One statement, so that one sweep finds all of them. */
export const missContact = (dms: TestService, org: TestOrganization, serials: string[]) =>
  query(
    dms.service.sql,
    `with states as (
       update device_states s set expected_by = now() - interval '1 minute'
       from assets a ${OF_SERIALS} returning s.organization_id, s.asset_id, s.expected_by
     )
     update overdue_checks c set check_at = s.expected_by from states s
     where c.organization_id = s.organization_id and c.asset_id = s.asset_id`,
    [org.id, serials],
  );
