/**
 * For an organization newer than its statistics, as after a large import, the planner expects a single row. A
 * statement about some of its devices must not read all of them for that reason. It matters most where tables
 * are distributed, because each statement is then planned for the organization that it names.
 */
import assert from 'node:assert/strict';
import pg from 'pg';
import { composeSlices } from '../../src/compose/slices.ts';
import { toExpectRowsOfEach } from '../../src/db/distribute.ts';
import { query } from '../../src/db/query.ts';
import { ACTIVE_BY_SERIAL } from '../../src/devices/device-row.ts';
import { addCustomer, type Customer, QUICK } from '../deliveries/harness.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FRIDGE,
  inTurns,
  report,
  sendTemperature,
} from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { startReceiver } from '../support/receiver.ts';
import { openTestResources, type TestResources } from '../support/resources.ts';
import { END_OTHER_SESSIONS, ROWS_READ } from '../support/rows-read.ts';
import { newDatabase, servers } from '../support/servers.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const DEVICES = 4_000;
const SOME = 40;
/** Those of them that send messages one by one. */
const FEW = 10;
/**
 * A device is looked up by serial number and by id, locked and written, and its state is read for each look-up of
 * readings. For SOME devices that is little more than half of what a statement that reads all devices reads.
 */
const ROWS_READ_PER_DEVICE_MAX = 60;
const OF_DEVICES = ['assets', 'device_configs', 'device_states'];

/** Statements about one device: its id is that of its asset. */
type Request = (
  org: TestOrganization,
  serial: string,
  id: string,
) => Promise<{ status: number; text: string }>;

const REQUESTS: Record<string, Request> = {
  'the asset': ({ api }, _, id) => api.get(`/assets/${id}`),
  'assets of its serial number': ({ api }, serial) => api.get(`/assets?serialNumber=${serial}`),
  'assets that are offline': ({ api }) => api.get('/assets?status=offline'),
  'the first assets with a low battery that are offline': ({ api }) =>
    api.get('/assets?status=offline&batteryStatus=low&limit=5'),
  'its statistics': ({ api }, _, id) =>
    api.get(`/assets/${id}/statistics?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z`),
  'the settings that it ran': ({ api }, _, id) => api.get(`/assets/${id}/settings`),
  'its readings': ({ api }, _, id) => api.get(`/assets/${id}/measurements?from=2026-01-01T00:00:00Z`),
  'an export of its readings': ({ api }, _, id) =>
    api.get(`/measurements?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&assetIds=${id}`),
  'its alerts': ({ api }, _, id) => api.get(`/alerts?assetId=${id}`),
  'its configuration': ({ api }, serial) => api.get(`/devices/${serial}/config`),
  'its pending configuration': ({ device }, serial) => device.get(`/devices/${serial}/pending-config`),
  'a new name': ({ api }, _, id) => api.patch(`/assets/${id}`, { name: 'Freezer' }),
  'a token of its own': ({ api }, _, id) => api.post(`/assets/${id}/device-token`),
  'other hardware': ({ api }, serial, id) =>
    api.post(`/assets/${id}/replace-hardware`, { newSerialNumber: `${serial}-NEW` }),
  'a new asset': ({ api }) => api.post('/assets', { serialNumber: 'LOGGER-1' }),
};
/**
 * The only online devices are those of earlier tests, so few that they may all be read. Each look-up of readings reads
 * the state of its device. A single request that reads all devices reads more than all of them may.
 */
const ROWS_READ_BY_REQUESTS_MAX = Object.keys(REQUESTS).length * (SOME + 50);

/** Claimed in parts: reading all deliveries for each claim would read twice the allowed rows. */
const DELIVERIES = 800;
/** A delivery is claimed, found with its event, and recorded. */
const ROWS_READ_PER_DELIVERY_MAX = 12;
const OF_DELIVERIES = ['deliveries', 'events'];

