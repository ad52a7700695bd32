/**
 * A reverse proxy over several processes on this machine, request by request in turn. A process that refuses
 * connections is skipped for a moment. A request is repeated at another process only if it cannot have
 * reached the first one.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface HttpProxyOptions {
  ports: readonly number[];
  /** Without an answer within this time the process counts as hanging: 504. */
  timeoutMs: number;
}

export interface HttpProxy {
  url: string;
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const refusedMs = 500;

export async function startHttpProxy({ ports, timeoutMs }: HttpProxyOptions): Promise<HttpProxy> {
  const agent = new Agent({ keepAlive: true });
  const refusedAt = new Map<number, number>();
  let turn = 0;

  /** All processes; those that refused connections lately come last. */
  function candidates(): number[] {
    turn += 1;
    const isRefusing = (port: number) => performance.now() - (refusedAt.get(port) ?? -refusedMs) < refusedMs;
    return ports
      .map((_, index) => ports[(turn + index) % ports.length] as number)
      .sort((a, b) => Number(isRefusing(a)) - Number(isRefusing(b)));
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, [port, ...others]: number[]): void {
    if (port === undefined) return void answer(outgoing, 502);
    const { method, url: path, headers } = incoming;
    const upstream = request({ host, port, method, path, headers, agent, timeout: timeoutMs });
    upstream.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, outgoing, () => undefined);
    });
    upstream.once('timeout', () => {
      answer(outgoing, 504);
      upstream.destroy();
    });
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNREFUSED') return void answer(outgoing, 502);
      refusedAt.set(port, performance.now());
      incoming.unpipe();
      forward(incoming, outgoing, others);
    });
    // The body is read only after a connection exists; until then another process may be tried.
    upstream.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => incoming.pipe(upstream));
      else incoming.pipe(upstream);
    });
  }

  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, candidates()));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}

/** Does nothing if the answer has begun: it then ends in the middle, like the process's. */
function answer(outgoing: ServerResponse, status: number): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status).end();
}
