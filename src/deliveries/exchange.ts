/** One request to a receiver and its answer, limited in time and bytes. */
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { isClosedConnection, TooManyInterim } from './attempt-error.ts';

const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_BYTES = 1024;

export interface Answer {
  statusCode: number;
  excerpt: string;
  retryAfter: string | undefined;
}

export class DeadlinePassed extends Error {}
class AnswerTooLong extends Error {}
/** The receiver closed a connection that had served a request before, without an answer to this one. */
export class StaleConnection extends Error {}

const REDIRECTION = 300;
/** No body by definition (RFC 9110, sections 15.3.5 and 15.4.5), whatever their Content-Length. */
const WITHOUT_CONTENT = [204, 304];

interface ExchangeOptions {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  deadlineMs: number;
  /** Called when the request starts; `onConnection` gets the connection once the request is written to it. */
  onStart(onConnection: (connection: Connection) => void): void;
}

/** Uses the callbacks of the client, because a stream per answer would double the cost of an attempt. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onStart: ExchangeOptions['onStart'];
  #connection: Connection | null = null;
  #isReused = false;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #statusCode = 0;
  #retryAfter: string | undefined;
  #excerpt: Buffer[] = [];
  #size = 0;

  constructor({ resolve, reject, deadlineMs, onStart }: ExchangeOptions) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onStart = onStart;
    // After a stall of the event loop, timers fire before I/O. Waiting one turn lets data that already
    // arrived count.
    const failAfterReading = () => setImmediate(() => this.#fail(new DeadlinePassed()));
    this.#timer = setTimeout(failAfterReading, deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline may have passed while the request waited for a connection.
    if (this.#isOver) controller.abort(new DeadlinePassed());
    else {
      this.#onStart((connection) => {
        this.#connection = connection;
        this.#isReused = connection.requestCount > 1;
      });
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#statusCode = statusCode;
    this.#retryAfter = [headers['retry-after']].flat()[0];
    if (WITHOUT_CONTENT.includes(statusCode)) this.#succeed();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#size < EXCERPT_BYTES) this.#excerpt.push(chunk.subarray(0, EXCERPT_BYTES - this.#size));
    this.#size += chunk.length;
    if (this.#size <= ANSWER_BYTES_MAX) return;
    this.#succeed();
    controller.abort(new AnswerTooLong());
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#fail(error);
  }

  #succeed(): void {
    if (!this.#end()) return;
    const excerpt = this.#size === 0 ? '' : escapeText(Buffer.concat(this.#excerpt).toString('utf8'));
    this.#resolve({ statusCode: this.#statusCode, excerpt, retryAfter: this.#retryAfter });
  }

  #fail(error: Error): void {
    // Only the status of a failure matters; the body is just shown.
    if (this.#statusCode >= REDIRECTION) {
      this.#succeed();
      this.#controller?.abort(error);
      return;
    }
    if (!this.#end()) return;
    this.#controller?.abort(error);
    if (!isClosedConnection(error)) this.#reject(error);
    else if (this.#isReused && this.#connection?.answer === 'none') this.#reject(new StaleConnection());
    else this.#reject(this.#connection?.fault ?? error);
  }

  /** False if the exchange had already ended. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    return true;
  }
}

/** Safe to show anywhere: no markup, no control characters. */
const escapeText = (text: string) =>
  text.replace(
    /[\p{Cc}\p{Cf}<>&"'\\]/gu,
    (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

/** The state of a connection to a receiver. */
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
  let skipped = 0;
  socket.read = (size) => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || connection.answer === 'begun') return chunk;
      if (connection.answer === 'none') skipped = 0;
      connection.answer = 'interim';
      held = Buffer.concat([held, chunk]);
      const [interim = ''] = INTERIM.exec(held.toString('latin1')) ?? [];
      held = held.subarray(interim.length);
      skipped += interim.length;
      if (skipped > ANSWER_BYTES_MAX) {
        socket.destroy(new TooManyInterim());
        return null;
      }
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
