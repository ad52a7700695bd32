/** JSON over HTTP to the service, over many connections: for registrations, and for devices without CoAP. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { parseRetryAfter } from '../../client/src/http-fields.ts';

export interface ServiceAnswer {
  status: number;
  /** Parsed; undefined when the response has none. */
  body: unknown;
}

export interface ServiceClient {
  /** Waits and repeats after a 429. Rejects when there is no response. */
  send(method: Method, path: string, body?: object): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ServiceClientOptions {
  baseUrl: string;
  key: string;
}

const CONNECTIONS = 64;
const TIMEOUT_MS = 15_000;
const SLOW_DOWN_MAX = 20;

export function createServiceClient({ baseUrl, key }: ServiceClientOptions): ServiceClient {
  const agent = new Agent({ connections: CONNECTIONS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });

  async function send(method: Method, path: string, body?: object, tries = 0): Promise<ServiceAnswer> {
    const response = await request(new URL(path, baseUrl), {
      method,
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode === 429 && tries < SLOW_DOWN_MAX) {
      const [retryAfter] = [response.headers['retry-after']].flat();
      await sleep(Math.max(1_000, parseRetryAfter(retryAfter, new Date()) ?? 0));
      return send(method, path, body, tries + 1);
    }
    return { status: response.statusCode, body: parsed(text) };
  }

  return { send: (method, path, body) => send(method, path, body), close: () => agent.destroy() };
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
