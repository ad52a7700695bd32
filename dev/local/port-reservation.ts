/**
 * Reserves ports before anything else and holds them until their servers listen, so that two copies can start
 * at the same time.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface PortReservation {
  port: number;
  release(): Promise<void>;
}

/** Null when the port is in use; 0 reserves any free one. */
export type ReservePort = (port: number) => Promise<PortReservation | null>;

export const reserveTcpPort: ReservePort = (port) =>
  nullWhenInUse(async () => {
    // Refuses early connections instead of leaving them waiting.
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
  nullWhenInUse(async () => {
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

async function nullWhenInUse(reserve: () => Promise<PortReservation>): Promise<PortReservation | null> {
  try {
    return await reserve();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}
