/** Requests of a customer to the API of a bench. */
import { Agent, request } from 'undici';
import type { Fleet } from './fleet.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Returns the body. @throws when the request does not succeed. */
export type Send = <Body = unknown>(method: Method, path: string, body?: object) => Promise<Body>;

export function createCustomer(
  apiUrl: string,
  { apiKey }: Pick<Fleet, 'apiKey'>,
  dispatcher = new Agent({ headersTimeout: 120_000 }),
): Send {
  return async (method, path, body) => {
    const response = await request(apiUrl + path, {
      method,
      dispatcher,
      body: body && JSON.stringify(body),
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${path} answered ${response.statusCode}: ${text}`);
    return text && JSON.parse(text);
  };
}

export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  return { value: await work(), ms: performance.now() - startedAt };
}
