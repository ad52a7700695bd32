/** The gateway during an outage of PostgreSQL. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../dev/embedded/free-port.ts';
import { type RunningPostgres, startPostgres } from '../../dev/embedded/postgres.ts';
import { HOUR_MS } from '../../src/process/durations.ts';
import { eventually } from '../support/fleet.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { codesOf, useGateway } from './harness.ts';

describe('The gateway during an outage of PostgreSQL', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'dms-gateway-'));
  chmodSync(scratch, 0o755); // run by root, PostgreSQL switches to another user
  let postgres: RunningPostgres;
  let port: number;
  const start = () => startPostgres({ dataDir: join(scratch, 'postgres'), port, log: () => {} });

  before(async () => {
    port = await freePort();
    postgres = await start();
  });
  const gateway = useGateway(async () => ({
    databaseUrl: await migratedDatabase(postgres.url),
    withWorker: false,
  }));
  after(async () => {
    await postgres.stop();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  });

  it('answers with 5.00, and stores the frame when it is sent again after the outage', async () => {
    const { logger, history } = await gateway.newLogger();
    const at = new Date();
    await logger.measure({ at: new Date(at.getTime() - HOUR_MS) });
    await postgres.stop();
    assert.equal((await logger.measure({ at })).code, '5.00');
    const others = [...(await logger.report()), await logger.sendInfo({ version: 1 })];
    assert.deepEqual(codesOf(others), ['5.00', '5.00']);
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
