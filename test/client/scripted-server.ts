import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

export interface ScriptedServer {
  url: string;
  /** Number of requests so far. */
  readonly requests: number;
  stop(): void;
}

/**
 * Answers each request with the next text, and all further ones with the last, and closes each connection.
 */
export async function startScriptedServer(answers: readonly string[]): Promise<ScriptedServer> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answers[Math.min(requests++, answers.length - 1)] as string));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    stop: () => server.close(),
  };
}

const withLength = (status: string, length: number, body: string): string =>
  `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
const whole = (status: string, body: string): string => withLength(status, body.length, body);
const NESTED = '['.repeat(200_000);

export const EMPTY_LIST = whole('200 OK', '{"items":[],"totalItems":0,"nextCursor":null}');
export const CUT_OFF = withLength('200 OK', 500, '{"items":[');
export const REGISTERED = whole('201 Created', '{"id":"registered"}');
export const RUNNING = whole('409 Conflict\r\nRetry-After: 0', '{"message":"still running"}');
export const LATER = whole('503 Service Unavailable\r\nRetry-After: 61', '{"message":"later"}');
export const CONFLICT = whole('409 Conflict', '{"message":"taken"}');
export const NO_HTTP = 'hello\r\n\r\n';
export const NO_JSON = whole('200 OK', '<html>');
export const NESTED_JSON = whole('200 OK', NESTED);
export const NESTED_REFUSAL = whole('503 Service Unavailable', NESTED);
export const CUT_OFF_REFUSAL = withLength('404 Not Found', 500, '{"message":');
export const MOVED = 'HTTP/1.1 301 Moved Permanently\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n';
