/**
 * A customer's receiver: a real server that records and validates requests, and answers as the test decides.
 */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './patience.ts';
import { useStarted } from './use-started.ts';
import { validateEventBody } from './validate-events.ts';

export interface Received {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  event: { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Sets the answer to each request. Default: 204. */
  answer(how: (response: ServerResponse, index: number, received: Received) => void): void;
  /** Waits until that many requests have arrived. */
  until(count: number): Promise<Received[]>;
  /** Refuses connections until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Fails for a body that is no event of the API document, unless it is told not to validate. */
export const startReceiver = ({ isValidating = true } = {}): Promise<Receiver> =>
  start(createServer, 'http', isValidating);

/** A receiver for the tests of a describe block; declared before the service that sends to it, it also stops after it. */
export const useReceiver = (): Receiver => useStarted(startReceiver, (receiver) => receiver.stop());

/** With a self-signed certificate. */
export const startTlsReceiver = (): Promise<Receiver> =>
  start(
    (handler) => createTlsServer({ key: UNTRUSTED_KEY, cert: UNTRUSTED_CERTIFICATE }, handler),
    'https',
    true,
  );

type Handler = Parameters<typeof createServer>[1];

async function start(
  create: (handler: Handler) => Server,
  scheme: string,
  isValidating: boolean,
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: Array<{ count: number; resolve(): void }> = [];
  let how: Parameters<Receiver['answer']>[0] = (response) => response.writeHead(204).end();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function listen(at: number): Promise<Server> {
    const fresh = create((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (isValidating) validateEventBody(body);
        const entry = {
          at: Date.now(),
          path: request.url ?? '',
          headers: request.headers,
          body,
          event: JSON.parse(body),
        };
        received.push(entry);
        how(response, received.length - 1, entry);
        for (const each of waiting) if (received.length >= each.count) each.resolve();
      });
    });
    return new Promise((resolve) => fresh.listen(at, '127.0.0.1', () => resolve(fresh)));
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    url: `${scheme}://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      how = next;
    },
    until(count) {
      if (received.length >= count) return Promise.resolve(received);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${received.length} of ${count} requests arrived within ${PATIENCE_MS} ms`)),
          PATIENCE_MS,
        );
        waiting.push({
          count,
          resolve() {
            clearTimeout(timer);
            resolve(received);
          },
        });
      });
    },
    pause: close,
    async resume() {
      server = await listen(port);
    },
    stop: close,
  };
}

const UNTRUSTED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHtMiwVHydJ+WhRFD
2cC3qT99fLwC7iEzxp1/RkTovJGhRANCAARLAO5QrCMT0HthTT5MAnbFuKINoCuQ
ADkc0P5685OwzPd+XbGRVhrP+Q5JgjjXSC1CJwXo/b6CxH615FTpyr5G
-----END PRIVATE KEY-----`;

const UNTRUSTED_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIUFRxlO+5yPwtaMogkGG+Ns4hR8T8wCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDAgFw0yNjExMjEyMjQ1NTVaGA8yMTI2
MTAyODIyNDU1NVowGDEWMBQGA1UEAwwNcmVjZWl2ZXIudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABEsA7lCsIxPQe2FNPkwCdsW4og2gK5AAORzQ/nrzk7DM
935dsZFWGs/5DkmCONdILUInBej9voLEfrXkVOnKvkajUzBRMB0GA1UdDgQWBBSY
lDz4nfY9Ggsb5xSPJ/0KI28uajAfBgNVHSMEGDAWgBSYlDz4nfY9Ggsb5xSPJ/0K
I28uajAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIHEf00nPsmAb
a4R7rph28RuHaEzSxx0jAgZDLYLFvHDhAiA9pP885LLzWrESCWuy1IAnLziP35X9
TCgQNEZ2S6pJYw==
-----END CERTIFICATE-----`;
