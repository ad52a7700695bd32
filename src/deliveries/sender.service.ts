/**
 * Sends one request to a customer's receiver, limited in time, bytes, redirects and destination. Checks an
 * address in the URL, every address that a name resolves to, and the address of the connected socket, so DNS
 * rebinding gains nothing. Looks up the name before the attempt begins, so waiting for a turn does not count
 * as part of it.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { parseRetryAfter } from '../../client/src/http-fields.ts';
import { sign } from '../endpoints/endpoint-secret.ts';
import { AddressRefused, describeError, isAddressRefused } from './attempt-error.ts';
import { type AttemptResult, toVerdict } from './delivery.ts';
import {
  type Answer,
  type Connection,
  DeadlinePassed,
  Exchange,
  StaleConnection,
  skipInterim,
} from './exchange.ts';
import type { NameLookups } from './name-lookups.service.ts';

export interface OutgoingRequest {
  /** The organization whose turns the look-up of the host name uses. */
  organizationId: string;
  url: string;
  eventId: string;
  body: string;
  /** Value of the header `traceparent`. */
  trace?: string | null;
  /** The current one first; empty when the endpoint has none. */
  secrets: string[];
}

interface SenderOptions {
  isAllowedAddress(address: string): boolean;
  userAgent: string;
  now(): Date;
  /** Limits an attempt from the look-up of the name to the last byte of the answer. */
  deadlineMs: number;
  connectTimeoutMs: number;
  /** How long a connection stays open after an answer, at most. */
  keepAliveMs?: number;
  names: NameLookups;
}

export type Sender = ReturnType<typeof createSender>;

const KEEP_ALIVE_MS = 20_000;

export function createSender(options: SenderOptions) {
  const { keepAliveMs = KEEP_ALIVE_MS } = options;
  const connections = createConnections(options);
  const settings = { connect: connections.connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };
  // Receivers may name a shorter time, and no longer one.
  const agent = new Agent({
    ...settings,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  });
  /** Its connections serve one request each. */
  const repeats = new Agent(settings);

  function toRequest(url: URL, outgoing: OutgoingRequest) {
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
    return { origin, path: pathname + search, method: 'POST' as const, headers, body };
  }

  const exchange = (by: Agent, request: Dispatcher.DispatchOptions, deadlineMs: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      by.dispatch(request, new Exchange({ resolve, reject, deadlineMs, onStart: connections.onStart }));
    });

  /**
   * A receiver may close a kept-alive connection while a request is on its way. This does not count as a
   * failure: the request is repeated once, on a new connection.
   */
  async function send(url: URL, outgoing: OutgoingRequest, deadlineMs: number): Promise<Answer> {
    const startedAt = performance.now();
    const request = toRequest(url, outgoing);
    try {
      return await exchange(agent, request, deadlineMs);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return exchange(repeats, { ...request, reset: true }, deadlineMs - (performance.now() - startedAt));
    }
  }

  /** Returns the start of the attempt, which excludes the wait for a turn. */
  async function lookUp({ hostname }: URL, organizationId: string): Promise<number> {
    return isIP(toLiteral(hostname)) ? performance.now() : options.names.prepare(hostname, organizationId);
  }

  return {
    /** @throws NoTurn when the host name got no turn for its look-up in time: no attempt was made. */
    async attempt(outgoing: OutgoingRequest): Promise<AttemptResult> {
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
    async close(): Promise<void> {
      await Promise.all([agent.destroy(), repeats.destroy()]);
      connections.close();
    },
  };
}

/** Published by the client with the headers of a request: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel */
const HEADERS_SENT = 'undici:client:sendHeaders';

/** Opens connections to checked addresses, and tracks which request each one serves. */
function createConnections(options: SenderOptions) {
  const known = new WeakMap<Socket, Connection>();
  let starting: ((connection: Connection) => void) | null = null;

  /** Ignores connections of other clients in this process. */
  function onHeadersSent(message: unknown): void {
    const connection = known.get((message as { socket: Socket }).socket);
    if (!connection) return;
    connection.requestCount++;
    connection.answer = 'none';
    starting?.(connection);
    starting = null;
  }
  subscribe(HEADERS_SENT, onHeadersSent);

  const open = guardedConnector(options);
  const connect: buildConnector.connector = (to, callback) =>
    open(to, (error, socket) => {
      if (error || !socket) return callback(error ?? new Error('no socket'), null);
      const connection: Connection = { requestCount: 0, fault: null, answer: 'none' };
      known.set(socket, connection);
      socket.once('error', (fault) => {
        connection.fault = fault;
      });
      skipInterim(socket, connection);
      callback(null, socket);
    });

  return {
    connect,
    /**
     * To be called when a request starts. `onConnection` runs as soon as the request is written to a
     * connection.
     */
    onStart(onConnection: (connection: Connection) => void): void {
      starting = onConnection;
    },
    close: () => void unsubscribe(HEADERS_SENT, onHeadersSent),
  };
}

const toLiteral = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function guardedConnector({ isAllowedAddress, connectTimeoutMs, names }: SenderOptions) {
  /** Uses the addresses that the attempt has looked up, so that a connection waits for no name server. */
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
  /**
   * Connectors by the number of addresses of a host, which are tried one after the other within the time
   * limit.
   */
  const connectors = new Map<number, buildConnector.connector>();
  function connectorFor(addressCount: number): buildConnector.connector {
    const connector =
      connectors.get(addressCount) ??
      buildConnector({
        timeout: connectTimeoutMs,
        lookup,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: Math.ceil(connectTimeoutMs / addressCount),
      } as buildConnector.BuildOptions);
    connectors.set(addressCount, connector);
    return connector;
  }
  const connect: buildConnector.connector = (options, callback) => {
    const literal = toLiteral(options.hostname);
    if (isIP(literal) && !isAllowedAddress(literal)) {
      callback(new AddressRefused(), null);
      return;
    }
    const connector = connectorFor(Math.max(1, names.latest(options.hostname).addresses.length));
    connector({ ...options, ...toServerName(literal) }, (error, socket) => {
      if (error || !socket) return callback(error ?? new Error('no socket'), null);
      if (isAllowedAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused(), null);
    });
  };
  return connect;
}

/** RFC 6066, section 3: the name has no trailing dot, and an address is not sent. */
const toServerName = (host: string) => (isIP(host) ? {} : { servername: host.replace(/\.$/, '') });
