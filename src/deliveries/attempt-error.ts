/** Describes why an attempt got no answer, without naming an address. */
import { unavailable } from '../process/errors.ts';
import { NoTurn } from '../process/keyed-semaphore.ts';
import type { AttemptResult } from './delivery.ts';

export class AddressRefused extends Error {}
/** Answers of 1xx without an end. */
export class TooManyInterim extends Error {}

export function isAddressRefused(error: unknown): boolean {
  if (error instanceof AddressRefused) return true;
  if (error instanceof AggregateError) return error.errors.some(isAddressRefused);
  return error instanceof Error && error.cause !== undefined && isAddressRefused(error.cause);
}

const NOT_FOUND = 'the host name was not found';
const NOT_LOOKED_UP = 'the host name could not be looked up';

const ERROR_TEXTS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  ENOTFOUND: NOT_FOUND,
  EAI_AGAIN: NOT_LOOKED_UP,
  UND_ERR_HEADERS_OVERFLOW: 'the header fields of the answer were too long',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
};

const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

export const isClosedConnection = (error: unknown): boolean =>
  CLOSED.includes(String((error as { code?: unknown }).code));

/**
 * The client fails with this assertion when a receiver answers 101 to a request that asked for no upgrade.
 */
const UNASKED_PROTOCOL = 'ERR_ASSERTION';
const NOT_HTTP = ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', UNASKED_PROTOCOL];

export function describeError(error: unknown): string {
  if (isAddressRefused(error)) return 'the URL leads to an address that is not public';
  const code = String((error as { code?: unknown }).code ?? '');
  const known = ERROR_TEXTS[code];
  if (known) return known;
  if (
    error instanceof TooManyInterim ||
    (error as Error).name === 'HTTPParserError' ||
    NOT_HTTP.includes(code)
  )
    return 'the answer was not valid HTTP';
  if (/CERT|SSL|TLS|SELF_SIGNED|VERIFY|ISSUER|EPROTO/.test(code)) return `TLS failed (${code})`;
  return 'the request failed';
}

/**
 * The error in the answer of a test, which does not reveal the names that exist in the operator's network.
 */
export function describeTest({ verdict, error }: Pick<AttemptResult, 'verdict' | 'error'>): string | null {
  const isHidden = verdict === 'blocked' || error === NOT_FOUND || error === NOT_LOOKED_UP;
  return isHidden ? 'not reachable' : error;
}

/** For tests of a receiver, which are made in a request. */
export function refuseWithoutTurn(error: unknown): never {
  if (!(error instanceof NoTurn)) throw error;
  throw unavailable('Too many host names are being looked up at present: try again soon', 5);
}
