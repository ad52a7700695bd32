/** The last step of every failure: a status, the common error body, and a link to its documentation. */
import { AppError, type ErrorKind } from '../process/errors.ts';
import { type ErrorStatus, helpLink } from './error-help.ts';

export interface ErrorBody {
  success: false;
  message: string;
}

export const errorBody = (message: string): ErrorBody => ({ success: false, message });

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

export interface RenderedError {
  status: ErrorStatus;
  body: ErrorBody;
  headers: Record<string, string>;
}

export function renderError(error: unknown): RenderedError {
  if (error instanceof AppError) {
    const status = STATUS[error.kind];
    return { status, body: errorBody(error.message), headers: { ...error.headers, ...helpLink(status) } };
  }
  return { status: 500, body: errorBody('Something went wrong on our side'), headers: helpLink(500) };
}
