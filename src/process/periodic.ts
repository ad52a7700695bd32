import { setTimeout as delay } from 'node:timers/promises';

export interface Periodic {
  stop(): Promise<void>;
}

/** Runs the work, waits, and repeats: never two at a time, and even after a fault. */
export function startPeriodic(
  intervalMs: number,
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): Periodic {
  const stopping = new AbortController();
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await work().catch(onFault);
      await delay(intervalMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
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
