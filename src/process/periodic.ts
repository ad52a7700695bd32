import { setTimeout as delay } from 'node:timers/promises';

export interface Periodic {
  stop(): Promise<void>;
}

interface PeriodicOptions {
  /** After long work, but for the first, the wait grows up to ten seconds, so that the work takes at most this share. Default: 1. */
  maxShare?: number;
  /** A monotonic clock, in milliseconds. */
  now?(): number;
  /** Ends with the signal at the latest. */
  pause?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** A round that a fault or a busy machine slowed down does not put off the next one for minutes. */
const LONGEST_REST_MS = 10_000;

/** Runs the work, waits, and repeats: never two at a time, and even after a fault. */
export function startPeriodic(
  intervalMs: number | (() => number),
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
  { maxShare = 1, now = () => performance.now(), pause = untilAborted }: PeriodicOptions = {},
): Periodic {
  const stopping = new AbortController();
  async function run(): Promise<void> {
    // The start of the process, which takes seconds of the processor, slows the first round down.
    for (let share = 1; !stopping.signal.aborted; share = maxShare) {
      const startedAt = now();
      await work().catch(onFault);
      const restMs = Math.min((now() - startedAt) * (1 / share - 1), LONGEST_REST_MS);
      const waitMs = typeof intervalMs === 'number' ? intervalMs : intervalMs();
      await pause(Math.max(waitMs, restMs), stopping.signal);
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

const untilAborted = (ms: number, signal: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => {});
