/** The gateway during an outage of PostgreSQL. */
import assert from 'node:assert/strict';
import { HOUR_MS } from '../../src/process/durations.ts';
import { eventually } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { codesOf, useGateway } from './harness.ts';

describe('The gateway during an outage of PostgreSQL', () => {
  let database: TcpProxy;
  before(async () => {
    database = await startTcpProxy(await newDatabase());
  });
  const gateway = useGateway(() => ({ databaseUrl: database.url, withWorker: false }));
  after(() => database.stop());

  it('answers with 5.00, and stores the frame when it is sent again after the outage', async () => {
    const { logger, history } = await gateway.newLogger();
    const at = new Date();
    await logger.measure({ at: new Date(at.getTime() - HOUR_MS) });
    database.cut();
    assert.equal((await logger.measure({ at })).code, '5.00');
    const others = [...(await logger.report()), await logger.sendInfo({ version: 1 })];
    assert.deepEqual(codesOf(others), ['5.00', '5.00']);
    await logger.measure({ at, confirmable: false });
    assert.equal((await logger.send('t', Buffer.alloc(0))).code, '2.05');
    database.comeBack();
    await eventually(
      () => logger.measure({ at }),
      ({ code }) => code === '2.01',
    );
    assert.equal((await history()).length, 2);
  });
});
