import { randomUUID } from 'node:crypto';

const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** The caller's own id when it is harmless in headers and logs, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTED.test(header) ? header : randomUUID();
}
