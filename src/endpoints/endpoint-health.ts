/**
 * When an endpoint is not to be sent to. Counted per process from the attempts it makes; what follows from it (open,
 * draining, disabled) is in the endpoint's row, where every process sees it.
 */

/** What one attempt to send to an endpoint came to. */
export type Verdict = 'delivered' | 'retry' | 'throttled' | 'gone' | 'blocked';

export interface EndpointHealth {
  failuresInARow: number;
  /** Counts of the last minute by slot of time, oldest first: a handful, however many attempts there were. */
  recent: Slot[];
}

interface Slot {
  startsAt: number;
  attempts: number;
  failures: number;
}

export const HEALTHY: EndpointHealth = { failuresInARow: 0, recent: [] };

const IN_A_ROW_MAX = 5;
const SLOT_MS = 5_000;
const WINDOW_MS = 60_000;
const WINDOW_ATTEMPTS_MIN = 20;
const WINDOW_FAILED_SHARE = 0.5;

export function observed(
  { failuresInARow, recent }: EndpointHealth,
  { verdict }: { verdict: Verdict },
  now: number,
): EndpointHealth {
  const failed = verdict !== 'delivered';
  const last = recent.at(-1);
  const isSame = last !== undefined && now < last.startsAt + SLOT_MS;
  const slot = isSame ? last : { startsAt: now, attempts: 0, failures: 0 };
  const earlier = isSame ? recent.slice(0, -1) : recent.filter(({ startsAt }) => startsAt > now - WINDOW_MS);
  const counted = { ...slot, attempts: slot.attempts + 1, failures: slot.failures + (failed ? 1 : 0) };
  return { failuresInARow: failed ? failuresInARow + 1 : 0, recent: [...earlier, counted] };
}

/** Whether the breaker opens after this attempt. */
export function opensBreaker({ failuresInARow, recent }: EndpointHealth, verdict: Verdict): boolean {
  if (verdict === 'throttled') return true;
  if (failuresInARow >= IN_A_ROW_MAX) return true;
  const attempts = recent.reduce((sum, slot) => sum + slot.attempts, 0);
  const failures = recent.reduce((sum, slot) => sum + slot.failures, 0);
  return attempts >= WINDOW_ATTEMPTS_MIN && failures / attempts >= WINDOW_FAILED_SHARE;
}

export interface ProbePlan {
  firstMs: number;
  /** Share of the time that the endpoint has been failing. */
  share: number;
  maxMs: number;
}

/** Soon after a short outage, rarely in a long one: a receiver that comes back is noticed within a tenth of its absence. */
export const PROBE_PLAN: ProbePlan = { firstMs: 5_000, share: 0.1, maxMs: 5 * 60_000 };

export function probeWaitMs(failingForMs: number, retryAfterMs: number | null, plan: ProbePlan): number {
  const planned = Math.min(Math.max(plan.firstMs, failingForMs * plan.share), plan.maxMs);
  return Math.max(planned, retryAfterMs ?? 0);
}

/** Requests per second while draining: 1, 2, 4 … up to the limit. */
export const nextPace = (pace: number, limit: number) => Math.min(pace * 2, limit);
