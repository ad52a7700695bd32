/** What is known of a connection to a receiver, and what the HTTP client does not get to read of it. */
import type { Socket } from 'node:net';

export interface Connection {
  requestCount: number;
  /** Its first error, such as an alert of TLS: the client reports only that the connection was closed. */
  fault: Error | null;
  /** How far the answer to its present request is: nothing of it has arrived, at most a 1xx, or more. */
  answer: 'none' | 'interim' | 'begun';
}

/** A recipient may take a line feed alone as the end of a line (RFC 9112, section 2.2). */
const CONTINUE = /^(?:HTTP\/1\.[01] 100[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)+/;
const CONTINUE_START = 'HTTP/1.1 100';
const CONTINUE_BYTES_MAX = 4_096;

/**
 * RFC 9110, section 15.2: a 1xx answer may come before the final one, expected or not. The client takes all but an
 * unexpected `100 Continue`, so it does not get to read it.
 */
export function skipContinue(socket: Socket, connection: Connection): void {
  const read = socket.read.bind(socket);
  let held = Buffer.alloc(0);
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || connection.answer === 'begun') return chunk;
      connection.answer = 'interim';
      held = Buffer.concat([held, chunk]);
      const [interim = ''] = CONTINUE.exec(held.toString('latin1')) ?? [];
      held = held.subarray(interim.length);
      if (mayBeContinue(held)) continue;
      const answer = held;
      held = Buffer.alloc(0);
      connection.answer = 'begun';
      return answer;
    }
  };
}

function mayBeContinue(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, CONTINUE_START.length);
  return bytes.length < CONTINUE_BYTES_MAX && CONTINUE_START.startsWith(start);
}
