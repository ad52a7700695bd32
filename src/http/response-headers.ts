/** Headers that every response has, also one that the application never saw. */
import { randomUUID } from 'node:crypto';
import { maskKeys } from '../process/mask-keys.ts';

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** The caller's own id when it is harmless in headers and logs, and holds no key; else a new one. */
export function chooseRequestId(header?: string | string[]): string {
  const isHarmless = typeof header === 'string' && ACCEPTED.test(header) && maskKeys(header) === header;
  return isHarmless ? header : randomUUID();
}

export const commonHeaders = (requestId: string) => ({
  'Request-Id': requestId,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
});
