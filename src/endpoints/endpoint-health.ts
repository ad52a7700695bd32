/**
 * Decides when to stop sending to an endpoint. Each process counts its own attempts; the resulting state
 * (open, draining, disabled) is stored in the endpoint's row, for all processes.
 */

/**
 * closed: deliveries are sent; open: only a probe is sent; draining: the backlog is sent at a growing pace.
 */
export type Breaker = 'closed' | 'open' | 'draining';

/** The outcome of one attempt to send to an endpoint. */
export type Verdict = 'delivered' | 'retry' | 'throttled' | 'gone' | 'blocked';

export interface EndpointHealth {
  failuresInARow: number;
  /** Counts of the last minute by time slot, oldest first: at most a dozen slots, however many attempts there were. */
  recent: Slot[];
  /** The recovery that these counts follow; null: the endpoint has not recovered from an outage. */
  recoveredAtMs: number | null;
}

interface Slot {
  startsAtMs: number;
  attempts: number;
  failures: number;
}

export const HEALTHY: EndpointHealth = { failuresInARow: 0, recent: [], recoveredAtMs: null };

const IN_A_ROW_MAX = 5;
const SLOT_MS = 5_000;
const WINDOW_MS = 60_000;
const WINDOW_ATTEMPTS_MIN = 20;
const WINDOW_FAILED_SHARE = 0.5;

export function withAttempt(
  { failuresInARow, recent, recoveredAtMs }: EndpointHealth,
  { verdict }: { verdict: Verdict },
  nowMs: number,
): EndpointHealth {
  const failed = verdict !== 'delivered';
  const last = recent.at(-1);
  const isCurrent = last !== undefined && nowMs < last.startsAtMs + SLOT_MS;
  const slot = isCurrent ? last : { startsAtMs: nowMs, attempts: 0, failures: 0 };
  const earlier = isCurrent
    ? recent.slice(0, -1)
    : recent.filter(({ startsAtMs }) => startsAtMs > nowMs - WINDOW_MS);
  const counted = { ...slot, attempts: slot.attempts + 1, failures: slot.failures + (failed ? 1 : 0) };
  return { failuresInARow: failed ? failuresInARow + 1 : 0, recent: [...earlier, counted], recoveredAtMs };
}

/**
 * Drops counts from before the latest recovery, which another process may have found: failures of an outage
 * say nothing about a receiver that is back. The times are compared for equality only, so no clock matters.
 */
export const sinceRecovery = (health: EndpointHealth, recoveredAtMs: number | null): EndpointHealth =>
  health.recoveredAtMs === recoveredAtMs ? health : { ...HEALTHY, recoveredAtMs };

/** Whether the breaker opens after this attempt, also while the backlog is drained. */
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

/** Probes soon after a short outage and rarely in a long one: recovery is noticed within a tenth of the outage. */
export const PROBE_PLAN: ProbePlan = { firstMs: 5_000, share: 0.1, maxMs: 15 * 60_000 };

export function probeWaitMs(failingForMs: number, retryAfterMs: number | null, plan: ProbePlan): number {
  const planned = Math.min(Math.max(plan.firstMs, failingForMs * plan.share), plan.maxMs);
  return Math.max(planned, retryAfterMs ?? 0);
}
