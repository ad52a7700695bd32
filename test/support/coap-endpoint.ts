/** A CoAP endpoint of a test: a UDP socket that sends datagrams and collects the gateway's answers. */
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CoapReply, coapReply } from './coap-datagram.ts';
import { PATIENCE_MS } from './patience.ts';

export type CoapEndpoint = Awaited<ReturnType<typeof openCoapEndpoint>>;

export async function openCoapEndpoint(gatewayPort: number) {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const received: Buffer[] = [];
  socket.on('message', (datagram) => received.push(datagram));
  let lastId = Math.floor(Math.random() * 60_000);

  const transmit = (datagram: Buffer) =>
    new Promise<void>((resolve, reject) =>
      socket.send(datagram, gatewayPort, '127.0.0.1', (error) => (error ? reject(error) : resolve())),
    );

  return {
    /** Every datagram received, oldest first. */
    received,
    transmit,

    /** Sends a datagram and waits for the next one with its message id. */
    async exchange(datagram: Buffer): Promise<CoapReply> {
      const from = received.length;
      await transmit(datagram);
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(2)) {
        const answer = received.slice(from).find((each) => messageId(each) === messageId(datagram));
        if (answer) return coapReply(answer, datagram);
      }
      throw new Error(`No answer within ${PATIENCE_MS} ms`);
    },

    nextId(): number {
      lastId = (lastId + 1) & 0xffff;
      return lastId;
    },

    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

const messageId = (datagram: Buffer) => datagram.readUInt16BE(2);
