/**
 * The planner expects a single row of an organization that is newer than its statistics, as one is after a large import.
 * A statement about some of its devices must not read all of them for that.
 */
import assert from 'node:assert/strict';
import pg from 'pg';
import { openResources } from '../../src/compose/resources.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import { query } from '../../src/db/query.ts';
import { createLog } from '../../src/process/log.ts';
import { apply, createProfile } from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const DEVICES = 20_000;
const SOME = 100;
/** A device is looked up by serial number and by id, locked and written. */
const ROWS_READ_MAX = SOME * 25;
const TABLES = ['assets', 'device_configs', 'device_states', 'config_targets'];

describe('Of an organization that statistics do not know, no more devices are read than are meant', function () {
  this.timeout(20_000);
  let dms: TestService;
  let org: TestOrganization;
  let resources: ReturnType<typeof openResources>;
  let counter: pg.Client;

  before(async () => {
    dms = await startService({ withWorker: false });
    counter = new pg.Client({ connectionString: dms.settings.databaseUrl });
    await counter.connect();
    resources = openResources({ settings: dms.settings, log: createLog('silent') });
    for (const table of TABLES)
      await query(dms.service.sql, `alter table ${table} set (autovacuum_enabled = off)`);
    await addDevices(dms);
    await query(dms.service.sql, 'vacuum analyze');
    org = await dms.addOrganization();
    await addDevices(org);
  });
  after(async () => {
    await counter.end();
    await resources.sql.destroy();
    await resources.temporal.close();
    await dms.stop();
  });

  async function addDevices({ id }: Pick<TestOrganization, 'id'>): Promise<void> {
    const statements = [
      `insert into assets (organization_id, serial_number, name)
       select ?, 'DEVICE-' || n, '' from generate_series(1, ${DEVICES}) as n`,
      `insert into device_configs (organization_id, asset_id, utc_offset_check_at)
       select organization_id, id, null from assets where organization_id = ?`,
      `insert into device_states (organization_id, asset_id)
       select organization_id, id from assets where organization_id = ?`,
    ];
    for (const statement of statements) await query(dms.service.sql, statement, [id]);
  }

  async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
    const before = await settledRowsRead();
    await work();
    return (await settledRowsRead()) - before;
  }
  /** What connections have read is counted for certain when they end. */
  async function settledRowsRead(): Promise<number> {
    await counter.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    const { rows } = await counter.query(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as count from pg_stat_user_tables
       where relname = any ($1)`,
      [TABLES],
    );
    return rows[0].count;
  }

  const DAILY = { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } };
  const serialNumbers = Array.from({ length: SOME }, (_, index) => `DEVICE-${index + 1}`);
  const isBounded = async (work: () => Promise<unknown>) => {
    const read = await rowsReadBy(work);
    assert.ok(read <= ROWS_READ_MAX, `${read} rows were read`);
  };

  it('by an apply to some, and by its cancel', async () => {
    const slug = await createProfile(org, DAILY);
    await isBounded(() => apply(org, slug, { serialNumbers }));
    const jobId = (await org.api.get('/devices/config-jobs')).body.items[0].id;
    await isBounded(() => org.api.post(`/devices/config-jobs/${jobId}/cancel`));
  });

  it('by those that join and leave a group with a profile', async () => {
    const { body } = await org.api.post('/groups', { name: 'Fridges', profileSlug: DAILY.slug });
    for (const change of ['add-members', 'remove-members']) {
      await isBounded(async () => {
        const { status, text } = await org.api.post(`/groups/${body.id}/${change}`, { serialNumbers });
        assert.equal(status, 200, text);
      });
    }
  });

  it('by the check of their offsets from UTC', async () => {
    await query(
      dms.service.sql,
      `update device_configs set utc_offset_check_at = '-infinity' where organization_id = ? and asset_id in (
         select asset_id from device_configs where organization_id = ? order by asset_id desc limit ${SOME})`,
      [org.id, org.id],
    );
    const { syncUtcOffsets } = composeSlices(resources).configJobs;
    await isBounded(syncUtcOffsets);
  });
});
