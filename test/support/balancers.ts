/**
 * Balancers before several processes of the service: a proxy for HTTP and a balancer for UDP, which pass each
 * request to the next process that reports readiness. Neither repeats anything, so a failing request is
 * counted.
 */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startUdpRelay } from '../../dev/balancer/udp-balancer.ts';

export interface Backend {
  port: number;
  /** URL of its readiness. */
  metricsPort: number;
}

export interface Balancer {
  port: number;
  add(backend: Backend): Promise<void>;
  stop(): Promise<void>;
}

export const PROBE_EVERY_MS = 25;

const isReady = ({ metricsPort }: Backend) =>
  fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** In turn; at least one must be ready. */
function createPool() {
  const ready = new Set<Backend>();
  const backends = new Set<Backend>();
  let turn = 0;
  let isOver = false;
  async function probe(): Promise<void> {
    while (!isOver) {
      for (const backend of backends) {
        if (await isReady(backend)) ready.add(backend);
        else ready.delete(backend);
      }
      await delay(PROBE_EVERY_MS);
    }
  }
  const probing = probe();
  return {
    next(): Backend {
      const all = [...ready];
      const backend = all[turn++ % all.length];
      if (!backend) throw new Error('no process is ready');
      return backend;
    },
    async add(backend: Backend): Promise<void> {
      backends.add(backend);
      while (!ready.has(backend)) await delay(PROBE_EVERY_MS);
    },
    async stop(): Promise<void> {
      isOver = true;
      await probing;
    },
  };
}

/** Answers 502 when a process does not answer. */
export async function startHttpBalancer(): Promise<Balancer> {
  const pool = createPool();
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const { port } = pool.next();
    const forwarded = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
      const { connection: _, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      answer.pipe(outgoing);
    });
    forwarded.once('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    add: pool.add,
    async stop() {
      await pool.stop();
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

/** Answers go back to the origin of the datagram. */
export async function startUdpBalancer(): Promise<Balancer> {
  const pool = createPool();
  const relay = await startUdpRelay(async (socket) => {
    socket.on('error', () => {});
    return (datagram) => socket.send(datagram, pool.next().port, '127.0.0.1');
  });
  return {
    port: relay.port,
    add: pool.add,
    async stop() {
      await pool.stop();
      await relay.stop();
    },
  };
}