for (const isDatabaseDistributed of [false, true]) {
  const how = isDatabaseDistributed ? ', with the tables distributed' : '';

  describe(`Reads only the named devices of an organization that statistics do not know${how}`, () => {
    let dms: TestService;
    let org: TestOrganization;
    let resources: TestResources;
    let counter: pg.Client;

    before(async () => {
      const databaseUrl = await newDatabase();
      counter = await connect(databaseUrl);
      if (isDatabaseDistributed) {
        // Statements are planned for their values, as under Citus.
        await counter.query(`alter database ${counter.database} set plan_cache_mode = force_custom_plan`);
        for (const table of [...OF_DEVICES, ...OF_DELIVERIES]) await counter.query(toExpectRowsOfEach(table));
      }
      const settings = { isDatabaseDistributed, webhooks: QUICK };
      // The outbox is polled once, because each poll reads rows and their number would depend on the machine.
      const deliveryPlan = { pollIntervalMs: 600_000 };
      dms = await startService({ databaseUrl, withWorker: false, settings, deliveryPlan });
      resources = openTestResources({ settings: dms.settings });
      await addDevices(dms);
      // Only the test analyzes tables: its server has no autovacuum.
      await counter.query(`vacuum analyze ${OF_DEVICES}`);
      org = await dms.addOrganization();
      await addDevices(org);
    });
    after(async () => {
      await counter.end();
      await resources.close();
      await dms.stop();
    });

    async function addDevices({ id }: Pick<TestOrganization, 'id'>): Promise<void> {
      const statements = [
        `insert into assets (organization_id, serial_number, name)
         select ?, upper(lpad(to_hex(n), 12, '0')), 'Fridge' from generate_series(1, ${DEVICES}) as n`,
        `insert into device_configs (organization_id, asset_id, utc_offset_check_at)
         select organization_id, id, null from assets where organization_id = ?`,
        `insert into device_states (organization_id, asset_id)
         select organization_id, id from assets where organization_id = ?`,
      ];
      for (const statement of statements) await query(dms.service.sql, statement, [id]);
    }

    const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };
    /** The last devices: a statement that reads all of them finds these at the end. */
    const serialNumbers = Array.from({ length: SOME }, (_, index) =>
      (DEVICES - index).toString(16).toUpperCase().padStart(12, '0'),
    );
    const few = serialNumbers.slice(0, FEW);

    async function settledRowsRead(tables = OF_DEVICES): Promise<number> {
      await counter.query(END_OTHER_SESSIONS);
      return rowsRead(counter, tables);
    }

    async function isBounded(
      work: () => Promise<unknown>,
      most = SOME * ROWS_READ_PER_DEVICE_MAX,
    ): Promise<void> {
      const before = await settledRowsRead();
      await work();
      const read = (await settledRowsRead()) - before;
      assert.ok(read <= most, `${read} rows were read`);
    }

    const isBoundedForFew = (work: (serial: string) => Promise<unknown>) =>
      isBounded(() => inTurns(few, FEW, work), FEW * ROWS_READ_PER_DEVICE_MAX);

    it('bounds the reads of an apply to some, and of its cancel', async () => {
      const slug = await createProfile(org, DAILY);
      await isBounded(() => apply(org, slug, { serialNumbers }));
      const jobId = (await org.api.get('/devices/config-jobs')).body.items[0].id;
      await isBounded(() => org.api.post(`/devices/config-jobs/${jobId}/cancel`));
    });

    it('bounds the reads of joining and leaving a group with a profile', async () => {
      const { body } = await org.api.post('/groups', { name: 'Fridges', profileSlug: DAILY.slug });
      for (const change of ['add-members', 'remove-members']) {
        await isBounded(async () => {
          const { status, text } = await org.api.post(`/groups/${body.id}/${change}`, { serialNumbers });
          assert.equal(status, 200, text);
        });
      }
    });

    it('bounds the reads of readings', async () => {
      await isBoundedForFew((serial) => sendTemperature(org, serial, 5));
      await isBoundedForFew((serial) => sendTemperature(org, serial, 6));
    });

    it('bounds the reads of device info', async () => {
      const { token } = await dms.issueKey(org.id, 'device');
      await isBoundedForFew(async (serial) => {
        const logger = await openLogger({ serial, token, coapPort: dms.coapPort });
        assert.equal((await logger.sendInfo({ version: 0x0702, rssi: -70 })).code, '2.01');
        logger.close();
      });
    });

    it('bounds the reads of alerts that open and resolve', async () => {
      await apply(org, await createProfile(org, FRIDGE), { serialNumbers: few });
      await isBoundedForFew((serial) => applyAnswer(org, serial));
      await isBoundedForFew((serial) => sendTemperature(org, serial, 12));
      assert.equal((await org.api.get('/alerts?status=new')).body.totalItems, FEW);
      await isBoundedForFew((serial) => sendTemperature(org, serial, 5));
      assert.equal((await org.api.get('/alerts?status=new')).body.totalItems, 0);
    });

    it('bounds the reads of requests about one device', async () => {
      const [serial = ''] = serialNumbers;
      const rows = await query<{ id: string }>(
        dms.service.sql,
        `select id from ${ACTIVE_BY_SERIAL} as assets`,
        { organizationIds: [org.id], serialNumbers: [serial] },
      );
      await isBounded(async () => {
        for (const [what, request] of Object.entries(REQUESTS)) {
          const { status, text } = await request(org, serial, rows[0]?.id ?? '');
          assert.ok(status < 300, `${what}: ${text}`);
        }
      }, ROWS_READ_BY_REQUESTS_MAX);
    });

    it('bounds the reads of reports', () => isBoundedForFew((serial) => report(org, serial, FACTORY)));

    it('bounds the reads of the check of offsets from UTC', async () => {
      await query(
        dms.service.sql,
        `update device_configs set utc_offset_check_at = '-infinity' where organization_id = ? and asset_id in (
           select asset_id from device_configs where organization_id = ? order by asset_id desc limit ${SOME})`,
        [org.id, org.id],
      );
      const { syncUtcOffsets } = composeSlices(resources).configJobs;
      await isBounded(() => syncUtcOffsets(() => true));
    });

    it('reads each delivery a few times', async () => {
      const receiver = await startReceiver();
      const known = await addCustomer(dms);
      await queue(counter, known, receiver.url);
      await counter.query(`update deliveries set state = 'delivered'`);
      await counter.query(`vacuum analyze ${OF_DELIVERIES}`);
      await queue(counter, await addCustomer(dms), receiver.url);
      const before = await settledRowsRead(OF_DELIVERIES);
      const worker = await dms.service.startWorker((await servers()).workflowBundle);
      await receiver.until(DELIVERIES);
      await worker.stop(1_000);
      assert.equal(receiver.received.length, DELIVERIES);
      const perDelivery = ((await settledRowsRead(OF_DELIVERIES)) - before) / DELIVERIES;
      await receiver.stop();
      assert.ok(perDelivery <= ROWS_READ_PER_DELIVERY_MAX, `${perDelivery} rows were read for each`);
    });
  });
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

/** Reads of the tables and their partitions, since their creation. */
async function rowsRead(client: pg.Client, tables: string[]): Promise<number> {
  const { rows } = await client.query(
    `select ${ROWS_READ}::integer as count from pg_stat_user_tables
     where coalesce(pg_partition_root(relid), relid)::regclass::text = any ($1)`,
    [tables],
  );
  return rows[0].count;
}

/** For a new endpoint; through the API it would take long. */
async function queue(client: pg.Client, customer: Customer, url: string): Promise<void> {
  const { id } = await customer.subscribe(url);
  await customer.publish(1);
  await client.query(
    `with e as (
       insert into events (organization_id, id, type, body)
       select $1, uuidv7(), type, body from events, generate_series(2, ${DELIVERIES}) where organization_id = $1
       returning id
     )
     insert into deliveries (organization_id, endpoint_id, event_id, event_type, state)
     select $1, $2, id, 'config.applied', 'pending' from e`,
    [customer.id, id],
  );
}
