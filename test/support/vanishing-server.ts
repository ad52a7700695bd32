/** A TCP proxy that can stop forwarding without closing connections, as if the server had vanished. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface VanishingServer {
  port: number;
  /** Existing connections stop forever; new ones are accepted and get no answer. */
  vanish(): void;
  /** New connections are forwarded again. */
  comeBack(): void;
  stop(): Promise<void>;
}

export async function vanishingServer(to: { host: string; port: number }): Promise<VanishingServer> {
  const pairs = new Set<[Socket, Socket]>();
  let isGone = false;
  const server = createServer((inside) => {
    const outside = connect(to);
    const pair: [Socket, Socket] = [inside, outside];
    pairs.add(pair);
    for (const [one, other] of [pair, pair.toReversed()] as Array<[Socket, Socket]>) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    if (isGone) return;
    inside.pipe(outside).pipe(inside);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    vanish() {
      isGone = true;
      for (const [inside, outside] of pairs) {
        inside.unpipe();
        outside.unpipe();
        inside.pause();
        outside.pause();
      }
    },
    comeBack() {
      isGone = false;
    },
    async stop() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
