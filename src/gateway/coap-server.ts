/**
 * The CoAP server that loggers talk to (RFC 7252): datagrams in, handlers called, acknowledgements out.
 *
 * Guaranteed: a confirmable request gets exactly one answer, piggy-backed, when its handler is done; the same
 * datagram again (endpoint and message id, for EXCHANGE_LIFETIME) gets the same bytes without a second run, and
 * nothing while the first is under way, whose answer it will see. What is not confirmable is handled and never
 * answered: the radio of the device is off by then. No datagram ends the process. What is kept is bounded.
 *
 * Not there: separate responses, block-wise transfer, observing, DTLS.
 */
import type { RemoteInfo } from 'node:dgram';
import { AppError } from '../process/errors.ts';
import {
  acknowledgement,
  type CoapAnswer,
  type CoapRequest,
  type Incoming,
  optionText,
  readDatagram,
  reset,
} from './coap-message.ts';
import { createExchangeCache } from './exchange-cache.ts';
import { MalformedMessage } from './malformed-message.ts';
import { bound, createUdpSocket, enlargeReceiveBuffer } from './udp-socket.ts';

export interface CoapCall {
  /** The route's, without the prefix. */
  path: string;
  method: string;
  payload: Buffer;
  /** The text of the option that may carry the device token; null when there is none. */
  tokenOption: string | null;
  confirmable: boolean;
  remoteAddress: string;
  remotePort: number;
}

export interface CoapRoute {
  methods: ReadonlyArray<'GET' | 'POST'>;
  /** MalformedMessage is answered 4.00, everything else that is thrown 5.00. */
  handle(call: CoapCall): Promise<CoapAnswer> | CoapAnswer;
}

export interface CoapObservation {
  /** Of the route; null for what reached none. */
  path: string | null;
  confirmable: boolean;
  /** The answer's, also where none was sent; `reset`, `ignored` (no request), `duplicate`, `dropped` (overload). */
  code: string;
}

export interface CoapServerOptions {
  host: string;
  /** 0 for a free one. */
  port: number;
  /** By path: `m`, `c`, …; each is served under `efento/` as well. */
  routes: Record<string, CoapRoute>;
  /** COAP_TOKEN_OPTION: the option number whose value is the device token. */
  tokenOption?: number | null;
  observe?(observation: CoapObservation): void;
  /** Told of defects: what a handler threw that no device can be blamed for, and faults of the socket. */
  log?(message: string, error: unknown): void;
  /** Larger datagrams are refused with 4.13. Bytes. */
  datagramBytesMax?: number;
  /** Handlers under way; above, confirmable requests get 5.03 and others are dropped. */
  underWayMax?: number;
  /** How long, and in how many bytes, answers are kept for duplicates. */
  exchangeLifetimeMs?: number;
  exchangeBytesMax?: number;
  receiveBufferBytes?: number;
}

export interface CoapServer {
  readonly port: number;
  /** Reads no more, answers what is under way, for at most so long, and closes. */
  stop(deadlineMs: number): Promise<void>;
}

const PREFIX = 'efento/';
const DATAGRAM_BYTES_MAX = 1500;
const UNDER_WAY_MAX = 20_000;
/** RFC 7252, section 4.8.2. */
const EXCHANGE_LIFETIME_MS = 247_000;
/** A device repeats for 45 s at most (MAX_TRANSMIT_SPAN): enough of them for 5,000 exchanges a second. */
const EXCHANGE_BYTES_MAX = 32 * 1024 * 1024;
/** A burst of frames waits here while the process is busy. */
const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024;

const NO_ANSWER = Buffer.alloc(0);

