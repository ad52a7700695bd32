/** When a request is sent again. */
export interface RetryPolicy {
  /** Further attempts at most. */
  retries: number;
  /** Before the first of them; doubles each time, with jitter. */
  firstMs: number;
  maxMs: number;
}

export const RETRY_POLICY: RetryPolicy = { retries: 4, firstMs: 250, maxMs: 10_000 };

/** The service did nothing: it was too busy, or what it needs was away. */
const REFUSED = new Set([429, 503]);
/** Something between client and service failed: the service may have done its work. */
const LOST = new Set([502, 504]);

export interface Failure {
  /** Null when there was no answer. */
  status: number | null;
  retryAfterMs: number | null;
  /** Sending the request twice does no more than sending it once. */
  isRepeatable: boolean;
}

/** Milliseconds until the attempt after `attempt` (1 is the first); null when it is not to be repeated. */
export function retryInMs(
  failure: Failure,
  attempt: number,
  policy: RetryPolicy,
  random = Math.random(),
): number | null {
  if (attempt > policy.retries || !mayHelp(failure)) return null;
  const backoff = Math.min(policy.maxMs, policy.firstMs * 2 ** (attempt - 1));
  return Math.max(failure.retryAfterMs ?? 0, Math.round(backoff * (0.5 + random / 2)));
}

function mayHelp({ status, isRepeatable }: Failure): boolean {
  if (status !== null && REFUSED.has(status)) return true;
  return isRepeatable && (status === null || LOST.has(status));
}
