/** The Temporal client against servers that are away or do not answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '../../src/process/durations.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { setUpNamespace } from '../../src/temporal/set-up-namespace.ts';
import { setEnvironment } from '../support/environment.ts';
import { eventually } from '../support/fleet.ts';
import { servers } from '../support/servers.ts';

/** After this time the client's own retries would have begun. */
const RETRIED_BY_MS = 3_000;
/** Of gRPC. */
const DEADLINE_EXCEEDED = 4;
const CALL_MS_MIN = 4_000;
/** A readiness probe of Kubernetes is given up after this time. */
const PROBE_MS = 1_000;

/** No server listens on this port, which the system assigns to none. */
const NOWHERE = '127.0.0.1:1';

const at = (address: string) => ({ options: { address }, namespace: 'default' });

/** Accepts connections and never answers. */
async function startHangingServer(): Promise<{ address: string; stop(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  function stop(): void {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

describe('The Temporal client', () => {
  it('closes after failed calls without leaving a retry behind', async () => {
    const { client, close } = connectTemporal(at(NOWHERE));
    const calls = Array.from({ length: 5 }, () => client.workflow.getHandle('nobody').signal('anything'));
    const settled = Promise.allSettled(calls);
    await delay(50);
    await close();
    for (const { status } of await settled) assert.equal(status, 'rejected');
    await delay(RETRIED_BY_MS); // an unhandled rejection would fail this test
  });

  it('gives up a call that the server accepts and never answers', async () => {
    const { address, stop } = await startHangingServer();
    const { client, close } = connectTemporal(at(address));
    const startedAt = performance.now();
    await assert.rejects(
      client.workflow.getHandle('nobody').signal('anything'),
      (error: { cause?: { code?: number } }) => error.cause?.code === DEADLINE_EXCEEDED,
    );
    assert.ok(performance.now() - startedAt > CALL_MS_MIN);
    await close();
    stop();
  });

  it('reports a server that accepts and never answers as down before a readiness probe is given up', async () => {
    const { address, stop } = await startHangingServer();
    const { isUp, close } = connectTemporal(at(address));
    const up = isUp();
    const probe = AbortSignal.timeout(PROBE_MS);
    assert.equal(await up, false);
    assert.equal(probe.aborted, false);
    await close();
    stop();
  });

  it('ignores the proxy in the environment', async () => {
    const nowhere = `http://${NOWHERE}`;
    const restoreEnvironment = setEnvironment({
      http_proxy: nowhere,
      https_proxy: nowhere,
      grpc_proxy: nowhere,
    });
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
      restoreEnvironment();
    }
  });
});
