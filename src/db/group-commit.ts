/**
 * Many callers, one transaction: a caller hands in an item and gets a promise of its own result; while one batch is
 * under way the next one gathers, so batches grow with the load and nobody waits for a timer.
 *
 * A batch that fails is split until the item that spoils it stands alone, so a bad item never fails its neighbours.
 * A fault that is nobody's (the database is away) fails the whole batch at once.
 */
export interface GroupCommitOptions<Item, Result> {
  /** Runs the items in one transaction; results in the order of the items. */
  commit(items: Item[]): Promise<Result[]>;
  /** True for faults that splitting cannot help. */
  isCommonFault(error: unknown): boolean;
  maxItems: number;
  /** Bounds a batch of large items, too: it takes no more once they weigh so much together. */
  weight?: { of(item: Item): number; max: number };
  /** Batches under way at the same time. */
  concurrency: number;
  /** Waiting items at most; more are refused with the error that `overloaded` makes. */
  maxWaiting: number;
  overloaded(): Error;
}

interface Waiting<Item, Result> {
  item: Item;
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
  let underWay = 0;
  let isPumpDue = false;

  /** After what else this turn of the event loop brings in. */
  function pumpSoon(): void {
    if (isPumpDue || underWay >= options.concurrency) return;
    isPumpDue = true;
    setImmediate(() => {
      isPumpDue = false;
      void pump();
    });
  }

  async function pump(): Promise<void> {
    if (underWay >= options.concurrency || waiting.length === 0) return;
    underWay++;
    await settle(waiting.splice(0, nextBatchSize()));
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
      if (batch.length === 1 || options.isCommonFault(error)) {
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
      if (waiting.length >= options.maxWaiting) return Promise.reject(options.overloaded());
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        pumpSoon();
      });
    },
  };
}
