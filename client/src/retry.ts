/** When a request is repeated. */
export interface RetryPolicy {
  /** Maximum number of further attempts. */
  retries: number;
  /** Wait before the first of them; doubles each time, with jitter. */
  firstMs: number;
  maxMs: number;
  /** Maximum `Retry-After` that is waited for; with a longer one, the failure is thrown at once. */
  retryAfterMaxMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  retries: 4,
  firstMs: 250,
  maxMs: 10_000,
  retryAfterMaxMs: 60_000,
};

/** The service did nothing, because it or a dependency was unavailable or overloaded. */
const REFUSED = new Set([429, 503]);
/** A failure in the service, or between client and service, which may have done its work. */
const LOST = new Set([408, 500, 502, 504]);
/** How often the answer of a request is asked for whose first attempt is still running, a second apart. */
const RUNNING_MAX = 100;

export interface Failure {
  /** Null without an answer. */
  status: number | null;
  retryAfterMs: number | null;
  /** Whether sending the request twice has the effect of sending it once. */
  isRepeatable: boolean;
}

/**
 * Milliseconds until the next attempt; null when there is none. `attempt` counts failures from 1, and apart from them the
 * answers that the request still runs.
 */
export function retryInMs(
  failure: Failure,
  attempt: number,
  policy: RetryPolicy,
  random = Math.random(),
): number | null {
  if ((failure.retryAfterMs ?? 0) > policy.retryAfterMaxMs) return null;
  if (isRunning(failure)) return policy.retries > 0 && attempt <= RUNNING_MAX ? failure.retryAfterMs : null;
  if (attempt > policy.retries || !mayHelp(failure)) return null;
  const backoff = Math.min(policy.maxMs, policy.firstMs * 2 ** (attempt - 1));
  return Math.max(failure.retryAfterMs ?? 0, Math.round(backoff * (0.5 + random / 2)));
}

/** The service may have done its work. */
export const isLost = (status: number | null): boolean => status === null || LOST.has(status);

/** The service answers so to a repeat while it still works on the request with the same `Idempotency-Key`. */
export const isRunning = ({ status, retryAfterMs, isRepeatable }: Failure): boolean =>
  status === 409 && retryAfterMs !== null && isRepeatable;

function mayHelp({ status, isRepeatable }: Failure): boolean {
  if (status !== null && REFUSED.has(status)) return true;
  return isRepeatable && isLost(status);
}
