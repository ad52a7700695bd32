/**
 * The kinds of steps of runs: how long one may take, and how it is repeated. Heartbeats show Temporal within seconds
 * that a worker has died.
 */
import type { ActivityFunctionWithOptions } from '@temporalio/workflow';

const COMMON = {
  heartbeatTimeout: '8 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const;

/** One transaction of few rows, whose statements have a time limit of their own. */
export const BRIEF = { ...COMMON, startToCloseTimeout: '2 minutes' } as const;

/** Requests to a receiver for some seconds. Each request has a deadline. */
export const SENDING = { ...COMMON, startToCloseTimeout: '5 minutes' } as const;

/** A transaction per chunk of devices: takes longer the more devices there are. */
export const CHUNKED = { ...COMMON, startToCloseTimeout: '1 hour' } as const;

/** The step with a line that the Temporal UI shows beside it. */
export const titled =
  <Args extends unknown[], Result>(
    summary: string,
    step: ActivityFunctionWithOptions<(...args: Args) => Promise<Result>>,
  ) =>
  (...args: Args): Promise<Result> =>
    step.executeWithOptions({ summary }, args) as Promise<Result>;
