/** `dms distribute` on a database that has been in use; skipped without CITUS_URL. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { addFleet, type Fleet } from '../../bench/support/fleet.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { distribute } from '../../src/db/distribute.ts';
import { migrate } from '../../src/db/migrate.ts';
import { query } from '../../src/db/query.ts';
import { ask, newCitusDatabase, rowsReadOnNodes, skipWithoutCitus } from '../support/citus.ts';
import { createClient } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  FACTORY,
  FRIDGE,
  inTurns,
  report,
  sendTemperature,
  untilEnded,
} from '../support/fleet.ts';
import { populate } from '../support/operations.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const ORGANIZATIONS = 10;
const DEVICES = 1_000;
const SENDERS = 20;
const MANY_DEVICES = 10_000;
const OF_DEVICES = ['assets', 'device_configs', 'device_states'];
const SERIALS = Array.from({ length: SENDERS }, (_, index) => `DEV-${DEVICES - index}`);

describe('A database that is distributed after use', function () {
  this.timeout(240_000);
  const taskQueue = `test-${randomUUID()}`;
  let url: string;
  let sql: Database;
  let receiver: Receiver;
  let fleets: Array<Fleet & { jobId: string }>;
  let kept: Record<string, number>;

  before(async function () {
    skipWithoutCitus(this);
    url = await newCitusDatabase();
    // Each shard, which has statistics of its own, has several organizations.
    await ask(url, `alter database ${new URL(url).pathname.slice(1)} set citus.shard_count = 2`);
    sql = openDatabase({ url, poolSize: 2, statementTimeoutMs: 0, applicationName: 'test' });
    await migrate(sql);
    const dms = await startService({ databaseUrl: url, settings: { taskQueue } });
    receiver = await startReceiver();
    await populate(dms);
    fleets = [];
    for (let index = 0; index < ORGANIZATIONS; index++) fleets.push(await addUsedFleet(dms));
    await receiver.until(ORGANIZATIONS * SENDERS);
    await dms.stop();
    kept = await countRows();
    await distribute(sql, () => {});
  });
  after(() => Promise.all([sql?.destroy(), receiver?.stop()]));

  /** With readings, a job that waits for its devices, and deliveries. */
  async function addUsedFleet(dms: TestService) {
    const fleet = await addFleet(sql, DEVICES, { isVacuumed: false });
    const organization = as(dms, fleet);
    await organization.api.post('/cellular-webhooks', { url: receiver.url });
    const slug = await createProfile(organization, { slug: 'cold', ...FRIDGE });
    const jobId = await apply(organization, slug, { serialNumbers: SERIALS });
    await inTurns(SERIALS, 10, (serial) => sendTemperature(organization, serial, 5));
    return { ...fleet, jobId };
  }

  const as = (dms: TestService, { organizationId, apiKey, deviceToken }: Fleet): TestOrganization => ({
    ...dms,
    id: organizationId,
    api: createClient(dms.baseUrl, apiKey),
    device: createClient(dms.baseUrl, deviceToken),
  });

  async function countRows(): Promise<Record<string, number>> {
    const tables = await query<{ name: string }>(
      sql,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and not relispartition and relname not in ('leases', 'schema_migrations_lock')
         and not exists (select from pg_depend d where d.objid = pg_class.oid and d.deptype = 'e') order by 1`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await query<{ count: number }>(sql, `select count(*) as count from ${name}`);
      counts[name] = row?.count ?? 0;
    }
    return counts;
  }

  it('keeps every row', async () => {
    assert.deepEqual(await countRows(), kept);
    assert.ok((kept.assets ?? 0) >= ORGANIZATIONS * DEVICES);
    for (const table of ['measurement_blocks', 'config_targets', 'deliveries'])
      assert.ok((kept[table] ?? 0) >= ORGANIZATIONS * SENDERS, `${table}: ${kept[table]}`);
  });

  it('leaves no row on the coordinator that the nodes have', async () => {
    const rows = await query(
      sql,
      `select logicalrelid::text as "table" from pg_dist_partition where partmethod in ('h', 'n') and pg_relation_size(logicalrelid) > 0`,
    );
    assert.deepEqual(rows, []);
  });

  it('finds nothing to migrate, and continues with its jobs', async () => {
    assert.deepEqual(await migrate(sql), []);
    const dms = await startService({
      databaseUrl: url,
      settings: { taskQueue, isDatabaseDistributed: true },
    });
    const [fleet] = fleets as [(typeof fleets)[number]];
    const organization = as(dms, fleet);
    assert.equal((await organization.api.get('/assets?limit=1')).body.totalItems, DEVICES);
    await inTurns(SERIALS, 10, (serial) => applyAnswer(organization, serial));
    assert.equal((await untilEnded(organization, fleet.jobId)).status, 'succeeded');
    await dms.stop();
  });

  it('reads only the devices that a statement names, for an organization newer than the statistics', async () => {
    await query(sql, `vacuum analyze ${OF_DEVICES}`);
    const service = { databaseUrl: url, settings: { taskQueue, isDatabaseDistributed: true } };
    const dms = await startService({ ...service, withWorker: false });
    const organization = as(dms, await addFleet(sql, MANY_DEVICES, { isVacuumed: false }));
    const before = await rowsReadOnNodes(url, OF_DEVICES);
    await inTurns(SERIALS, 5, (serial) => sendTemperature(organization, serial, 5));
    await inTurns(SERIALS, 5, (serial) => report(organization, serial, FACTORY));
    for (const serial of SERIALS)
      assert.equal((await organization.api.get(`/devices/${serial}/config`)).status, 200);
    await dms.stop();
    const read = (await rowsReadOnNodes(url, OF_DEVICES)) - before;
    assert.ok(read <= SENDERS * 40, `${read} rows were read`);
  });
});
