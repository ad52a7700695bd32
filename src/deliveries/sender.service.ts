/**
 * One request to a customer's receiver, limited in time, bytes, redirects and destination. The address is checked when
 * the URL holds one, for every address that a name resolves to, and again on the connected socket, so DNS rebinding
 * gains nothing. Errors are texts of our own, which name no address.
 */
import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type AttemptResult, parseRetryAfter, toVerdict } from './delivery.ts';
import { sign } from './signature.ts';

export interface OutgoingRequest {
  url: string;
  eventId: string;
  body: string;
  /** The current one first; empty when the endpoint has none. */
  secrets: string[];
}

export interface SenderOptions {
  isAllowedAddress(address: string): boolean;
  userAgent: string;
  now(): Date;
  /** From the start of the attempt to the last byte of the answer. */
  deadlineMs: number;
  connectTimeoutMs: number;
  /** All addresses of a name. Default: the system's resolver. */
  resolve?(hostname: string): Promise<Array<{ address: string; family: number }>>;
}

export interface Sender {
  attempt(outgoing: OutgoingRequest): Promise<AttemptResult>;
  close(): Promise<void>;
}

const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_BYTES = 1024;

class AddressRefused extends Error {}

const systemResolve = (hostname: string) => dnsLookup(hostname, { all: true });

export function createSender(options: SenderOptions): Sender {
  const agent = new Agent({
    connect: guardedConnector(options),
    pipelining: 1,
    keepAliveTimeout: 20_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  function send({ url, eventId, body, secrets }: OutgoingRequest): Promise<Answer> {
    const { origin, pathname, search } = new URL(url);
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
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(resolve, reject, options.deadlineMs);
      agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    });
  }

  return {
    async attempt(outgoing) {
      const startedAt = performance.now();
      const durationMs = () => Math.round(performance.now() - startedAt);
      try {
        const { statusCode, excerpt, retryAfter } = await send(outgoing);
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

function guardedConnector({ isAllowedAddress, connectTimeoutMs, resolve = systemResolve }: SenderOptions) {
  const lookup: LookupFunction = (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        else if (!addresses.every(({ address }) => isAllowedAddress(address)))
          callback(new AddressRefused(), '', 0);
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, '', 0),
    );
  };
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    lookup,
    autoSelectFamily: true,
  } as buildConnector.BuildOptions);
  return (options: buildConnector.Options, callback: buildConnector.Callback) => {
    const literal = options.hostname.replace(/^\[|\]$/g, '');
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

function isAddressRefused(error: unknown): boolean {
  if (error instanceof AddressRefused) return true;
  if (error instanceof AggregateError) return error.errors.some(isAddressRefused);
  return error instanceof Error && error.cause !== undefined && isAddressRefused(error.cause);
}

const ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
};

const NOT_HTTP = ['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'];

function describeError(error: unknown): string {
  if (isAddressRefused(error)) return 'the URL leads to an address that is not public';
  const code = String((error as { code?: unknown }).code ?? '');
  const known = ERROR_TEXTS[code];
  if (known) return known;
  if ((error as Error).name === 'HTTPParserError' || NOT_HTTP.includes(code))
    return 'the answer was not valid HTTP';
  if (/CERT|SSL|TLS|SELF_SIGNED|VERIFY|ISSUER|EPROTO/.test(code)) return `TLS failed (${code})`;
  return 'the request failed';
}
