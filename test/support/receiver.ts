/** A customer's receiver: a real server that remembers what it got and answers as it is told to. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  /** The answer to each request; 204 unless told otherwise. */
  answer(how: (response: ServerResponse, index: number, received: Received) => void): void;
  /** Waits until so many requests have come. */
  until(count: number, timeoutMs?: number): Promise<Received[]>;
  /** Refuses connections until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: Array<{ count: number; resolve(): void }> = [];
  let how: Parameters<Receiver['answer']>[0] = (response) => response.writeHead(204).end();
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;

  function listen(at: number): Promise<Server> {
    const fresh = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
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
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      how = next;
    },
    until(count, timeoutMs = 15_000) {
      if (received.length >= count) return Promise.resolve(received);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${received.length} of ${count} requests came within ${timeoutMs} ms`)),
          timeoutMs,
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
