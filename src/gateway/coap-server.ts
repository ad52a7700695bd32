/**
 * The CoAP server for loggers (RFC 7252): it receives datagrams, calls handlers and sends acknowledgements.
 *
 * Guaranteed: a confirmable request gets exactly one piggybacked answer, when its handler has finished. A
 * duplicate (same endpoint, message id and bytes within EXCHANGE_LIFETIME) gets the same bytes without a
 * second call of the handler; it gets nothing while the first call is in flight, because that answer serves
 * both. A duplicate of an idempotent request is handled once more, as section 4.5 allows, so that its answer
 * is current. Other bytes under a known message id are a new request: the device has restarted, or its
 * address belongs to another one now. A non-confirmable request is handled and never answered, because the
 * device has switched its radio off. No datagram ends the process, memory is bounded, and an unproven address
 * gets at most three times the bytes that it sent.
 *
 * Not supported: separate responses, block-wise transfer, observe, DTLS.
 */
import { hash } from 'node:crypto';
import type { RemoteInfo } from 'node:dgram';
import { AppError } from '../process/errors.ts';
import {
  type CoapAnswer,
  type CoapRequest,
  encodeAcknowledgement,
  encodeReset,
  getOptionText,
  type Incoming,
  limitAnswer,
  parseDatagram,
} from './coap-message.ts';
import { createExchangeCache } from './exchange-cache.ts';
import { bindSocket, createUdpSocket, enlargeReceiveBuffer } from './udp-socket.ts';
import { MalformedMessage } from './wire-format.ts';

export interface CoapCall {
  /** The path of the route, without the prefix. */
  path: string;
  method: string;
  payload: Buffer;
  /** The value of the option that may carry the device token; null when there is none. */
  tokenOption: string | null;
  confirmable: boolean;
  /** Of the device. */
  address: string;
  port: number;
}

export interface CoapRoute {
  methods: ReadonlyArray<'GET' | 'POST'>;
  /**
   * Changes nothing, and answers with the current state: a duplicate is handled once more. Default: false.
   */
  isIdempotent?: boolean;
  /** A MalformedMessage is answered with 4.00, an exceeded limit or overload with 5.03, any other error with 5.00. */
  handle(call: CoapCall): Promise<CoapAnswer> | CoapAnswer;
}

export interface CoapObservation {
  /** The path of the route; null when no route was reached. */
  path: string | null;
  confirmable: boolean;
  /**
   * The answer's code, even if no answer is sent; or `reset`, `ignored` (not a request), `duplicate`,
   * `dropped` (overload), `over limit` (a sender's own, answered with 5.03).
   */
  code: string;
}

export interface CoapServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** By path, such as `m`; each is served under `efento/`, too. */
  routes: Record<string, CoapRoute>;
  /** COAP_TOKEN_OPTION: the option number whose value is the device token. */
  tokenOption?: number | null;
  observe?(observation: CoapObservation): void;
  /** Called for errors of handlers other than malformed messages and outages, and for socket errors. */
  log?(message: string, error: unknown): void;
  /** Requests in flight; above this, confirmable requests get 5.03 and others are dropped. */
  inFlightMax?: number;
  /** How long answers are kept for duplicates, and in how many bytes. */
  exchangeLifetimeMs?: number;
  exchangeBytesMax?: number;
}

export interface CoapServer {
  readonly port: number;
  /** Requests whose handlers have not finished. */
  countUnderWay(): number;
  /** Stops reading, answers the requests in flight until the deadline, and closes the socket. */
  stop(deadlineMs: number): Promise<void>;
}

const PREFIX = 'efento/';
/** Larger datagrams are answered with 4.13. */
const DATAGRAM_BYTES_MAX = 1500;
/**
 * More than wait for look-ups, batches and locks together (20,000, 20,000 and 10,000): the queues of messages are fair to
 * organizations, and this limit is not.
 */
const IN_FLIGHT_MAX = 60_000;
/** RFC 7252, section 4.8.2. */
const EXCHANGE_LIFETIME_MS = 247_000;
/**
 * A device repeats a request for at most 45 s (MAX_TRANSMIT_SPAN), so this is enough for 5,000 exchanges a
 * second.
 */
const EXCHANGE_BYTES_MAX = 32 * 1024 * 1024;
/** Holds a burst of frames while the process is busy. */
const RECEIVE_BUFFER_BYTES = 8 * 1024 * 1024;

const DIGEST_CHARACTERS = 16;

const NO_ANSWER = Buffer.alloc(0);
const OVER_LIMIT: CoapAnswer = { code: '5.03' };

