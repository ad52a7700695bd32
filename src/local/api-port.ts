/** The API's port, taken before everything else and held until the API itself listens: two copies may start at once. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface HeldPort {
  port: number;
  release(): Promise<void>;
}

/** null when somebody else has it; 0 is any free one. */
export async function holdPort(port: number): Promise<HeldPort | null> {
  // Who connects this early is turned away, not left to wait.
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async release() {
      server.close();
      await once(server, 'close');
    },
  };
}
