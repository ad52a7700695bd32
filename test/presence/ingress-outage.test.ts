import assert from 'node:assert/strict';
import pg from 'pg';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { eventually, register } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestOrganization } from '../support/service.ts';
import { sameOrganizationAt } from '../support/stack.ts';
import { openSteps } from '../support/steps.ts';

const DEADLINE = ['last_contact_at', 'expected_by'];

describe('An outage of the ingress', () => {
  for (const ingress of ['api', 'gateway']) {
    it(`postpones deadlines for as long as the ${ingress} was down, and no longer`, async () => {
      const databaseUrl = await newDatabase();
      const database = new pg.Client({ connectionString: databaseUrl });
      const moveBack = (minutes: number, table: string, columns: string[], where = 'true') =>
        database.query(
          `update ${table} set ${columns.map((column) => `${column} = ${column} - interval '${minutes} minutes'`)}
           where ${where}`,
        );
      const minutesToNextLook = async (id: string): Promise<number> => {
        const { rows } = await database.query(
          `select (extract(epoch from check_at - now()) / 60)::float8 as minutes from overdue_checks
           where asset_id = $1`,
          [id],
        );
        return rows[0].minutes;
      };
      const first = await startService({ databaseUrl, withWorker: false });
      await database.connect();
      const excusedId = await register(first, 'EXCUSED');
      const overdueId = await register(first, 'OVERDUE');
      await sendFrame(first, 'EXCUSED');
      await first.stop();
      await moveBack(180, 'device_states', DEADLINE);
      await moveBack(180, 'overdue_checks', ['check_at']);
      await moveBack(180, 'ingress_heartbeats', ['beat_at'], `ingress = '${ingress}'`);

      const second = await startService({ databaseUrl, withWorker: false });
      const steps = openSteps(second);
      await eventually(
        async () => (await database.query('select from ingress_outages')).rowCount,
        (outages) => outages === 1,
      );
      const organization = await sameOrganizationAt(second, first);
      const statusOf = async (id: string) => (await organization.api.get(`/assets/${id}`)).body.status;
      await sendFrame(organization, 'OVERDUE');
      await moveBack(41, 'device_states', ['expected_by'], `asset_id = '${overdueId}'`);
      await moveBack(41, 'overdue_checks', ['check_at'], `asset_id = '${overdueId}'`);
      await steps.sweepOffline();
      assert.equal(await statusOf(overdueId), 'offline');
      assert.equal(await statusOf(excusedId), 'online');
      // Not checked again every few minutes: after an outage all devices are excused at once.
      assert.ok((await minutesToNextLook(excusedId)) > 20);
      await database.query('begin');
      await moveBack(41, 'device_states', DEADLINE, `asset_id = '${excusedId}'`);
      await moveBack(41, 'overdue_checks', ['check_at'], `asset_id = '${excusedId}'`);
      await moveBack(41, 'ingress_outages', ['started_at', 'ended_at']);
      await database.query('commit');
      await steps.sweepOffline();
      assert.equal(await statusOf(excusedId), 'offline');
      await steps.close();
      await second.stop();
      await database.end();
    });
  }
});

describe('An outage of the ingress that goes on', () => {
  it('keeps devices online and checks them again within five minutes, since the excuse has a limit', async () => {
    const databaseUrl = await newDatabase();
    const dms = await startService({ databaseUrl, withWorker: false });
    const assetId = await register(dms, 'EXCUSED');
    await sendFrame(dms, 'EXCUSED');
    await dms.stop();
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    await database.query(
      `update device_states set last_contact_at = last_contact_at - interval '3 hours',
         expected_by = expected_by - interval '1 hour'`,
    );
    await database.query("update overdue_checks set check_at = check_at - interval '1 hour'");
    await database.query("update ingress_heartbeats set beat_at = beat_at - interval '3 hours'");
    const steps = openSteps(dms);
    await steps.sweepOffline();
    const { rows } = await database.query(
      `select status, check_at > now() as is_later, check_at < now() + interval '6 minutes' as is_soon
       from device_states join overdue_checks using (organization_id, asset_id) where asset_id = $1`,
      [assetId],
    );
    assert.deepEqual(rows, [{ status: 'online', is_later: true, is_soon: true }]);
    await steps.close();
    await database.end();
  });
});

async function sendFrame(to: TestOrganization, serial: string): Promise<void> {
  const nextTransmissionAt = new Date(Date.now() + 30 * MINUTE_MS).toISOString();
  const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt: new Date().toISOString() }];
  const frame = { readings, nextTransmissionAt };
  const { status, text } = await to.device.post(`/devices/${serial}/measurements`, frame);
  assert.equal(status, 202, text);
}
