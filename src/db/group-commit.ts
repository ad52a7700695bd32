/**
 * Many callers, one transaction: a caller submits an item and gets a promise of its own result. While a batch is under
 * way the next one gathers, so batches grow with the load and a lone item never waits. Where a batch costs much more
 * than an item, `gather` lets items wait some milliseconds for others.
 *
 * A batch that fails is split in half until the bad item is alone, so it never fails its neighbours. A fault common to
 * all items, such as an unavailable database, fails the whole batch at once.
 */
import { isUnavailable } from './faults.ts';

export interface GroupCommitOptions<Item, Result> {
  /** Runs the items in one transaction; results in the order of the items. */
  commit(items: Item[]): Promise<Result[]>;
  /** True for faults that splitting cannot help. Default: the database is unavailable. */
  isCommonFault?(error: unknown): boolean;
  maxItems: number;
  /** Limits batches of large items: a batch ends before the item that would exceed `max`. */
  weight?: { of(item: Item): number; max: number };
  /** Batches under way at the same time. */
  concurrency: number;
  /** A batch starts when `enough` items wait, or when the first has waited for `ms`. Default: at once. */
  gather?: { enough: number; ms: number };
  /** Waiting items at most; further ones are rejected with the error of `overloaded`. Default: no limit. */
  maxWaiting?: number;
  overloaded?(): Error;
}

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupCommit<Item, Result> {
  submit(item: Item): Promise<Result>;
}

export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const waiting: Array<Waiting<Item, Result>> = [];
  const { isCommonFault = isUnavailable, maxWaiting = Number.POSITIVE_INFINITY } = options;
  const { overloaded = () => new Error('Too many items are waiting') } = options;
  const { enough, ms: gatherMs } = options.gather ?? { enough: 1, ms: 0 };
  let underWay = 0;
  let isDue = false;
  let isTimed = false;

  /** Not before the end of this turn of the event loop, which may bring further items. */
  function pumpSoon(): void {
    const first = waiting[0];
    if (!first || isDue || underWay >= options.concurrency) return;
    const waitMs = waiting.length >= enough ? 0 : first.since + gatherMs - performance.now();
    if (waitMs <= 0) {
      isDue = true;
      setImmediate(pump);
    } else if (!isTimed) {
      isTimed = true;
      setTimeout(pumpOnTime, waitMs);
    }
  }

  function pumpOnTime(): void {
    isTimed = false;
    pumpSoon();
  }

  async function pump(): Promise<void> {
    isDue = false;
    if (waiting.length === 0 || underWay >= options.concurrency) return;
    underWay++;
    const batch = waiting.splice(0, nextBatchSize());
    pumpSoon();
    await settle(batch);
    underWay--;
    pumpSoon();
  }

  function nextBatchSize(): number {
    const { weight, maxItems } = options;
    if (!weight) return maxItems;
    let total = 0;
    const size = waiting.findIndex(({ item }, index) => {
      total += weight.of(item);
      return index === maxItems || (index > 0 && total > weight.max);
    });
    return size === -1 ? waiting.length : size;
  }

  async function settle(batch: Array<Waiting<Item, Result>>): Promise<void> {
    try {
      const results = await options.commit(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      if (batch.length === 1 || isCommonFault(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await settle(batch.slice(0, half));
      await settle(batch.slice(half));
    }
  }

  return {
    submit(item) {
      if (waiting.length >= maxWaiting) return Promise.reject(overloaded());
      return new Promise((resolve, reject) => {
        waiting.push({ item, since: performance.now(), resolve, reject });
        pumpSoon();
      });
    },
  };
}
