/**
 * The listening socket around the application: protocol errors get the common error body too, slow senders are cut off,
 * and a stop lets requests under way finish until the deadline.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody } from './render-error.ts';
import { chooseRequestId, commonHeaders } from './response-headers.ts';

export interface HttpServerOptions {
  listener: RequestListener;
  host: string;
  port: number;
  /** From the first byte of a request to its last. */
  requestTimeoutMs: number;
}

export interface HttpServer {
  port: number;
  isDraining(): boolean;
  /** Stops accepting, waits for requests under way, and closes what is left at the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

type Fault = [status: number, reason: string, message: string];

const PARSER_FAULTS: Record<string, Fault> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers must be at most 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive'],
};
const BAD_REQUEST: Fault = [400, 'Bad Request', 'This is not a valid HTTP request'];
const NO_HOST: Fault = [400, 'Bad Request', 'The Host header is missing'];

export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  let draining = false;
  const underWay = new Set<ServerResponse>();
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
  // Unknown expectations are ignored, as HTTP allows; Node's own refusal has no body.
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket) => answerFault(socket, BAD_REQUEST));
  server.on('clientError', answerParserFault);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (request.httpVersion === '1.1' && !request.headers.host) {
      answerFault(request.socket, NO_HOST);
      return;
    }
    if (draining) closeAfter(response);
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    options.listener(request, response);
  }

  return {
    port: (server.address() as AddressInfo).port,
    isDraining: () => draining,
    stop(deadlineMs) {
      draining = true;
      underWay.forEach(closeAfter);
      return drain(server, deadlineMs);
    },
  };
}

function answerParserFault(error: NodeJS.ErrnoException, socket: Socket): void {
  // An earlier response on this connection may be half sent: another one would corrupt it.
  const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse };
  if (!socket.writable || error.code === 'ECONNRESET' || underWay?.headersSent) return void socket.destroy();
  answerFault(socket, PARSER_FAULTS[error.code ?? ''] ?? BAD_REQUEST);
}

function answerFault(socket: Duplex, [status, reason, message]: Fault): void {
  const body = JSON.stringify(errorBody(message));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...commonHeaders(chooseRequestId()),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
}

/** A response whose headers are sent cannot announce it: its connection is closed at the deadline. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function drain(server: Server, deadlineMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), deadlineMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
