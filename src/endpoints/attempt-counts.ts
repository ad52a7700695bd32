/** Counts of attempts per endpoint and hour. */
import type { LAST_STATUSES } from './endpoint.ts';

export interface AttemptCounts {
  delivered: number;
  failed: number;
  /** Total of all attempts. */
  durationMs: number;
  durationMaxMs: number;
}

export function countAttempt(status: (typeof LAST_STATUSES)[number], durationMs: number): AttemptCounts {
  const isDelivered = status === 'delivered';
  return {
    delivered: isDelivered ? 1 : 0,
    failed: isDelivered ? 0 : 1,
    durationMs,
    durationMaxMs: durationMs,
  };
}

export const addCounts = (a: AttemptCounts, b: AttemptCounts): AttemptCounts => ({
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  durationMs: a.durationMs + b.durationMs,
  durationMaxMs: Math.max(a.durationMaxMs, b.durationMaxMs),
});
