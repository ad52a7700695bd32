/** A TCP proxy before a server: it can be cut off, vanish without closing connections, or lead elsewhere. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { useStarted } from './use-started.ts';

export interface TcpProxy {
  port: number;
  /** That of the server, through the proxy. */
  url: string;
  /** Connections break, and new ones are refused. */
  cut(): void;
  /** Existing connections stop forever; new ones are accepted and get no answer. */
  vanish(): void;
  /** New connections are forwarded again. */
  comeBack(): void;
  /** New connections lead to another port. */
  switchTo(port: number): void;
  stop(): Promise<void>;
}

/** A proxy for the tests of a describe block, before the server at the URL. */
export const useTcpProxy = (getUrl: () => Promise<string>): TcpProxy =>
  useStarted(
    async () => startTcpProxy(await getUrl()),
    (proxy) => proxy.stop(),
  );

/** `onBytes` is called for all that passes. */
export async function startTcpProxy(
  serverUrl: string,
  onBytes?: (from: 'client' | 'server') => void,
): Promise<TcpProxy> {
  const url = new URL(serverUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  const pairs = new Set<[Socket, Socket]>();
  let state: 'up' | 'cut' | 'vanished' = 'up';
  const server = createServer((inside) => {
    if (state === 'cut') return void inside.destroy();
    const outside = connect(target);
    const pair: [Socket, Socket] = [inside, outside];
    pairs.add(pair);
    for (const [one, other] of [pair, pair.toReversed()] as Array<[Socket, Socket]>) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
    if (onBytes) {
      inside.on('data', () => onBytes('client'));
      outside.on('data', () => onBytes('server'));
    }
    if (state === 'up') inside.pipe(outside).pipe(inside);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  Object.assign(url, { hostname: '127.0.0.1', port: String(port) });
  function cut() {
    state = 'cut';
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  }
  return {
    port,
    url: url.href,
    cut,
    vanish() {
      state = 'vanished';
      for (const [inside, outside] of pairs) {
        inside.unpipe();
        outside.unpipe();
        inside.pause();
        outside.pause();
      }
    },
    comeBack() {
      state = 'up';
    },
    switchTo(port) {
      target.port = port;
      state = 'up';
    },
    async stop() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
