/**
 * The pace of draining a backlog. It grows while the receiver keeps up, and falls when too many requests
 * fail; a receiver with few failures still gets as much as it can handle.
 */

/** Outcomes of the requests of one or more seconds. */
export interface Requests {
  sent: number;
  failed: number;
}

/** The state of a drain between two seconds. */
export interface DrainPace {
  /** Requests per second. */
  pace: number;
  /** Requests since the share of failures was last evaluated, too few for a reliable share. */
  unevaluated: Requests;
}

const NONE: Requests = { sent: 0, failed: 0 };
const GROWTH = { afterNone: 2, afterSome: 1.25 };
const FAILED_SHARE_MAX = 0.25;
/**
 * With fewer requests, a receiver that fails one in five at random too often appears to fail one in four:
 * with 20 in 37 % of the cases, with 50 in 19 %.
 */
const EVALUATED_MIN = 50;

export const startPace = (pace: number): DrainPace => ({ pace, unevaluated: NONE });

/** The pace of the next second, at least 1. */
export function nextPace({ pace, unevaluated }: DrainPace, second: Requests, paceMax: number): DrainPace {
  const seen = { sent: unevaluated.sent + second.sent, failed: unevaluated.failed + second.failed };
  const isEvaluated = seen.sent >= EVALUATED_MIN;
  if (isEvaluated && seen.failed >= seen.sent * FAILED_SHARE_MAX) return startPace(Math.max(pace / 2, 1));
  const growth = second.failed === 0 ? GROWTH.afterNone : GROWTH.afterSome;
  return { pace: Math.min(pace * growth, paceMax), unevaluated: isEvaluated ? NONE : seen };
}
