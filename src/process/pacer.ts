import { setTimeout as delay } from 'node:timers/promises';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

/** Runs a piece of the long work of a key, for example of an organization. */
export type Pace = <T>(key: string, piece: () => Promise<T>) => Promise<T>;

interface PacerOptions {
  /** Default: none. */
  burstMs?: number;
  /** A monotonic clock, in milliseconds. */
  now?(): number;
  pause?(ms: number): Promise<unknown>;
}

const PAUSE_FACTOR = 2;
/** A piece that waited long for the database need not delay the others even longer. */
const PAUSE_MS_MAX = 500;

/**
 * Paces long work beside short requests: its pieces run one at a time, each followed by a pause twice as long
 * as it took. All of it together takes a third of the process, and less when the process is busy. Pauses may be
 * owed up to `burstMs`, so short work after an idle time runs without a pause. Keys take turns, so any number of
 * exports of one organization delays another one by a piece, and not by a piece of each.
 */
export function createPacer(options: PacerOptions = {}): Pace {
  const { burstMs = 0, now = () => performance.now() } = options;
  const { pause = (ms) => delay(ms, undefined, { ref: false }) } = options;
  const turns = createKeyedSemaphore({ perKeyMax: 1, totalMax: 1 });
  /** When all pauses so far would be over. */
  let restedAt = 0;

  async function pauseAfter(tookMs: number): Promise<void> {
    const endedAt = now();
    restedAt = Math.max(restedAt, endedAt) + Math.min(PAUSE_FACTOR * tookMs, PAUSE_MS_MAX);
    const pauseMs = restedAt - endedAt - burstMs;
    if (pauseMs > 0) await pause(pauseMs);
  }

  return (key, piece) =>
    new Promise((resolve, reject) => {
      const runPaced = async () => {
        const startedAt = now();
        resolve(await piece());
        await pauseAfter(now() - startedAt);
      };
      turns.run(key, runPaced).catch(reject);
    });
}
