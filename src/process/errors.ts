/** What went wrong, in the words of the domain; `http/render-error.ts` alone knows status codes. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'unavailable';

export interface ErrorDetails {
  /** The fault below this one; logged, never shown. */
  cause?: unknown;
  /** Response headers that belong to the error: `Allow`, `Retry-After`. */
  headers?: Record<string, string>;
}

/** An error whose message is meant for the caller. Everything else that is thrown is a defect and shows as 500. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly headers: Record<string, string>;

  constructor(kind: ErrorKind, publicMessage: string, { cause, headers = {} }: ErrorDetails = {}) {
    super(publicMessage, { cause });
    this.name = 'AppError';
    this.kind = kind;
    this.headers = headers;
  }
}

export const invalid = (message: string) => new AppError('invalid', message);
export const notFound = (message: string) => new AppError('not_found', message);
export const conflict = (message: string) => new AppError('conflict', message);
