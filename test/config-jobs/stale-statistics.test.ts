/**
 * PostgreSQL expects one row of an organization that is missing in its statistics. Statements must not rely
 * on that.
 */
import assert from 'node:assert/strict';
import { query } from '../../src/db/query.ts';
import { createProfile, FRIDGE } from '../support/fleet.ts';
import { useService } from '../support/service.ts';

const DEVICES = 10_000;

describe('Jobs of an organization that is new to the statistics of the database', () => {
  const dms = useService({ withWorker: false, settings: { statementTimeoutMs: 5_000 } });

  before(async () => {
    await addDevices(dms.id, 1_000);
    await query(dms.service.sql, 'vacuum analyze');
  });

  async function addDevices(organizationId: string, count: number) {
    const { sql } = dms.service;
    await query(
      sql,
      `insert into assets (organization_id, serial_number, name)
       select ?, 'DEVICE-' || n, 'Device ' || n from generate_series(1, ?::integer) as n`,
      [organizationId, count],
    );
    for (const table of ['device_states', 'device_configs']) {
      await query(
        sql,
        `insert into ${table} (organization_id, asset_id) select organization_id, id from assets where organization_id = ?`,
        [organizationId],
      );
    }
  }

  it('applies, supersedes and cancels on 10,000 devices without comparing all rows with all', async () => {
    const org = await dms.addOrganization();
    await addDevices(org.id, DEVICES);
    await createProfile(org, FRIDGE);
    const serialNumbers = Array.from({ length: DEVICES }, (_, index) => `DEVICE-${index + 1}`);
    for (const chosen of [{ applyToAll: true }, { serialNumbers }]) {
      const { status, body, text } = await org.api.put(
        '/devices/config-profiles/vaccine-fridge/apply',
        chosen,
      );
      assert.equal(status, 200, text.slice(0, 200));
      assert.equal(body.appliedCount, DEVICES);
      await org.api.put('/devices/config-profiles/vaccine-fridge', {
        temperatureAlerts: [{ type: 'high', channel: 'probe', highC: 9 }],
      });
    }
    const { body: list } = await org.api.get('/devices/config-jobs');
    assert.deepEqual(
      list.items.map(({ counts }: { counts: { superseded: number } }) => counts.superseded),
      [0, DEVICES],
    );
    const { status, text } = await org.api.post(`/devices/config-jobs/${list.items[0].id}/cancel`);
    assert.equal(status, 200, text);
  });
});
