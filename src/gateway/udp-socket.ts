/** The socket of the CoAP server, as a server that answers thousands of addresses needs it. */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP, isIPv6 } from 'node:net';

export const createUdpSocket = (host: string): Socket =>
  createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', lookup: lookupOnce });

/** Answers go to addresses; asking the resolver about each of them costs a turn of the event loop. */
const lookupOnce: typeof lookup = ((host: string, options: object, callback: LookupCallback) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, callback as never);
  else callback(null, host, family);
}) as typeof lookup;

type LookupCallback = (error: null, address: string, family: number) => void;

export function bound(socket: Socket, { host, port }: { host: string; port: number }): Promise<void> {
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

/** As large as the system allows; a refusal leaves its default. */
export function enlargeReceiveBuffer(socket: Socket, bytes: number): void {
  try {
    socket.setRecvBufferSize(bytes);
  } catch {
    // Some systems refuse what is above their limit instead of cutting it down.
  }
}
