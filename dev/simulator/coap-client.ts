/**
 * A device's side of CoAP (RFC 7252, section 4.2), for the simulator, tests and benches: requests with
 * retransmission, answers matched by message id. One client is one endpoint, and an endpoint has 65,536 message ids
 * in EXCHANGE_LIFETIME: above some 200 requests a second, use more clients.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { generate, type ParsedPacket, parse } from 'coap-packet';
import { asBuffer } from '../../src/gateway/coap-message.ts';

export interface CoapClientOptions {
  host: string;
  port: number;
  /** Default: 2000. Shorter where time is simulated. */
  ackTimeoutMs?: number;
  /** 0..1. */
  random?(): number;
  /** Number of copies of each datagram that arrive, for tests of bad links; 0: it is lost. Default: 1. */
  copies?(way: 'out' | 'in'): number;
}

export interface CoapClientRequest {
  path: string;
  payload?: Uint8Array;
  /** Default: POST. */
  method?: 'GET' | 'POST';
  confirmable: boolean;
  tokenOption?: { number: number; value: string };
}

export interface CoapClientAnswer {
  code: string;
  payload: Buffer;
}

export interface CoapClient {
  /** The answer; null for a non-confirmable message. Rejects with NoAnswer. */
  send(request: CoapClientRequest): Promise<CoapClientAnswer | null>;
  /** Requests under way are rejected. */
  close(): Promise<void>;
}

/** There was no acknowledgement, the other side reset the exchange, or the client was closed. */
export class NoAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoAnswer';
  }
}

interface Exchange {
  token: Buffer;
  resolve(answer: CoapClientAnswer): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

const MESSAGE_IDS = 0x10000;
const ACK_RANDOM_FACTOR = 1.5;
const RETRANSMITS_MAX = 4;

export async function createCoapClient(options: CoapClientOptions): Promise<CoapClient> {
  const { host, port, ackTimeoutMs = 2000, random = Math.random, copies = () => 1 } = options;
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const exchanges = new Map<number, Exchange>();
  let lastId = Math.floor(random() * MESSAGE_IDS);
  let isClosed = false;

  function nextId(): number {
    if (exchanges.size >= MESSAGE_IDS) throw new NoAnswer('Every message id is in use');
    do lastId = (lastId + 1) % MESSAGE_IDS;
    while (exchanges.has(lastId));
    return lastId;
  }

  function transmit(messageId: number, bytes: Buffer, timeoutMs: number, left: number): void {
    for (let copy = copies('out'); copy > 0; copy--) socket.send(bytes);
    const exchange = exchanges.get(messageId);
    if (!exchange) return;
    exchange.timer = setTimeout(() => {
      if (left > 0) transmit(messageId, bytes, timeoutMs * 2, left - 1);
      else settle(messageId)?.reject(new NoAnswer('Nobody acknowledged'));
    }, timeoutMs);
  }

  function settle(messageId: number): Exchange | undefined {
    const exchange = exchanges.get(messageId);
    if (exchange) clearTimeout(exchange.timer);
    exchanges.delete(messageId);
    return exchange;
  }

  function onDatagram(datagram: Buffer): void {
    const packet = parsed(datagram);
    if (!packet) return;
    const exchange = exchanges.get(packet.messageId);
    if (!exchange || copies('in') === 0) return;
    if (packet.reset) settle(packet.messageId)?.reject(new NoAnswer('The exchange was reset'));
    else if (packet.ack && packet.token.equals(exchange.token)) {
      settle(packet.messageId)?.resolve({ code: packet.code, payload: packet.payload });
    }
  }

  socket.on('message', onDatagram);
  // A host without a listener refuses datagrams: the request is repeated, as if it were lost.
  socket.on('error', () => undefined);
  socket.connect(port, host);
  await once(socket, 'connect');

  return {
    async send(request) {
      if (isClosed) throw new NoAnswer('The client is closed');
      const messageId = nextId();
      const token = Buffer.alloc(4);
      token.writeUInt32BE(Math.floor(random() * 0xffffffff));
      const bytes = datagramOf(request, messageId, token);
      if (!request.confirmable) {
        for (let left = copies('out'); left > 0; left--) {
          await new Promise<void>((resolve) => socket.send(bytes, () => resolve()));
        }
        return null;
      }
      const firstTimeoutMs = ackTimeoutMs * (1 + random() * (ACK_RANDOM_FACTOR - 1));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => undefined, 0);
        exchanges.set(messageId, { token, resolve, reject, timer });
        transmit(messageId, bytes, firstTimeoutMs, RETRANSMITS_MAX);
      });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      for (const messageId of [...exchanges.keys()]) {
        settle(messageId)?.reject(new NoAnswer('The client was closed'));
      }
      await new Promise<void>((resolve) => socket.close(() => resolve()));
    },
  };
}

function datagramOf(request: CoapClientRequest, messageId: number, token: Buffer): Buffer {
  const { path, payload, method = 'POST', confirmable, tokenOption } = request;
  return generate(
    {
      code: method,
      confirmable,
      messageId,
      token,
      options: [
        ...path.split('/').map((segment) => ({ name: 'Uri-Path', value: Buffer.from(segment) })),
        ...(tokenOption ? [{ name: String(tokenOption.number), value: Buffer.from(tokenOption.value) }] : []),
      ],
      payload: payload && asBuffer(payload),
    },
    DATAGRAM_BYTES_MAX,
  );
}

/** More than servers accept, so that tests can exceed their limit. */
const DATAGRAM_BYTES_MAX = 65_000;

function parsed(datagram: Buffer): ParsedPacket | null {
  try {
    return parse(datagram);
  } catch {
    return null;
  }
}
