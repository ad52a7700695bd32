/**
 * Finding devices: each filter of the list of assets, alone and combined, the fleet, and unregistered
 * devices.
 */
import { query } from '../../src/db/query.ts';
import { createGroupsRepository } from '../../src/groups/groups.repository.ts';
import { type MeasuredPath, measurePages } from './page-latency.ts';
import { fleetOf, type SizeBench } from './size-bench.ts';

export async function benchFind(bench: SizeBench): Promise<void> {
  const groupId = await prepare(bench);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const filters = [
    'q=282C02', // all serial numbers
    'q=282C0200FF', // 256 of them
    'q=Device%207', // a tenth of the names
    'q=device%2077777', // ten of the names
    'q=zz', // none
    'q=9', // most names
    'serialNumber=282c0200abcd',
    'model=TVO-T',
    'model=TVO-THT', // none
    `groupId=${groupId}`,
    'status=online',
    'status=offline', // a thirtieth
    'status=new', // none
    'batteryStatus=unknown',
    'batteryStatus=low', // a hundredth
    'syncStatus=applied',
    'syncStatus=failed', // a two hundredth
    'syncStatus=drifted', // none
    `lastReadingBefore=${hourAgo}`, // nearly all
    'lastReadingBefore=2020-01-01T00:00:00Z', // a few hundred that never read
    `groupId=${groupId}&status=offline&batteryStatus=low`,
    'status=online&batteryStatus=unknown&syncStatus=applied&q=77',
    'status=offline&q=zz',
    `status=offline&lastReadingBefore=${hourAgo}`,
    `q=Device%207&lastReadingBefore=${hourAgo}&status=online`,
  ];
  await measurePages(bench, 'Finding devices', [
    { name: 'fleet', path: '/fleet', isWhole: true },
    { name: 'unregistered devices', path: '/unregistered-devices?' },
    { name: 'assets', path: '/assets?' },
    ...filters.map(
      (filter): MeasuredPath => ({ name: filter.replace(groupId, '…'), path: `/assets?${filter}&` }),
    ),
  ]);
}

/**
 * Runs once per folder: creates a group of a tenth of the devices, and devices that differ from the others.
 */
async function prepare(bench: SizeBench): Promise<string> {
  const { sql } = bench.stack;
  const { organizationId } = fleetOf(bench, 0);
  const [known] = await query<{ id: string }>(
    sql,
    `select id from groups where organization_id = ? and name = 'A tenth'`,
    [organizationId],
  );
  if (known) return known.id;
  const id = await createGroupsRepository(sql).insert(organizationId, {
    name: 'A tenth',
    profileSlug: null,
  });
  await query(
    sql,
    `update assets set group_id = ? where organization_id = ? and right(serial_number, 1) in ('0', '8')`,
    [id, organizationId],
  );
  const differing: Array<[string, string, number]> = [
    ['device_states', "status = 'offline'", 30],
    ['device_states', "battery_status = 'low'", 100],
    ['device_states', "last_reading_at = null, last_reading_from = '-infinity'", 400],
    ['device_configs', "sync_status = 'failed'", 200],
  ];
  for (const [table, change, each] of differing) {
    await query(
      sql,
      `update ${table} set ${change} where organization_id = ? and hashtext(asset_id::text) % ? = 0`,
      [organizationId, each],
    );
  }
  await query(
    sql,
    `insert into unregistered_devices (organization_id, serial_number, contact_count)
     select ?::uuid, 'ff' || lpad(to_hex(g), 10, '0'), g from generate_series(1, 1000) as g`,
    [organizationId],
  );
  await sql.raw('vacuum analyze assets, device_states, device_configs, unregistered_devices');
  return id;
}
