/** The last step of every failure: a status, the common error body, and a link to its documentation. */
import { AppError, type ErrorKind } from '../process/errors.ts';

export const errorBody = (message: string) => ({ success: false, message });

const STATUS: Record<ErrorKind, ErrorStatus> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  unavailable: 503,
};

interface RenderedError {
  status: ErrorStatus;
  body: ReturnType<typeof errorBody>;
  headers: Record<string, string>;
}

export function renderError(error: unknown): RenderedError {
  if (error instanceof AppError) {
    const status = STATUS[error.kind];
    return { status, body: errorBody(error.message), headers: { ...error.headers, ...helpLink(status) } };
  }
  return { status: 500, body: errorBody('Something went wrong on our side'), headers: helpLink(500) };
}

/** Links to the documentation of errors: each status has a section in docs/errors.md. */
export const ERROR_SECTIONS = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  408: 'request-timeout',
  409: 'conflict',
  413: 'too-large',
  415: 'unsupported-media-type',
  422: 'idempotency-mismatch',
  429: 'rate-limited',
  431: 'headers-too-large',
  500: 'internal',
  503: 'unavailable',
} as const;

export type ErrorStatus = keyof typeof ERROR_SECTIONS;

/** Relative, since only proxies know the public address of the service. */
export const helpLink = (status: ErrorStatus) => ({
  Link: `</docs/errors#${ERROR_SECTIONS[status]}>; rel="help"`,
});
