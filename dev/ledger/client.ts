/** A persistent customer: repeats a request until it has an answer, with the same Idempotency-Key. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any operation
  body: any;
}

export interface LedgerClient {
  get(path: string): Promise<Answer>;
  send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer>;
  /** Number of repeated requests. */
  repeats(): number;
}

const TIMEOUT_MS = 20_000;
const PAUSE_MS = 300;
const GIVE_UP_MS = 180_000;
const STILL_RUNNING = /still running/;
const isIdempotent = (method: string, path: string) => method === 'POST' || path.endsWith('/apply');

export function createLedgerClient(baseUrl: string, key: string): LedgerClient {
  let repeats = 0;

  async function send(method: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body) headers['content-type'] = 'application/json';
    if (isIdempotent(method, path)) headers['idempotency-key'] = randomUUID();
    const until = performance.now() + GIVE_UP_MS;
    for (;;) {
      const answer = await attempt(method, path, { headers, body: body && JSON.stringify(body) });
      if (answer && !isPassing(answer)) return answer;
      if (performance.now() > until)
        throw new Error(`${method} ${path} had no answer for ${GIVE_UP_MS / 1000} s`);
      repeats += 1;
      await delay(PAUSE_MS);
    }
  }

  /** Null when there was no answer. */
  async function attempt(
    method: string,
    path: string,
    init: { headers: Record<string, string>; body?: string },
  ) {
    try {
      const response = await fetch(new URL(path, baseUrl), {
        method,
        ...init,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    } catch {
      return null;
    }
  }

  return { get: (path) => send('GET', path), send, repeats: () => repeats };
}

const isPassing = ({ status, body }: Answer): boolean =>
  status >= 500 || status === 429 || (status === 409 && STILL_RUNNING.test(body?.message ?? ''));
