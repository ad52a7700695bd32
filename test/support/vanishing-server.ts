/** A TCP way to a server that may vanish: from then on nothing is answered, and nobody is told. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface VanishingServer {
  port: number;
  /** The connections that there are stay dead; new ones are taken and not answered. */
  vanish(): void;
  /** New connections get through again. */
  comeBack(): void;
  stop(): Promise<void>;
}

export async function vanishingServer(to: { host: string; port: number }): Promise<VanishingServer> {
  const ways = new Set<[Socket, Socket]>();
  let isGone = false;
  const server = createServer((inside) => {
    const outside = connect(to);
    const way: [Socket, Socket] = [inside, outside];
    ways.add(way);
    for (const [one, other] of [way, way.toReversed()] as Array<[Socket, Socket]>) {
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
      for (const [inside, outside] of ways) {
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
      for (const way of ways) for (const socket of way) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
