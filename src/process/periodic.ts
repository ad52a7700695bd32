import { setTimeout as delay } from 'node:timers/promises';

export interface Periodic {
  stop(): Promise<void>;
}

/**
 * Runs the work, waits, and repeats: never two at a time, and even after a fault. After long work the wait is longer, so
 * that the work takes at most this share of the time.
 */
export function startPeriodic(
  intervalMs: number,
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
  maxShare = 1,
): Periodic {
  const stopping = new AbortController();
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await work().catch(onFault);
      const restMs = (performance.now() - startedAt) * (1 / maxShare - 1);
      const waitMs = Math.max(intervalMs, restMs);
      await delay(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
