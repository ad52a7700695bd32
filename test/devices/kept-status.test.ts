/**
 * Lists show the status that is stored in the row of a device; after any change it matches the device's
 * state.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createConfigurationCache } from '../../src/devices/configurations.repository.ts';
import type { Device } from '../../src/devices/device.ts';
import { type DeviceSync, hasDrifted, syncStatus } from '../../src/devices/device-sync.ts';
import { createDevicesRepository } from '../../src/devices/devices.repository.ts';
import { createPendingChangesRepository } from '../../src/devices/pending-changes.repository.ts';
import { registerMany } from '../support/fleet.ts';
import { useService } from '../support/service.ts';
import { syncs } from './sync-arbitraries.ts';

const DEVICES = 12;
const RUNS = 40;

describe('The kept status of devices', () => {
  const dms = useService({ withWorker: false });
  let found: Device[];
  const devicesIn = (sql: Sql) => createDevicesRepository(sql, createConfigurationCache());

  before(async () => {
    await registerMany(dms, DEVICES);
    const pending = createPendingChangesRepository(dms.service.sql);
    const active = await pending.listActive(
      { organizationId: dms.id, groupId: null },
      { after: null, limit: DEVICES },
    );
    const assetIds = active.map(({ assetId }) => assetId);
    found = await devicesIn(dms.service.sql).lockByAsset(dms.id, assetIds);
  });

  it('follows each change of a device', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(syncs, { minLength: DEVICES, maxLength: DEVICES }),
        async (states: DeviceSync[]) => {
          const { sql } = dms.service;
          const devices = found.map((device, index) => ({ ...device, sync: states[index] as DeviceSync }));
          await devicesIn(sql).update(devices);
          const rows = await query<{ assetId: string }>(
            sql,
            `select asset_id as "assetId", sync_status as status, has_drifted as "hasDrifted" from device_configs
             where organization_id = ?`,
            [dms.id],
          );
          const byAsset = new Map(rows.map(({ assetId, ...kept }) => [assetId, kept]));
          for (const { assetId, sync } of devices) {
            const expected = { status: syncStatus(sync), hasDrifted: hasDrifted(sync) };
            assert.deepEqual(byAsset.get(assetId), expected);
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    ));
});
