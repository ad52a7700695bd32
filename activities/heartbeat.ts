import { Context, heartbeat } from '@temporalio/activity';

const HEARTBEAT_INTERVAL_MS = 2_000;
/** How the SDK names the reason of a cancellation. */
const WORKER_SHUTDOWN = 'WORKER_SHUTDOWN';

/**
 * The activity with heartbeats while it runs, so that Temporal notices within seconds that its worker has died. A worker
 * that stops answers with a failure what does not end in time, so another worker repeats it at once.
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
    // A cancellation that nobody asked for would not be repeated.
    if (reason.message === WORKER_SHUTDOWN)
      throw new Error('The worker stops: another one repeats this step');
    throw reason;
  });
