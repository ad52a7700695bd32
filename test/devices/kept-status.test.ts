/**
 * Lists show the status of a device that is kept in its row. Processes of the version before do not write it: whatever they
 * change, the database keeps it as this version would.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { migrations } from '../../migrations/index.ts';
import type { Database, Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createConfigurationCache } from '../../src/devices/configurations.repository.ts';
import type { Device } from '../../src/devices/device.ts';
import type { DeviceSync } from '../../src/devices/device-sync.ts';
import { createDevicesRepository } from '../../src/devices/devices.repository.ts';
import { createPendingChangesRepository } from '../../src/devices/pending-changes.repository.ts';
import { registerMany } from '../support/fleet.ts';
import { startService, type TestService } from '../support/service.ts';
import { syncs } from './sync-arbitraries.ts';

const DEVICES = 12;
const RUNS = 40;
/** What the status follows from. */
const COLUMNS = [
  'reported_config_id',
  'reported_hash',
  'observed_hash',
  'confirmed_config_id',
  'pending_config_id',
  'fetched_at',
  'failure_reason',
  'refused_keys',
];

describe('The kept status of devices', function () {
  this.timeout(60_000);
  let dms: TestService;
  let found: Device[];
  const cache = createConfigurationCache();
  const devicesIn = (sql: Sql) => createDevicesRepository(sql, cache);

  before(async () => {
    dms = await startService({ withWorker: false });
    await registerMany(dms, DEVICES);
    const pending = createPendingChangesRepository(dms.service.sql);
    const active = await pending.lockAllActive({ organizationId: dms.id, groupId: null });
    const assetIds = active.map(({ assetId }) => assetId);
    found = await devicesIn(dms.service.sql).lockByAsset(dms.id, assetIds);
  });
  after(() => dms.stop());

  const states = fc.array(syncs, { minLength: DEVICES, maxLength: DEVICES });

  it('is right after each change by a process of the version before, which does not write it', () =>
    fc.assert(
      fc.asyncProperty(states, states, (before, after) => compare(before, after, changeWithoutStatus)),
      { numRuns: RUNS, endOnFailure: true },
    ));

  it('is right after the upgrade, whatever the version before had changed until then', async () => {
    const upgrade = async (sql: Database) => {
      await migrations['084-sync-status-by-trigger'].down(sql);
      await changeWithoutStatus(sql);
      await migrations['084-sync-status-by-trigger'].up(sql);
    };
    await fc.assert(
      fc.asyncProperty(states, states, (before, after) => compare(before, after, upgrade)),
      { numRuns: 5, endOnFailure: true },
    );
  });

  /** Rows as this version writes the states, and as they are after the same change by the version before. */
  async function compare(
    before: DeviceSync[],
    after: DeviceSync[],
    change: (sql: Database) => Promise<unknown>,
  ): Promise<void> {
    const { sql } = dms.service;
    await devicesIn(sql).update(withSyncs(after));
    await query(sql, 'drop table if exists wanted');
    await query(sql, 'create table wanted as select * from device_configs');
    await devicesIn(sql).update(withSyncs(before));
    await change(sql);
    assert.deepEqual(await statuses(sql, 'device_configs'), await statuses(sql, 'wanted'));
  }

  const withSyncs = (states: DeviceSync[]): Device[] =>
    found.map((device, index) => ({ ...device, sync: states[index] as DeviceSync }));

  const changeWithoutStatus = (sql: Sql) =>
    query(
      sql,
      `update device_configs d set ${COLUMNS.map((name) => `${name} = w.${name}`).join()}
       from wanted w where d.organization_id = w.organization_id and d.asset_id = w.asset_id`,
    );

  const statuses = (sql: Sql, table: string) =>
    query(
      sql,
      `select asset_id, sync_status, has_drifted from ${table} where organization_id = ? order by asset_id`,
      [dms.id],
    );
});
