import { parseRetryAfter } from './http-fields.ts';

/** An answer of the service other than success. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** The id of the request in the log of the service; include it in reports to its operators. */
  readonly requestId: string | null;
  /** Set when the service asked to wait. */
  readonly retryAfterMs: number | null;

  constructor(message: string, status: number, requestId: string | null, retryAfterMs: number | null) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  const message = messageIn(text) ?? `The service answered ${status}`;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), new Date());
  return new ApiError(message, status, headers.get('request-id'), retryAfterMs);
}

function messageIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    const message = body !== null && typeof body === 'object' && 'message' in body ? body.message : null;
    return typeof message === 'string' ? message : null;
  } catch {
    return null;
  }
}
