/** The state of a connection to a receiver, and interim answers, which are hidden from the HTTP client. */
import type { Socket } from 'node:net';

export interface Connection {
  requestCount: number;
  /**
   * The first error of the connection, such as a TLS alert; the client reports only that the connection was
   * closed.
   */
  fault: Error | null;
  /** Progress of the answer to the current request: nothing has arrived, only 1xx, or more. */
  answer: 'none' | 'interim' | 'begun';
}

/**
 * A recipient may accept a lone line feed as a line end (RFC 9112, section 2.2). 101 is not an interim
 * answer.
 */
const INTERIM = /^(?:HTTP\/1\.[01] 1(?!01)\d\d[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)+/;
const INTERIM_START = 'HTTP/1.1 1';
const SWITCHING_PROTOCOLS = 'HTTP/1.1 101';
const INTERIM_BYTES_MAX = 4_096;

/**
 * RFC 9110, section 15.2: 1xx answers may precede the final one, even unexpectedly. The client fails on an
 * unexpected `100 Continue`, so interim answers are removed before it reads.
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
