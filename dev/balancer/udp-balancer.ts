/**
 * Spreads datagrams over several processes on this machine. Datagrams of one address go to the same process
 * as long as it listens, and answers come from the address that the datagrams went to, so exchanges and
 * multi-part reports stay whole.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface UdpBalancer {
  port: number;
  stop(): Promise<void>;
}

interface Session {
  socket: Socket;
  upstream: number;
}

const host = '127.0.0.1';

export async function startUdpBalancer(ports: readonly number[]): Promise<UdpBalancer> {
  const listener = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  const sessions = new Map<string, Promise<Session>>();

  async function open({ address, port }: RemoteInfo, upstream: number): Promise<Session> {
    const socket = createSocket('udp4');
    const session = { socket, upstream };
    socket.on('message', (answer) => listener.send(answer, port, address));
    // The process refuses datagrams: the next one takes over, and the sender repeats lost datagrams.
    socket.on('error', () => {
      session.upstream = (session.upstream + 1) % ports.length;
      socket.disconnect();
      socket.connect(ports[session.upstream] as number, host);
    });
    socket.connect(ports[upstream] as number, host);
    await once(socket, 'connect');
    return session;
  }

  async function pass(datagram: Buffer, from: RemoteInfo): Promise<void> {
    const key = `${from.address} ${from.port}`;
    let opening = sessions.get(key);
    if (!opening) {
      opening = open(from, sessions.size % ports.length);
      sessions.set(key, opening);
    }
    const { socket } = await opening;
    trySend(socket, datagram);
  }

  listener.on('message', (datagram, from) => void pass(datagram, from));
  listener.on('error', () => undefined);
  listener.bind(0, host);
  await once(listener, 'listening');
  return {
    port: listener.address().port,
    async stop() {
      listener.close();
      for (const opening of sessions.values()) (await opening).socket.close();
    },
  };
}

/** While a socket moves from one process to the next, datagrams are lost as on any network. */
function trySend(socket: Socket, datagram: Buffer): void {
  try {
    socket.send(datagram);
  } catch {}
}
