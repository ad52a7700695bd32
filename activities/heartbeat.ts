import { heartbeat } from '@temporalio/activity';

const HEARTBEAT_INTERVAL_MS = 2_000;

/** The activity with heartbeats while it runs, so that Temporal notices within seconds that its worker has died. */
export function withHeartbeat<Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    heartbeat();
    const timer = setInterval(() => heartbeat(), HEARTBEAT_INTERVAL_MS);
    try {
      return await activity(...args);
    } finally {
      clearInterval(timer);
    }
  };
}
