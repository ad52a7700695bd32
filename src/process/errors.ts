/** Errors in terms of the domain; only `http/render-error.ts` knows status codes. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'unavailable';

interface ErrorDetails {
  /** The underlying fault: logged, never shown to the caller. */
  cause?: unknown;
  /** Response headers that belong to the error: `Allow`, `Retry-After`. */
  headers?: Record<string, string>;
}

/**
 * An error whose message is meant for the caller. Any other thrown value is a defect and answered with 500.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly headers: Record<string, string>;

  constructor(kind: ErrorKind, publicMessage: string, { cause, headers = {} }: ErrorDetails = {}) {
    super(publicMessage, { cause });
    this.kind = kind;
    this.headers = headers;
  }
}

export const invalid = (message: string) => new AppError('invalid', message);
export const notFound = (message: string) => new AppError('not_found', message);

/** @throws not found when there is none */
export function orNotFound<Thing>(thing: Thing | null | undefined, message: string): Thing {
  if (!thing) throw notFound(message);
  return thing;
}
export const conflict = (message: string) => new AppError('conflict', message);
export const rateLimited = (message: string, retryAfterSeconds: number) =>
  new AppError('rate_limited', message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
export const unavailable = (message: string, retryAfterSeconds: number, cause?: unknown) =>
  new AppError('unavailable', message, { cause, headers: { 'Retry-After': String(retryAfterSeconds) } });

/** The message of an error of the database: Knex puts the whole statement, with its values, before it. */
export const withoutStatement = (message: string): string => message.split(' - ').at(-1) as string;

/** For a change that another one may have made unnecessary meanwhile. */
export function ignoreConflict(error: unknown): void {
  if (!(error instanceof AppError && error.kind === 'conflict')) throw error;
}
