import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { MEASUREMENTS } from '../../migrations/partitioned-tables.ts';
import { createPartitionKeeper } from '../../src/db/partitions.ts';
import { query } from '../../src/db/query.ts';
import { register } from '../support/fleet.ts';
import { newDatabase } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { reading } from './fixtures.ts';

/** One each second, back to the month before in the first days of a month. */
const READINGS = 200_000;

describe('While the database is away', () => {
  let dms: TestService;
  let assetId: string;
  let proxy: Awaited<ReturnType<typeof startProxy>>;

  before(async () => {
    const url = new URL(await newDatabase());
    proxy = await startProxy(Number(url.port), url.hostname);
    url.port = String(proxy.port);
    url.hostname = '127.0.0.1';
    dms = await startService({ withWorker: false, databaseUrl: url.href });
    assetId = await register(dms, 'LOGGER');
  });
  after(async () => {
    await dms.stop();
    await proxy.stop();
  });

  it('refuses a frame with 503 and a time to retry while the database is away, and stores it afterwards', async () => {
    const readings = [reading()];
    const send = () => dms.device.post('/devices/LOGGER/measurements', { readings });
    await dms.device.get('/devices/LOGGER/pending-config');
    proxy.cut();
    const refused = await send();
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    proxy.restore();
    let answer = await send();
    while (answer.status === 503) {
      await sleep(100);
      answer = await send();
    }
    assert.deepEqual(answer.body, { accepted: 1, duplicates: 0, conflicts: 0, pendingConfig: null });
  });

  it('breaks the connection when the database goes away while a CSV table is sent', async () => {
    await createPartitionKeeper(dms.service.sql, MEASUREMENTS).ensure([
      new Date(Date.now() - READINGS * 1_000),
      new Date(),
    ]);
    await query(
      dms.service.sql,
      `insert into measurement_blocks
         (organization_id, asset_id, first_at, last_at, received_at, channel, type, scale, late, steps)
       select ?, ?, now() - make_interval(secs => g), now() - make_interval(secs => g), now(), 2, 1, 0, false, '{1}'
       from generate_series(1, ${READINGS}) g`,
      [dms.id, assetId],
    );
    const { token } = await dms.issueKey(dms.id, 'customer');
    const { body, statusCode } = await request(`${dms.baseUrl}/assets/${assetId}/measurements`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
    });
    assert.equal(statusCode, 200);
    const chunks = body[Symbol.asyncIterator]();
    await chunks.next();
    proxy.cut();
    await assert.rejects(async () => {
      for (let next = await chunks.next(); !next.done; ) next = await chunks.next();
    });
    proxy.restore();
  });
});

/** Between the service and its database; when it is cut, all connections break and new ones are refused. */
async function startProxy(targetPort: number, targetHost: string) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy();
    const outer = connect(targetPort, targetHost);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    inner.pipe(outer).pipe(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      isCut = false;
    },
    async stop() {
      cut();
      server.close();
    },
  };
}
