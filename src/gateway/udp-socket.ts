/** The UDP socket of a server that answers thousands of addresses. */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';

export const createUdpSocket = (host: string): Socket =>
  createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', lookup: lookupUnlessAddress });

/** Skips the resolver for IP addresses, where it would cost a turn of the event loop per answer. */
const lookupUnlessAddress: typeof lookup = ((host: string, options: object, callback: LookupCallback) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, callback as never);
  else callback(null, host, family);
}) as typeof lookup;

type LookupCallback = (error: null, address: string, family: number) => void;

export function bindSocket(socket: Socket, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    function fail(error: Error): void {
      socket.close();
      reject(error);
    }
    socket.once('error', fail);
    socket.bind({ address: host, port }, () => {
      socket.off('error', fail);
      resolve();
    });
  });
}

/** Keeps the system's default if the system refuses. */
export function enlargeReceiveBuffer(socket: Socket, bytes: number): void {
  try {
    socket.setRecvBufferSize(bytes);
  } catch {
    // Some systems refuse a size above their limit instead of reducing it.
  }
}
