/** PostgreSQL stops, cuts its connections, or is too slow: requests are refused, and nothing acknowledged is lost. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../dev/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { compose } from '../../src/compose/service.ts';
import { query } from '../../src/db/query.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { createLog } from '../../src/process/log.ts';
import { QUICK, QUICK_PLAN } from '../deliveries/harness.ts';
import { createClient } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FACTORY,
  FRIDGE,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { untilSeen } from '../support/job-runs.ts';
import { assertBalanced, type Ledger, openLedger } from '../support/ledger.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestService, useService } from '../support/service.ts';
import { tryKill } from '../support/stack.ts';
import { useTcpProxy } from '../support/tcp-proxy.ts';
import { FRIDGE_SLUG, readiness, scratchFolder, startLoad } from './harness.ts';

const scratch = scratchFolder();

/** Written data survives the kill of a process; only a crash of the machine would need it flushed. */
const UNSYNCED = { fsync: 'off', full_page_writes: 'off' };
const CUTS = 5;
const STATEMENT_TIMEOUT_MS = 1_000;
/** Acknowledged requests or events between two faults, more than there are clients. */
const LOAD = 12;

after(() => scratch.remove());

describe('PostgreSQL under load', () => {
  let postgres: RunningPostgres;
  let dms: TestService;
  let ledger: Ledger;
  let jobId: string;
  let jobSerials: string[];
  const dataDir = join(scratch.path, 'postgres');
  const start = (port: number) => startPostgres({ dataDir, port, log: () => {}, settings: UNSYNCED });
  let port: number;

  before(async () => {
    port = await freePort();
    postgres = await start(port);
    const databaseUrl = await migratedDatabase(postgres.url);
    dms = await startService({
      databaseUrl,
      settings: { jobPollIntervalMs: 1_000, webhooks: QUICK },
      deliveryPlan: QUICK_PLAN,
    });
    ledger = openLedger(dms);
    for (const events of [['device.online', 'device.offline'], ['device.online']] as const)
      await ledger.subscribe(events);
    await createProfile(dms, FRIDGE);
    jobSerials = await registerMany(dms, 4, 'IN-JOB');
    jobId = await apply(dms, FRIDGE_SLUG, { serialNumbers: jobSerials });
    await untilSeen(dms, jobId);
  });
  after(async () => {
    await ledger.stop();
    await dms.stop();
    await postgres.stop();
  });

  it('refuses requests with Retry-After while PostgreSQL is stopped or killed, and loses nothing that was acknowledged', async () => {
    const load = startLoad(dms, 'RESTART');
    const events = startEvents();
    await load.untilMore(LOAD);
    await events.untilMore(LOAD);
    await postgres.stop();
    await load.untilRefused();
    const { status, dependencies, httpStatus, retryAfter } = await readiness(dms.baseUrl);
    assert.deepEqual([httpStatus, status, dependencies.database?.state], [503, 'down', 'down']);
    assert.match(String(retryAfter), /^\d+$/);
    postgres = await start(port);
    await load.untilMore(LOAD);
    await events.untilMore(LOAD);
    tryKill(Number(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]));
    await postgres.exited;
    postgres = await start(port);
    await load.untilMore(LOAD);
    await events.untilMore(LOAD);
    await events.end();
    await load.endAndCheck();
  });

  it('delivers every event that was committed before PostgreSQL was stopped or killed, and no other', async () => {
    // Claims whose outcome could not be recorded are repeated when their leases expire.
    await query(ledger.sql, "update deliveries set leased_until = now() where state = 'sending'", []);
    await ledger.untilAllDelivered();
    assert.ok(ledger.balance().unanswered > 0);
    // A request whose record was lost is repeated.
    assertBalanced(ledger, Number.POSITIVE_INFINITY);
  });

  /** Publishes events without pause. */
  function startEvents() {
    const over = new AbortController();
    async function publish(): Promise<void> {
      for (; !over.signal.aborted; await delay(5)) await ledger.publish(['device.online', 'device.offline']);
    }
    const publishing = Promise.all([publish(), publish()]);
    return {
      async untilMore(count: number): Promise<void> {
        const { committed } = ledger.balance();
        await eventually(
          async () => ledger.balance().committed,
          (now) => now >= committed + count,
        );
      },
      async end(): Promise<void> {
        over.abort();
        await publishing;
      },
    };
  }

  it('loses nothing that was acknowledged when PostgreSQL ends every connection repeatedly', async () => {
    const load = startLoad(dms, 'CUT');
    const client = new pg.Client({ connectionString: dms.settings.databaseUrl });
    await client.connect();
    try {
      for (let round = 0; round < CUTS; round++) {
        await load.untilMore(5);
        // Answers may still arrive after their connections have ended, so there may be none for a moment.
        const cut = () =>
          client.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()`,
          );
        await eventually(cut, ({ rowCount }) => (rowCount ?? 0) > 0);
      }
    } finally {
      await client.end();
    }
    await load.untilMore(LOAD);
    await load.endAndCheck();
  });

  it('finishes a job that was running while PostgreSQL was away', async () => {
    for (const serial of jobSerials) await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
  });

  it('stores no time of a machine whose clock is wrong, also when it was started while PostgreSQL was away', async () => {
    const [serial = ''] = await registerMany(dms, 1, 'CLOCK');
    const { token } = await dms.issueKey(dms.id, 'device');
    await postgres.stop();
    const hourBehind = () => new Date(Date.now() - HOUR_MS);
    const settings = { ...dms.settings, port: 0 };
    const late = compose({ settings, log: createLog('silent'), processNow: hourBehind });
    const api = await late.startApi();
    try {
      const device = createClient(`http://127.0.0.1:${api.port}`, token);
      const send = async () => (await device.post(`/devices/${serial}/config-reports`, FACTORY)).status;
      assert.equal(await send(), 503);
      const startedAtMs = Date.now();
      postgres = await start(port);
      await eventually(send, (status) => status === 200);
      const [contact] = await query<{ at: Date }>(
        dms.service.sql,
        'select last_contact_at as at from device_states where organization_id = ? and asset_id = (select id from assets where serial_number = ?)',
        [dms.id, serial],
      );
      assert.ok((contact as { at: Date }).at.getTime() > startedAtMs - HOUR_MS / 2, String(contact?.at));
    } finally {
      await api.stop(1_000);
      await late.close();
    }
  });
});

describe('A database that is too slow', () => {
  const dms = useService({ withWorker: false, settings: { statementTimeoutMs: STATEMENT_TIMEOUT_MS } });
  let blocker: pg.Client;
  before(async () => {
    blocker = new pg.Client(dms.settings.databaseUrl);
    await blocker.connect();
  });
  after(() => blocker.end());

  it('refuses requests with Retry-After when the database is too slow, even whole batches, and changes nothing', async () => {
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
  const proxy = useTcpProxy(newDatabase);
  const dms = useService(() => ({
    databaseUrl: proxy.url,
    withWorker: false,
    settings: { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  }));

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
    // Each waits once, for an answer or for a connection. A second frame of the device would wait for the first.
    const refused = await Promise.all([send(), dms.api.get('/assets'), dms.api.get('/alerts')]);
    for (const { status, body, headers } of refused) {
      assert.equal(status, 503, body.message);
      assert.ok(Number(headers['retry-after']) > 0);
    }
    assert.ok(
      performance.now() - startedAt < 30 * STATEMENT_TIMEOUT_MS,
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
