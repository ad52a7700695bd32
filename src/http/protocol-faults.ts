/** Faults of a request before routing, answered with the common error body. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorStatus, errorBody, helpLink } from './render-error.ts';
import { chooseRequestId, commonHeaders } from './responder.ts';

export type Fault = [status: ErrorStatus, reason: string, message: string];

/** Node silently drops fields beyond its own limit, so that limit is off. */
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
const NOT_ONE_HOST: Fault = [400, 'Bad Request', 'The request must have one Host header, with one host'];
const REPEATED: Fault = [400, 'Bad Request', 'Authorization and Content-Type must be given at most once'];
const OTHER_CODING: Fault = [400, 'Bad Request', 'Transfer-Encoding must be chunked, or left out'];

export const parserFault = (code = ''): Fault => PARSER_FAULTS[code] ?? BAD_REQUEST;

/** Faults that Node's parser accepts. */
export function requestFault({ rawHeaders, headers, httpVersion }: IncomingMessage): Fault | null {
  if (rawHeaders.length > 2 * HEADER_FIELDS_MAX) return TOO_MANY_FIELDS;
  const { host, ...others } = countSingle(rawHeaders);
  // HTTP/1.0 does not require it.
  const isHostMissing = httpVersion === '1.1' && !headers.host;
  if (host > 1 || isHostMissing || NO_HOST.test(headers.host ?? '')) return NOT_ONE_HOST;
  if (others.authorization > 1 || others['content-type'] > 1) return REPEATED;
  const coding = headers['transfer-encoding'];
  return coding === undefined || coding.toLowerCase() === 'chunked' ? null : OTHER_CODING;
}

/** Characters that occur in no host with a port, but in a list of hosts. */
const NO_HOST = /[\s,/?#@]/;
type Single = 'host' | 'authorization' | 'content-type';

/**
 * Counts headers that Node reduces to the first of their name. In `rawHeaders`, names and values alternate.
 */
function countSingle(rawHeaders: string[]): Record<Single, number> {
  const counts = { host: 0, authorization: 0, 'content-type': 0 };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (!SINGLE_LENGTHS.has(name.length)) continue;
    const lower = name.toLowerCase();
    if (lower in counts) counts[lower as Single]++;
  }
  return counts;
}

const SINGLE_LENGTHS = new Set(['host', 'authorization', 'content-type'].map(({ length }) => length));

/** Sent in order, after the answers to earlier requests of the connection. */
export function refuse(response: ServerResponse, [status, reason, message]: Fault): void {
  const { headers, body } = render(status, message);
  response.writeHead(status, reason, headers).end(body);
}

/** Used when there is no response object. */
export function refuseOnSocket(socket: Duplex, [status, reason, message]: Fault): void {
  const { headers, body } = render(status, message);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
}

function render(status: ErrorStatus, message: string) {
  const body = JSON.stringify(errorBody(message));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...commonHeaders(chooseRequestId()),
    ...helpLink(status),
    Connection: 'close',
  };
  return { headers, body };
}
