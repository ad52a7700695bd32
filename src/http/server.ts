/**
 * The listening socket around the application: protocol errors get the common error body too, slow senders
 * and slow readers are disconnected, and a stop lets requests under way finish until the deadline.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  BAD_REQUEST,
  type Fault,
  parserFault,
  refuse,
  refuseOnSocket,
  requestFault,
} from './protocol-faults.ts';
import { createSlowReaderCheck } from './slow-readers.ts';

interface HttpServerOptions {
  listener: RequestListener;
  host: string;
  port: number;
  /** From the first byte of a request to its last. */
  requestTimeoutMs: number;
  /** A client that reads nothing of its answer for this long is disconnected. */
  writeTimeoutMs: number;
}

const CHECKS_PER_TIMEOUT = 4;
/** A request before a CONNECT on its connection has this time to be answered. */
const CONNECT_MS_MAX = 5_000;

export async function listen(options: HttpServerOptions) {
  let draining = false;
  const underWay = new Set<ServerResponse>();
  const faulty = new WeakSet<Duplex>();
  const server = createServer(
    {
      requestTimeout: options.requestTimeoutMs,
      headersTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, options.requestTimeoutMs),
      keepAliveTimeout: 65_000,
      // Node's own refusal has no body.
      requireHostHeader: false,
    },
    serve,
  );
  // Node would silently drop headers beyond a limit here; requestFault refuses too many.
  server.maxHeadersCount = 0;
  // Ignores unknown expectations, as HTTP allows; Node's own refusal has no body.
  server.on('checkExpectation', serve);
  server.on('connect', onConnect);
  server.on('clientError', onClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });

  const disconnectSlow = createSlowReaderCheck(options.writeTimeoutMs);
  const slowTimer = setInterval(() => disconnectSlow(underWay), options.writeTimeoutMs / CHECKS_PER_TIMEOUT);
  slowTimer.unref();

  function serve(request: IncomingMessage, response: ServerResponse): void {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    const fault = requestFault(request);
    if (fault) {
      refuse(response, fault);
      return;
    }
    if (draining) closeAfter(response);
    options.listener(request, response);
  }

  function onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const begun = [...underWay].some(
      ({ req, headersSent }) => isOf(req, socket) && !req.complete && headersSent,
    );
    // The answer to this very request may be half sent, and another one would corrupt it.
    if (!socket.writable || error.code === 'ECONNRESET' || begun) return void socket.destroy();
    // Further garbage causes further errors while the answer to the first one waits for its turn.
    if (faulty.has(socket)) return;
    faulty.add(socket);
    void answerLast(socket, parserFault(error.code));
  }

  /** Node handles neither errors nor the end of this connection any more, and does not count it among its own. */
  function onConnect(_request: IncomingMessage, socket: Duplex): void {
    const close = () => void socket.destroy();
    const timer = setTimeout(close, CONNECT_MS_MAX);
    socket
      .on('error', close)
      .once('finish', close)
      .once('close', () => clearTimeout(timer));
    void answerLast(socket, BAD_REQUEST);
  }

  /** Answers after earlier requests of the connection, which may have had their effect. */
  async function answerLast(socket: Duplex, fault: Fault): Promise<void> {
    const earlier = [...underWay].filter(({ req }) => isOf(req, socket) && req.complete);
    await Promise.allSettled(earlier.map((response) => once(response, 'close')));
    if (socket.writable) refuseOnSocket(socket, fault);
  }

  function beginDrain(): void {
    draining = true;
    underWay.forEach(closeAfter);
  }

  return {
    port: (server.address() as AddressInfo).port,
    /**
     * Closes each connection after its next answer, so that clients turn to another process; still accepts
     * connections.
     */
    drain: beginDrain,
    /** Stops accepting, waits for requests under way, and closes remaining connections at the deadline. */
    stop(deadlineMs: number): Promise<void> {
      beginDrain();
      return closeServer(server, deadlineMs).finally(() => clearInterval(slowTimer));
    },
  };
}

const isOf = (request: IncomingMessage, socket: Duplex): boolean => request.socket === (socket as Socket);

/** A response whose headers are sent cannot announce the end: its connection is closed at the deadline. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function closeServer(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
