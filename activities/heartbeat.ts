import { Context, heartbeat } from '@temporalio/activity';

const HEARTBEAT_INTERVAL_MS = 2_000;
/** The SDK's message for cancellations by a stopping worker. */
const WORKER_SHUTDOWN = 'WORKER_SHUTDOWN';

/**
 * Wraps an activity with heartbeats, so that Temporal notices within seconds that its worker has died. A
 * stopping worker fails activities that do not end in time, so another worker repeats them at once.
 */
export function withHeartbeat<Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    const timer = setInterval(() => heartbeat(), HEARTBEAT_INTERVAL_MS);
    try {
      return await Promise.race([activity(...args), untilCancelled()]);
    } finally {
      clearInterval(timer);
    }
  };
}

/** Only rejects. */
const untilCancelled = (): Promise<never> =>
  Context.current().cancelled.catch((reason: Error) => {
    // Any other cancellation is passed on: a failure in its place would be repeated.
    if (reason.message === WORKER_SHUTDOWN)
      throw new Error('The worker stops: another one repeats this step');
    throw reason;
  });
