/** What is wrong with a request before any route sees it, answered with the common error body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from './render-error.ts';
import { chooseRequestId, commonHeaders } from './response-headers.ts';

export type Fault = [status: number, reason: string, message: string];

/** Node drops what exceeds its own limit without a word, so that is off. */
const HEADER_FIELDS_MAX = 200;

const PARSER_FAULTS: Record<string, Fault> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers must be at most 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive'],
};
const TOO_MANY_FIELDS: Fault = [
  431,
  'Request Header Fields Too Large',
  `The request must have at most ${HEADER_FIELDS_MAX} header fields`,
];
export const BAD_REQUEST: Fault = [400, 'Bad Request', 'This is not a valid HTTP request'];
const NOT_ONE_HOST: Fault = [400, 'Bad Request', 'The request must have one Host header'];
const OTHER_CODING: Fault = [400, 'Bad Request', 'Transfer-Encoding must be chunked, or left out'];

export const parserFault = (code = ''): Fault => PARSER_FAULTS[code] ?? BAD_REQUEST;

/** What Node's parser accepts and this service does not. */
export function requestFault({ rawHeaders, headers, httpVersion }: IncomingMessage): Fault | null {
  if (rawHeaders.length > 2 * HEADER_FIELDS_MAX) return TOO_MANY_FIELDS;
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (httpVersion === '1.1' && !headers.host)) return NOT_ONE_HOST;
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked' ? null : OTHER_CODING;
}

/** Names and values take turns. */
function countHosts(rawHeaders: string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** In its turn, after the answers to earlier requests of the connection. */
export function refuse(response: ServerResponse, [status, reason, message]: Fault): void {
  const { headers, body } = render(message);
  response.writeHead(status, reason, headers).end(body);
}

/** Where there is no response to write to. */
export function refuseOnSocket(socket: Duplex, [status, reason, message]: Fault): void {
  const { headers, body } = render(message);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
}

function render(message: string) {
  const body = JSON.stringify(errorBody(message));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...commonHeaders(chooseRequestId()),
    Connection: 'close',
  };
  return { headers, body };
}
