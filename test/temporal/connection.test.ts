/** The client's way to Temporal, against servers that are away or say nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';

/** As long as the client's own retries would have begun again by. */
const RETRIED_BY_MS = 3_000;
const CALL_MS_MAX = 7_000;

describe('The way to Temporal', () => {
  it('can be closed after calls that failed, and nothing of them comes after it', async () => {
    const { client, close } = connectTemporal(`127.0.0.1:${await freePort()}`, 'default');
    const calls = Array.from({ length: 5 }, () => client.workflow.getHandle('nobody').signal('news'));
    const settled = Promise.allSettled(calls);
    await delay(50);
    await close();
    for (const { status } of await settled) assert.equal(status, 'rejected');
    await delay(RETRIED_BY_MS); // an error that nobody awaits would fail this test
  });

  it('gives up a call to a server that takes it and says nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { client, close } = connectTemporal(
      `127.0.0.1:${(silent.address() as AddressInfo).port}`,
      'default',
    );
    const startedAt = performance.now();
    await assert.rejects(client.workflow.getHandle('nobody').signal('news'));
    assert.ok(performance.now() - startedAt < CALL_MS_MAX);
    await close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
