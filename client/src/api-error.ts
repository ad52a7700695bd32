/** An answer of the service that is no success. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** As the log of the service has it: worth telling its operators. */
  readonly requestId: string | null;
  /** When the service asked to wait. */
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
  return new ApiError(message, status, headers.get('request-id'), readRetryAfter(headers.get('retry-after')));
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

/** RFC 9110, 10.2.3: seconds, or a date. */
export function readRetryAfter(value: string | null, now = Date.now()): number | null {
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
