/** The Temporal client against servers that are away or do not answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../dev/embedded/free-port.ts';
import { DAY_MS } from '../../src/process/durations.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { setUpNamespace } from '../../src/temporal/set-up-namespace.ts';
import { eventually } from '../support/fleet.ts';
import { servers } from '../support/servers.ts';

/** After this time the client's own retries would have begun. */
const RETRIED_BY_MS = 3_000;
const CALL_MS_MAX = 7_000;

const at = (address: string) => ({ options: { address }, namespace: 'default' });

describe('The Temporal client', () => {
  it('closes after failed calls without leaving a retry behind', async () => {
    const { client, close } = connectTemporal(at(`127.0.0.1:${await freePort()}`));
    const calls = Array.from({ length: 5 }, () => client.workflow.getHandle('nobody').signal('anything'));
    const settled = Promise.allSettled(calls);
    await delay(50);
    await close();
    for (const { status } of await settled) assert.equal(status, 'rejected');
    await delay(RETRIED_BY_MS); // an unhandled rejection would fail this test
  });

  it('gives up a call that the server accepts and never answers', async () => {
    const sockets: Socket[] = [];
    const unanswering = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(unanswering, 'listening');
    const { client, close } = connectTemporal(at(`127.0.0.1:${(unanswering.address() as AddressInfo).port}`));
    const startedAt = performance.now();
    await assert.rejects(client.workflow.getHandle('nobody').signal('anything'));
    assert.ok(performance.now() - startedAt < CALL_MS_MAX);
    await close();
    for (const socket of sockets) socket.destroy();
    unanswering.close();
  });

  it('ignores the proxy in the environment', async () => {
    const saved = { ...process.env };
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    Object.assign(process.env, { http_proxy: nowhere, https_proxy: nowhere, grpc_proxy: nowhere });
    try {
      const { temporalAddress } = await servers();
      const { isUp, close } = connectTemporal(at(temporalAddress));
      await eventually(isUp, (up) => up);
      await close();
      await setUpNamespace({
        connection: at(temporalAddress),
        retentionMs: DAY_MS,
        print: () => {},
      });
    } finally {
      process.env = saved;
    }
  });
});
