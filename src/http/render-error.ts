/** The last step of every failure: a status and the one error body. */
import { AppError, type ErrorKind } from '../process/errors.ts';

export interface ErrorBody {
  success: false;
  message: string;
}

export const errorBody = (message: string): ErrorBody => ({ success: false, message });

const STATUS: Record<ErrorKind, number> = {
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
  status: number;
  body: ErrorBody;
  headers: Record<string, string>;
}

export function renderError(error: unknown): RenderedError {
  if (error instanceof AppError) {
    return { status: STATUS[error.kind], body: errorBody(error.message), headers: error.headers };
  }
  return { status: 500, body: errorBody('Something went wrong on our side'), headers: {} };
}
