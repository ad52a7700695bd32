import { setTimeout as delay } from 'node:timers/promises';

export type Pace = <T>(piece: () => Promise<T>) => Promise<T>;

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
 * Paces long work beside short requests: its pieces run one at a time, in turn, each followed by a pause
 * twice as long as it took. All of it together takes a third of the process, and less when the process is
 * busy. Pauses may be owed up to `burstMs`, so short work after an idle time runs without a pause.
 */
export function createPacer(options: PacerOptions = {}): Pace {
  const { burstMs = 0, now = () => performance.now() } = options;
  const { pause = (ms) => delay(ms, undefined, { ref: false }) } = options;
  let last: Promise<unknown> = Promise.resolve();
  /** When all pauses so far would be over. */
  let restedAt = 0;

  async function pauseAfter(tookMs: number): Promise<void> {
    const endedAt = now();
    restedAt = Math.max(restedAt, endedAt) + Math.min(PAUSE_FACTOR * tookMs, PAUSE_MS_MAX);
    const pauseMs = restedAt - endedAt - burstMs;
    if (pauseMs > 0) await pause(pauseMs);
  }

  return (piece) => {
    const turn = last.then(async () => {
      const startedAt = now();
      const result = await piece();
      return { result, tookMs: now() - startedAt };
    });
    last = turn.then(
      ({ tookMs }) => pauseAfter(tookMs),
      () => {},
    );
    return turn.then(({ result }) => result);
  };
}
