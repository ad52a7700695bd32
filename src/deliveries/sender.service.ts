/**
 * One request to a customer's receiver, limited in time, bytes, redirects and destination. The address is checked when
 * the URL holds one, for every address that a name resolves to, and again on the connected socket, so DNS rebinding
 * gains nothing. The name is looked up before the attempt begins: a wait for our own turn is no part of it.
 */
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { AddressRefused, describeError, isAddressRefused } from './attempt-error.ts';
import { type AttemptResult, parseRetryAfter, toVerdict } from './delivery.ts';
import type { NameLookups } from './name-lookups.service.ts';
import { sign } from './signature.ts';

export interface OutgoingRequest {
  /** Whose look-ups the host name waits for. */
  organizationId: string;
  url: string;
  eventId: string;
  body: string;
  /** The header `traceparent`. */
  trace?: string | null;
  /** The current one first; empty when the endpoint has none. */
  secrets: string[];
}

export interface SenderOptions {
  isAllowedAddress(address: string): boolean;
  userAgent: string;
  now(): Date;
  /** From the look-up of the name to the last byte of the answer. */
  deadlineMs: number;
  connectTimeoutMs: number;
  names: NameLookups;
}

export interface Sender {
  /** @throws NoTurn when the host name could not be looked up in time for reasons of ours: no attempt was made. */
  attempt(outgoing: OutgoingRequest): Promise<AttemptResult>;
  close(): Promise<void>;
}

const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_BYTES = 1024;

export function createSender(options: SenderOptions): Sender {
  const agent = new Agent({
    connect: guardedConnector(options),
    pipelining: 1,
    keepAliveTimeout: 20_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function send(url: URL, outgoing: OutgoingRequest, deadlineMs: number): Promise<Answer> {
    const { origin, pathname, search } = url;
    const { eventId, body, trace, secrets } = outgoing;
    const timestampSeconds = Math.floor(options.now().getTime() / 1000);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'user-agent': options.userAgent,
      'accept-encoding': 'identity',
      'webhook-id': eventId,
      'webhook-timestamp': String(timestampSeconds),
    };
    if (secrets.length > 0)
      headers['webhook-signature'] = sign({ id: eventId, timestampSeconds, body }, secrets);
    if (trace) headers.traceparent = trace;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(resolve, reject, deadlineMs);
      agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    });
  }

  /** Answers with the start of the attempt: it does not include the wait for a turn. */
  async function lookUp({ hostname }: URL, organizationId: string): Promise<number> {
    return isIP(toLiteral(hostname)) ? performance.now() : options.names.prepare(hostname, organizationId);
  }

  return {
    async attempt(outgoing) {
      const url = new URL(outgoing.url);
      const startedAt = await lookUp(url, outgoing.organizationId);
      const spentMs = () => performance.now() - startedAt;
      const durationMs = () => Math.round(spentMs());
      try {
        const { statusCode, excerpt, retryAfter } = await send(url, outgoing, options.deadlineMs - spentMs());
        const verdict = toVerdict(statusCode);
        return {
          verdict,
          statusCode,
          error: verdict === 'delivered' ? null : `the receiver answered ${statusCode}`,
          responseExcerpt: excerpt,
          durationMs: durationMs(),
          retryAfterMs: parseRetryAfter(retryAfter, options.now()),
        };
      } catch (error) {
        return {
          verdict: isAddressRefused(error) ? 'blocked' : 'retry',
          statusCode: null,
          error:
            error instanceof DeadlinePassed
              ? `no complete answer within ${options.deadlineMs / 1000} s`
              : describeError(error),
          responseExcerpt: null,
          durationMs: durationMs(),
          retryAfterMs: null,
        };
      }
    },
    close: () => agent.destroy(),
  };
}

interface Answer {
  statusCode: number;
  excerpt: string;
  retryAfter: string | undefined;
}

class DeadlinePassed extends Error {}
class AnswerTooLong extends Error {}

/** One request and its answer, by the callbacks of the client: a stream per answer would double the cost of an attempt. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #statusCode = 0;
  #retryAfter: string | undefined;
  #excerpt: Buffer[] = [];
  #size = 0;

  constructor(resolve: (answer: Answer) => void, reject: (error: unknown) => void, deadlineMs: number) {
    this.#resolve = resolve;
    this.#reject = reject;
    // After a stall of the event loop, timers fire before I/O: wait one turn, so that data already received counts.
    const failAfterReading = () => setImmediate(() => this.#fail(new DeadlinePassed()));
    this.#timer = setTimeout(failAfterReading, deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline may have passed while the request waited for a connection.
    if (this.#isOver) controller.abort(new DeadlinePassed());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#statusCode = statusCode;
    this.#retryAfter = [headers['retry-after']].flat()[0];
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
    if (!this.#end()) return;
    this.#controller?.abort(error);
    this.#reject(error);
  }

  /** False when the exchange had ended before. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    return true;
  }
}

const toLiteral = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function guardedConnector({ isAllowedAddress, connectTimeoutMs, names }: SenderOptions) {
  /** Of what the attempt has looked up, so that a connection waits for no name server. */
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    const { addresses, error } = names.latest(hostname);
    const [first] = addresses;
    process.nextTick(() => {
      if (!first) callback(error, '', 0);
      else if (!addresses.every(({ address }) => isAllowedAddress(address)))
        callback(new AddressRefused(), '', 0);
      else if (all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup,
    autoSelectFamily: true,
  } as buildConnector.BuildOptions);
  return (options: buildConnector.Options, callback: buildConnector.Callback) => {
    const literal = toLiteral(options.hostname);
    if (isIP(literal) && !isAllowedAddress(literal)) {
      callback(new AddressRefused(), null);
      return;
    }
    connect(options, (error, socket) => {
      if (error || !socket) return callback(error ?? new Error('no socket'), null);
      if (isAllowedAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused(), null);
    });
  };
}

/** Safe wherever it is shown: no markup, no control characters. */
const escapeText = (text: string) =>
  text.replace(
    /[\p{Cc}\p{Cf}<>&"'\\]/gu,
    (each) => `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
