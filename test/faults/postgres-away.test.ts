/** PostgreSQL stops, cuts its connections, or is too slow: requests are refused, and nothing acknowledged is lost. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../dev/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { untilSeen } from '../support/job-runs.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';
import { endAll, environmentOf, type Running, startApiProcess } from '../support/stack.ts';
import { type VanishingServer, vanishingServer } from '../support/vanishing-server.ts';
import { FRIDGE_SLUG, readiness, sameOrganizationAt, scratchFolder, startLoad } from './harness.ts';

const scratch = scratchFolder();

after(async () => {
  await endAll();
  scratch.remove();
});

describe('PostgreSQL under load', function () {
  this.timeout(60_000);
  let postgres: RunningPostgres;
  let dms: TestService;
  let apiProcess: Running & { baseUrl: string };
  let fleet: TestOrganization;
  let jobId: string;
  let jobSerials: string[];
  const start = (port: number) =>
    startPostgres({ dataDir: join(scratch.path, 'postgres'), port, log: () => {} });
  let port: number;

  before(async () => {
    port = await freePort();
    postgres = await start(port);
    const databaseUrl = await migratedDatabase(postgres.url);
    dms = await startService({ databaseUrl, settings: { jobPollIntervalMs: 1_000 } });
    apiProcess = await startApiProcess(environmentOf(dms.settings));
    fleet = await sameOrganizationAt(dms, apiProcess.baseUrl);
    await createProfile(fleet, FRIDGE);
    jobSerials = await registerMany(fleet, 4, 'IN-JOB');
    jobId = await apply(fleet, FRIDGE_SLUG, { serialNumbers: jobSerials });
    await untilSeen(dms, jobId);
  });
  after(async () => {
    await dms.stop();
    await postgres.stop();
  });

  it('refuses requests with Retry-After while PostgreSQL is stopped, and loses nothing that was acknowledged', async () => {
    const load = startLoad(fleet, 'RESTART');
    await load.untilMore(40);
    await postgres.stop();
    await load.untilRefused();
    const { status, dependencies, httpStatus, retryAfter } = await readiness(apiProcess.baseUrl);
    assert.deepEqual([httpStatus, status, dependencies.database?.state], [503, 'down', 'down']);
    assert.match(String(retryAfter), /^\d+$/);
    postgres = await start(port);
    await load.untilMore(40);
    await load.endAndCheck();
    assert.ok(apiProcess.isRunning(), apiProcess.output().slice(-2_000));
  });

  it('loses nothing that was acknowledged when PostgreSQL ends every connection repeatedly', async () => {
    const load = startLoad(fleet, 'CUT');
    const client = new pg.Client({ connectionString: dms.settings.databaseUrl });
    await client.connect();
    try {
      for (let round = 0; round < 15; round++) {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()`,
        );
        assert.ok(rowCount !== null && rowCount > 0);
        await load.untilMore(5);
      }
    } finally {
      await client.end();
    }
    await load.untilMore(40);
    await load.endAndCheck();
    assert.ok(apiProcess.isRunning(), apiProcess.output().slice(-2_000));
  });

  it('finishes a job that was running while PostgreSQL was away', async () => {
    for (const serial of jobSerials) await applyAnswer(fleet, serial);
    assert.equal((await untilEnded(fleet, jobId, { timeoutMs: 40_000 })).status, 'succeeded');
  });
});

describe('A database that is too slow', () => {
  let dms: TestService;
  let blocker: pg.Client;
  before(async () => {
    dms = await startService({ withWorker: false, settings: { statementTimeoutMs: 300 } });
    blocker = new pg.Client(dms.settings.databaseUrl);
    await blocker.connect();
  });
  after(async () => {
    await blocker.end();
    await dms.stop();
  });

  it('refuses requests with Retry-After when the database is too slow, whole batches too, and changes nothing', async () => {
    const serials = await registerMany(dms, 3);
    await blocker.query('begin; lock table assets in access exclusive mode');
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    const send = (serial: string) => dms.device.post(`/devices/${serial}/measurements`, { readings });
    const refused = await Promise.all([
      dms.api.get('/assets'),
      dms.api.post('/assets', { serialNumber: 'TOO-SLOW-1', name: 'never made' }),
      ...serials.map(send),
    ]);
    for (const { status, body, headers } of refused) {
      assert.equal(status, 503, body.message);
      assert.ok(Number(headers['retry-after']) > 0);
    }
    await blocker.query('rollback');
    assert.equal((await dms.api.get('/assets')).body.items.length, serials.length);
    for (const { status, body } of await Promise.all(serials.map(send))) {
      assert.deepEqual([status, body.accepted], [202, 1], 'nothing was stored by those that were refused');
    }
  });
});

describe('A database that vanishes without closing connections', () => {
  const STATEMENT_TIMEOUT_MS = 1_000;
  let proxy: VanishingServer;
  let dms: TestService;
  before(async () => {
    const url = new URL(await newDatabase());
    proxy = await vanishingServer({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    dms = await startService({
      databaseUrl: url.href,
      withWorker: false,
      settings: { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    });
  });
  after(async () => {
    await dms.stop();
    await proxy.stop();
  });

  it('refuses requests in time when the database vanishes, and serves them once it is back', async () => {
    const [serial = ''] = await registerMany(dms, 1);
    let minute = 0;
    const send = () => {
      const measuredAt = new Date(Date.now() - ++minute * 60_000).toISOString();
      const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt }];
      return dms.device.post(`/devices/${serial}/measurements`, { readings });
    };
    assert.equal((await send()).status, 202);
    await Promise.all(Array.from({ length: 10 }, () => dms.api.get('/assets')));
    proxy.vanish();
    const startedAt = performance.now();
    const refused = await Promise.all([send(), send(), dms.api.get('/assets'), dms.api.get('/alerts')]);
    for (const { status, body, headers } of refused) {
      assert.equal(status, 503, body.message);
      assert.ok(Number(headers['retry-after']) > 0);
    }
    assert.ok(
      performance.now() - startedAt < 8 * STATEMENT_TIMEOUT_MS,
      `${performance.now() - startedAt} ms`,
    );
    proxy.comeBack();
    await eventually(
      async () => (await send()).status,
      (status) => status === 202,
    );
    for (let round = 0; round < 30; round++) assert.equal((await dms.api.get('/assets')).status, 200);
  });
});
