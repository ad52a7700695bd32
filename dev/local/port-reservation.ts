/** Ports, taken before everything else and held until their servers listen: two copies may start at once. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface PortReservation {
  port: number;
  release(): Promise<void>;
}

/** null when somebody else has it; 0 is any free one. */
export type ReservePort = (port: number) => Promise<PortReservation | null>;

export const reserveTcpPort: ReservePort = (port) =>
  unlessTaken(async () => {
    // Who connects this early is turned away, not left to wait.
    const server = createServer((socket) => socket.destroy());
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    return {
      port: (server.address() as AddressInfo).port,
      async release() {
        server.close();
        await once(server, 'close');
      },
    };
  });

export const reserveUdpPort: ReservePort = (port) =>
  unlessTaken(async () => {
    const socket = createSocket('udp4');
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return {
      port: socket.address().port,
      async release() {
        socket.close();
        await once(socket, 'close');
      },
    };
  });

async function unlessTaken(hold: () => Promise<PortReservation>): Promise<PortReservation | null> {
  try {
    return await hold();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}
