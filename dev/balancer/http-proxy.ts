/**
 * A reverse proxy over several processes on this machine, request by request in turn. One that refuses connections gets
 * nothing for a moment. A request is tried at another process only when it cannot have reached the first one.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface HttpProxyOptions {
  ports: readonly number[];
  /** An answer that takes longer is a 504: the process hangs. */
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

  /** All of them, those that refused lately last. */
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
    // The body is read only once there is somebody to take it: until then another process may be tried.
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

/** Nothing when the answer has begun: then it ends in the middle, as the process's did. */
function answer(outgoing: ServerResponse, status: number): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status).end();
}
