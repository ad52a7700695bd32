/** The program that listens at a UDP port of this machine. */
import { createSocket } from 'node:dgram';

/** A confirmable GET of `t` in CoAP: a gateway tells everybody the time. */
const TIME_REQUEST = Buffer.from([0x40, 0x01, 0x00, 0x01, 0xb1, 0x74]);
/** The code 2.05. */
const CONTENT = 0x45;

export function findUdpListener(port: number, timeoutMs: number): Promise<'gateway' | 'other' | 'none'> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => end('other'), timeoutMs);
    function end(listener: 'gateway' | 'other' | 'none'): void {
      clearTimeout(timer);
      socket.close();
      resolve(listener);
    }
    socket.once('message', (answer) => end(answer[1] === CONTENT ? 'gateway' : 'other'));
    // The machine refuses datagrams to a port without a listener.
    socket.once('error', () => end('none'));
    socket.connect(port, '127.0.0.1', () => socket.send(TIME_REQUEST));
  });
}
