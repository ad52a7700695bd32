/**
 * When an endpoint is not to be sent to. Counted per process from the attempts it makes; what follows from it (open,
 * draining, disabled) is in the endpoint's row, where every process sees it.
 */
import type { AttemptResult } from './delivery.ts';

export interface EndpointHealth {
  failuresInARow: number;
  /** Attempts of the last minute, oldest first. */
  recent: Array<{ at: number; failed: boolean }>;
}

export const HEALTHY: EndpointHealth = { failuresInARow: 0, recent: [] };

const IN_A_ROW_MAX = 5;
const WINDOW_MS = 60_000;
const WINDOW_ATTEMPTS_MIN = 20;
const WINDOW_FAILED_SHARE = 0.5;
const RECENT_MAX = 1_000;

export function observed(
  health: EndpointHealth,
  { verdict }: Pick<AttemptResult, 'verdict'>,
  now: number,
): EndpointHealth {
  const failed = verdict !== 'delivered';
  const recent = health.recent.filter(({ at }) => at > now - WINDOW_MS).slice(-RECENT_MAX + 1);
  return { failuresInARow: failed ? health.failuresInARow + 1 : 0, recent: [...recent, { at: now, failed }] };
}

/** Whether the breaker opens after this attempt. */
export function opensBreaker(
  { failuresInARow, recent }: EndpointHealth,
  verdict: AttemptResult['verdict'],
): boolean {
  if (verdict === 'throttled') return true;
  if (failuresInARow >= IN_A_ROW_MAX) return true;
  const failures = recent.filter(({ failed }) => failed).length;
  return recent.length >= WINDOW_ATTEMPTS_MIN && failures / recent.length >= WINDOW_FAILED_SHARE;
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
