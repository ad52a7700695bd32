/** A logger over CoAP whose service has lost its database: told so, and stored when it comes again. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../dev/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { eventually } from '../support/fleet.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import {
  closeLoggers,
  codesOf,
  dms,
  HOUR_MS,
  history,
  logger,
  newCustomer,
  newDevice,
  startGateway,
} from './harness.ts';

describe('A logger over CoAP while PostgreSQL is away', function () {
  this.timeout(60_000);
  const scratch = mkdtempSync(join(tmpdir(), 'dms-gateway-'));
  chmodSync(scratch, 0o755); // root's PostgreSQL runs as another user
  let postgres: RunningPostgres;
  let port: number;
  const start = () => startPostgres({ dataDir: join(scratch, 'postgres'), port, log: () => {} });

  before(async () => {
    port = await freePort();
    postgres = await start();
    const databaseUrl = await migratedDatabase(postgres.url);
    await startGateway({ databaseUrl, withWorker: false });
    await newCustomer();
    await newDevice();
  });
  afterEach(closeLoggers);
  after(async () => {
    await dms.stop();
    await postgres.stop();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });

  it('gets 5.00, and its frame is stored when it comes again', async () => {
    const at = new Date();
    await logger.measure({ at: new Date(at.getTime() - HOUR_MS) });
    await postgres.stop();
    assert.equal((await logger.measure({ at })).code, '5.00');
    assert.deepEqual(codesOf([...(await logger.report()), await logger.tell({ version: 1 })]), [
      '5.00',
      '5.00',
    ]);
    await logger.measure({ at, confirmable: false });
    assert.equal((await logger.send('t', Buffer.alloc(0))).code, '2.05');
    postgres = await start();
    await eventually(
      () => logger.measure({ at }),
      ({ code }) => code === '2.01',
    );
    assert.equal((await history()).length, 2);
  });
});
