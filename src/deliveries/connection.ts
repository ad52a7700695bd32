/** What is known of a connection to a receiver, and what the HTTP client does not get to read of it. */
import type { Socket } from 'node:net';

export interface Connection {
  requestCount: number;
  /** Its first error, such as an alert of TLS: the client reports only that the connection was closed. */
  fault: Error | null;
  /** How far the answer to its present request is: nothing of it has arrived, at most a 1xx, or more. */
  answer: 'none' | 'interim' | 'begun';
}

/** A recipient may take a line feed alone as the end of a line (RFC 9112, section 2.2). 101 is no interim answer. */
const INTERIM = /^(?:HTTP\/1\.[01] 1(?!01)\d\d[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)+/;
const INTERIM_START = 'HTTP/1.1 1';
const SWITCHING_PROTOCOLS = 'HTTP/1.1 101';
const INTERIM_BYTES_MAX = 4_096;

/**
 * RFC 9110, section 15.2: 1xx answers may come before the final one, expected or not. The client does not take an
 * unexpected `100 Continue`, so it does not get to read any.
 */
export function skipInterim(socket: Socket, connection: Connection): void {
  const read = socket.read.bind(socket);
  let held = Buffer.alloc(0);
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || connection.answer === 'begun') return chunk;
      connection.answer = 'interim';
      held = Buffer.concat([held, chunk]);
      const [interim = ''] = INTERIM.exec(held.toString('latin1')) ?? [];
      held = held.subarray(interim.length);
      if (mayBeInterim(held)) continue;
      const answer = held;
      held = Buffer.alloc(0);
      connection.answer = 'begun';
      return answer;
    }
  };
}

function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, SWITCHING_PROTOCOLS.length);
  const isInterim = start.startsWith(INTERIM_START) && start !== SWITCHING_PROTOCOLS;
  return bytes.length < INTERIM_BYTES_MAX && (isInterim || INTERIM_START.startsWith(start));
}
