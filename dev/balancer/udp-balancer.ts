/**
 * Spreads datagrams over several processes on this machine. Datagrams of one address go to the same process
 * as long as it listens, and answers come from the address that the datagrams went to, so exchanges and
 * multi-part reports stay whole.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface UdpBalancer {
  port: number;
  stop(): Promise<void>;
}

type Send = (datagram: Buffer) => void;

const host = '127.0.0.1';

export const startUdpBalancer = (ports: readonly number[]): Promise<UdpBalancer> =>
  startUdpRelay(async (socket, index) => {
    let upstream = index % ports.length;
    const connect = () => socket.connect(ports[upstream] as number, host);
    // The process refuses datagrams: the next one takes over, and the sender repeats lost datagrams.
    socket.on('error', () => {
      upstream = (upstream + 1) % ports.length;
      socket.disconnect();
      connect();
    });
    connect();
    await once(socket, 'connect');
    return (datagram) => trySend(socket, datagram);
  });

/** `open` gets a socket for each address that sends, whose answers go back there, and its number. */
export async function startUdpRelay(
  open: (socket: Socket, index: number) => Promise<Send>,
): Promise<UdpBalancer> {
  const listener = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  const sessions = new Map<string, { socket: Socket; opening: Promise<Send> }>();
  listener.on('message', async (datagram, { address, port }) => {
    const key = `${address} ${port}`;
    let session = sessions.get(key);
    if (!session) {
      const socket = createSocket('udp4');
      socket.on('message', (answer) => listener.send(answer, port, address));
      session = { socket, opening: open(socket, sessions.size) };
      sessions.set(key, session);
    }
    const send = await session.opening;
    send(datagram);
  });
  listener.on('error', () => undefined);
  listener.bind(0, host);
  await once(listener, 'listening');
  return {
    port: listener.address().port,
    async stop() {
      listener.close();
      for (const { socket, opening } of sessions.values()) {
        await opening;
        socket.close();
      }
    },
  };
}

/** While a socket moves from one process to the next, datagrams are lost as on any network. */
function trySend(socket: Socket, datagram: Buffer): void {
  try {
    socket.send(datagram);
  } catch {}
}
