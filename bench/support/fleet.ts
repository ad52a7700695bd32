/** Organizations with many devices, written straight into the database. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import type { KeyKind } from '../../src/http/route.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createKeyIssuer } from '../../src/keys/keys.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';

export interface Fleet {
  organizationId: string;
  apiKey: string;
  deviceToken: string;
}

export interface FleetOptions {
  /** SQL for the serial of device `g`; by default `DEV-1` and so on. */
  serialSql?: string;
  /** The number of the first device. */
  first?: number;
  /**
   * Whether the devices are already online: a first contact is counted, and costs more than later ones.
   * Default: no.
   */
  isOnline?: boolean;
  /** Whether statistics and visibility are as on a database that has run for some time. Default: yes. */
  isVacuumed?: boolean;
}

export async function addFleet(
  sql: Database,
  devices: number,
  { serialSql = "'DEV-' || g", first = 1, isOnline = false, isVacuumed = true }: FleetOptions = {},
): Promise<Fleet> {
  const { id } = await createOrganizationsRepository(sql).ensure(`fleet ${randomUUID()}`);
  await query(
    sql,
    `insert into assets (organization_id, serial_number, name, model)
     select ?, ${serialSql}, 'Device ' || g, 'TVO-T' from generate_series(?::integer, ?::integer) g`,
    [id, first, first + devices - 1],
  );
  for (const table of ['device_configs', 'device_states']) {
    await query(
      sql,
      `insert into ${table} (organization_id, asset_id)
       select organization_id, id from assets where organization_id = ?`,
      [id],
    );
  }
  if (isOnline) {
    await query(
      sql,
      `update device_states set status = 'online', last_contact_at = now() where organization_id = ?`,
      [id],
    );
  }
  if (isVacuumed) await sql.raw('vacuum analyze assets, device_configs, device_states');
  const issuer = createKeyIssuer(createKeysRepository(sql), Date.now);
  const issue = async (kind: KeyKind) =>
    (await issuer.issue({ organizationId: id, kind, expiresAt: null })).token;
  return { organizationId: id, apiKey: await issue('customer'), deviceToken: await issue('device') };
}