export async function createCoapServer(options: CoapServerOptions): Promise<CoapServer> {
  const {
    host,
    port,
    routes,
    tokenOption = null,
    observe = () => undefined,
    log = () => undefined,
    inFlightMax = IN_FLIGHT_MAX,
    exchangeLifetimeMs = EXCHANGE_LIFETIME_MS,
    exchangeBytesMax = EXCHANGE_BYTES_MAX,
  } = options;
  const exchanges = createExchangeCache({
    lifetimeMs: exchangeLifetimeMs,
    bytesMax: exchangeBytesMax,
    nowMs: () => performance.now(),
  });
  const limits = { bytesMax: DATAGRAM_BYTES_MAX, tokenOption };
  const socket = createUdpSocket(host);
  let inFlight = 0;
  let onIdle = () => {};

  function onDatagram(datagram: Buffer, remote: RemoteInfo): void {
    try {
      const incoming = parseDatagram(datagram, limits);
      if (incoming.kind === 'request') onRequest(incoming.request, remote, toDigest(datagram));
      else reject(incoming, remote);
    } catch (error) {
      log('CoAP datagram failed', error);
    }
  }

  function reject(incoming: Exclude<Incoming, { kind: 'request' }>, remote: RemoteInfo): void {
    if (incoming.kind === 'ignored') {
      observe({ path: null, confirmable: false, code: 'ignored' });
    } else if (incoming.kind === 'reset') {
      observe({ path: null, confirmable: true, code: 'reset' });
      send(encodeReset(incoming.messageId), remote);
    } else {
      const { confirmable } = incoming;
      observe({ path: null, confirmable, code: '4.13' });
      if (confirmable) send(encodeAcknowledgement(incoming, { code: '4.13' }), remote);
    }
  }

  function onRequest(request: CoapRequest, remote: RemoteInfo, digest: string): void {
    const { confirmable, messageId } = request;
    const path = request.path.startsWith(PREFIX) ? request.path.slice(PREFIX.length) : request.path;
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const observed = { path: route ? path : null, confirmable };
    const key = `${remote.address}:${remote.port}:${messageId}:${digest}`;
    const isIdempotent = route?.isIdempotent ?? false;
    const cached = isIdempotent ? null : exchanges.find(key);
    if (cached) {
      observe({ ...observed, code: 'duplicate' });
      if (cached.length > 0) send(cached, remote);
      return;
    }
    const errorCode = getErrorCode(request, route);
    if (errorCode || !route) {
      observe({ ...observed, code: errorCode ?? '4.04' });
      if (confirmable) send(encodeAcknowledgement(request, { code: errorCode ?? '4.04' }), remote);
      return;
    }
    if (inFlight >= inFlightMax) {
      // Not cached, so the request may be accepted when the device repeats it.
      observe({ ...observed, code: confirmable ? '5.03' : 'dropped' });
      if (confirmable) send(encodeAcknowledgement(request, { code: '5.03' }), remote);
      return;
    }
    if (!isIdempotent) exchanges.begin(key);
    void answer(request, path, route, remote, key);
  }

  async function answer(
    request: CoapRequest,
    path: string,
    route: CoapRoute,
    remote: RemoteInfo,
    key: string,
  ): Promise<void> {
    const { confirmable, method, payload } = request;
    const { address, port } = remote;
    inFlight++;
    try {
      const token = getOptionText(request, tokenOption);
      const call = { path, method, payload, tokenOption: token, confirmable, address, port };
      const handled = await callHandler(route, call);
      const result = limitAnswer(handled, request);
      observe({ path, confirmable, code: handled === OVER_LIMIT ? 'over limit' : result.code });
      const bytes = confirmable ? encodeAcknowledgement(request, result) : NO_ANSWER;
      if (!route.isIdempotent) exchanges.end(key, bytes);
      if (confirmable) send(bytes, remote);
    } catch (error) {
      // The answer does not fit into a datagram, or the observer threw.
      log('CoAP answer failed', error);
      exchanges.end(key, null);
    } finally {
      inFlight--;
      if (inFlight === 0) onIdle();
    }
  }

  async function callHandler(route: CoapRoute, call: CoapCall): Promise<CoapAnswer> {
    try {
      return await route.handle(call);
    } catch (error) {
      if (error instanceof MalformedMessage) return { code: '4.00' };
      const kind = error instanceof AppError ? error.kind : null;
      if (kind === 'rate_limited') return OVER_LIMIT;
      if (kind === 'unavailable') return { code: '5.03' };
      log(`CoAP handler of ${call.path} failed`, error);
      return { code: '5.00' };
    }
  }

  function send(bytes: Buffer, { address, port: remotePort }: RemoteInfo): void {
    try {
      // The device repeats lost messages. Without a callback, an error would be emitted as an event.
      socket.send(bytes, remotePort, address, logSendError);
    } catch (error) {
      // The sender's port was 0, or the deadline has closed the socket.
      logSendError(error as Error);
    }
  }

  function logSendError(error: Error | null): void {
    if (error) log('CoAP datagram not sent', error);
  }

  socket.on('message', onDatagram);
  await bindSocket(socket, { host, port });
  socket.on('error', (error) => log('CoAP socket failed', error));
  enlargeReceiveBuffer(socket, RECEIVE_BUFFER_BYTES);

  async function stopOnce(deadlineMs: number): Promise<void> {
    socket.off('message', onDatagram);
    if (inFlight > 0) await untilIdle(deadlineMs);
    // The last answer leaves the process before the socket closes.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  function untilIdle(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  let stopped: Promise<void> | null = null;

  return {
    port: socket.address().port,
    countUnderWay: () => inFlight,
    stop(deadlineMs) {
      stopped ??= stopOnce(deadlineMs);
      return stopped;
    },
  };
}

/** With 128 bits, two datagrams of the same digest cannot be found. */
const toDigest = (datagram: Buffer) => hash('sha256', datagram, 'binary').slice(0, DIGEST_CHARACTERS);

/** The code of a request that is refused without calling a handler; null for all others. */
function getErrorCode({ badOption, method }: CoapRequest, route: CoapRoute | undefined): string | null {
  if (badOption !== null) return '4.02';
  if (!route) return '4.04';
  return (route.methods as readonly string[]).includes(method) ? null : '4.05';
}
