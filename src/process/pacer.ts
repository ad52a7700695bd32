import { setTimeout as delay } from 'node:timers/promises';

export type Pace = <T>(piece: () => Promise<T>) => Promise<T>;

const PAUSE_FACTOR = 2;
/** A piece that waited long for the database need not hold up the others for even longer. */
const PAUSE_MS_MAX = 500;

/**
 * For long work beside short requests: its pieces run one at a time, in turn, each followed by a pause twice as long
 * as it took. So all of it together takes a third of the process, and less when the process is busy.
 */
export function createPacer(): Pace {
  let last: Promise<unknown> = Promise.resolve();
  return (piece) => {
    const turn = last.then(async () => {
      const startedAt = performance.now();
      const result = await piece();
      return { result, tookMs: performance.now() - startedAt };
    });
    last = turn.then(
      ({ tookMs }) => delay(Math.min(PAUSE_FACTOR * tookMs, PAUSE_MS_MAX), undefined, { ref: false }),
      () => {},
    );
    return turn.then(({ result }) => result);
  };
}
