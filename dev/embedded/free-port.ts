/** Free ports on the loopback address. Another process may still bind a port before the caller does. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** For servers that cannot store a larger number; the system does not assign such ports by itself. */
export async function freePortBelow(below: number): Promise<number> {
  for (;;) {
    const port = randomInt(below - LOW_PORTS, below);
    if (await isFree(port)) return port;
  }
}

const LOW_PORTS = 12_000;

export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