export async function createCoapServer(options: CoapServerOptions): Promise<CoapServer> {
  const {
    host,
    port,
    routes,
    tokenOption = null,
    observe = () => undefined,
    log = () => undefined,
    datagramBytesMax = DATAGRAM_BYTES_MAX,
    underWayMax = UNDER_WAY_MAX,
    exchangeLifetimeMs = EXCHANGE_LIFETIME_MS,
    exchangeBytesMax = EXCHANGE_BYTES_MAX,
    receiveBufferBytes = RECEIVE_BUFFER_BYTES,
  } = options;
  const exchanges = createExchangeCache({
    lifetimeMs: exchangeLifetimeMs,
    bytesMax: exchangeBytesMax,
    nowMs: () => performance.now(),
  });
  const limits = { bytesMax: datagramBytesMax, tokenOption };
  const socket = createUdpSocket(host);
  let underWay = 0;
  let onIdle = () => {};

  function onDatagram(datagram: Buffer, remote: RemoteInfo): void {
    try {
      const incoming = readDatagram(datagram, limits);
      if (incoming.kind === 'request') onRequest(incoming.request, remote);
      else refuse(incoming, remote);
    } catch (error) {
      log('CoAP datagram failed', error);
    }
  }

  function refuse(incoming: Exclude<Incoming, { kind: 'request' }>, remote: RemoteInfo): void {
    if (incoming.kind === 'ignored') {
      observe({ path: null, confirmable: false, code: 'ignored' });
    } else if (incoming.kind === 'reset') {
      observe({ path: null, confirmable: true, code: 'reset' });
      send(reset(incoming.messageId), remote);
    } else {
      const { confirmable } = incoming;
      observe({ path: null, confirmable, code: '4.13' });
      if (confirmable) send(acknowledgement(incoming, { code: '4.13' }), remote);
    }
  }

  function onRequest(request: CoapRequest, remote: RemoteInfo): void {
    const { confirmable, messageId } = request;
    const path = request.path.startsWith(PREFIX) ? request.path.slice(PREFIX.length) : request.path;
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const observed = { path: route ? path : null, confirmable };
    const key = `${remote.address}:${remote.port}:${messageId}`;
    const known = exchanges.find(key);
    if (known) {
      observe({ ...observed, code: 'duplicate' });
      if (known.length > 0) send(known, remote);
      return;
    }
    const refusal = refusalOf(request, route);
    if (refusal || !route) {
      observe({ ...observed, code: refusal ?? '4.04' });
      if (confirmable) send(acknowledgement(request, { code: refusal ?? '4.04' }), remote);
      return;
    }
    if (underWay >= underWayMax) {
      // Not kept: the same request again may find room.
      observe({ ...observed, code: confirmable ? '5.03' : 'dropped' });
      if (confirmable) send(acknowledgement(request, { code: '5.03' }), remote);
      return;
    }
    exchanges.begin(key);
    void answer(request, path, route, remote, key);
  }

  async function answer(
    request: CoapRequest,
    path: string,
    route: CoapRoute,
    remote: RemoteInfo,
    key: string,
  ): Promise<void> {
    const { confirmable } = request;
    underWay++;
    try {
      const result = await resultOf(route, callOf(request, path, remote, tokenOption));
      observe({ path, confirmable, code: result.code });
      const bytes = confirmable ? acknowledgement(request, result) : NO_ANSWER;
      exchanges.end(key, bytes);
      if (confirmable) send(bytes, remote);
    } catch (error) {
      // An answer that cannot be put into a datagram, or an observer that throws.
      log('CoAP answer failed', error);
      exchanges.end(key, null);
    } finally {
      underWay--;
      if (underWay === 0) onIdle();
    }
  }

  async function resultOf(route: CoapRoute, call: CoapCall): Promise<CoapAnswer> {
    try {
      return await route.handle(call);
    } catch (error) {
      if (error instanceof MalformedMessage) return { code: '4.00' };
      if (!(error instanceof AppError && error.kind === 'unavailable')) {
        log(`CoAP handler of ${call.path} failed`, error);
      }
      return { code: '5.00' };
    }
  }

  function send(bytes: Buffer, { address, port: remotePort }: RemoteInfo): void {
    try {
      // Lost datagrams are the device's to repeat; a callback keeps a fault from becoming an event.
      socket.send(bytes, remotePort, address, noteFault);
    } catch (error) {
      // A sender that claims port 0, or a socket that was closed by the deadline.
      noteFault(error as Error);
    }
  }

  function noteFault(error: Error | null): void {
    if (error) log('CoAP datagram not sent', error);
  }

  socket.on('message', onDatagram);
  await bound(socket, { host, port });
  socket.on('error', (error) => log('CoAP socket', error));
  enlargeReceiveBuffer(socket, receiveBufferBytes);

  async function end(deadlineMs: number): Promise<void> {
    socket.off('message', onDatagram);
    if (underWay > 0) await idle(deadlineMs);
    // The last answer leaves the process before the socket goes.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  function idle(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  let ended: Promise<void> | null = null;

  return {
    port: socket.address().port,
    stop(deadlineMs) {
      ended ??= end(deadlineMs);
      return ended;
    },
  };
}

/** The code of what is refused before a handler sees it; null when nothing is. */
function refusalOf({ badOption, method }: CoapRequest, route: CoapRoute | undefined): string | null {
  if (badOption !== null) return '4.02';
  if (!route) return '4.04';
  return (route.methods as readonly string[]).includes(method) ? null : '4.05';
}

function callOf(
  request: CoapRequest,
  path: string,
  remote: RemoteInfo,
  tokenOption: number | null,
): CoapCall {
  const { method, payload, confirmable } = request;
  return {
    path,
    method,
    payload,
    tokenOption: optionText(request, tokenOption),
    confirmable,
    remoteAddress: remote.address,
    remotePort: remote.port,
  };
}
