/** Headers of every response, including responses sent outside of the application. */
import { randomUUID } from 'node:crypto';
import { maskKeys } from '../process/mask-keys.ts';

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Uses the caller's own id if it is safe in headers and logs and contains no key; else a new one. */
export function chooseRequestId(header?: string | string[]): string {
  const isHarmless = typeof header === 'string' && ACCEPTED.test(header) && maskKeys(header) === header;
  return isHarmless ? header : randomUUID();
}

export const commonHeaders = (requestId: string) => ({
  'Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});
