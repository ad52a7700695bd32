/**
 * Many callers share one transaction: a caller submits an item and gets a promise of its own result. A lone
 * item never waits: the first of a burst starts at once, and while its batch is under way the next one
 * gathers, so batches grow with the load. Where a batch costs much more than an item, `gather` lets items
 * wait some milliseconds longer for others.
 *
 * A batch that fails is split in half until the bad item is alone, and one whose statement takes too long into its
 * items, so a bad item never fails its neighbours. A fault common to all items, such as an unavailable or slow database,
 * fails all that is left of the batch at once.
 */
import { isLockTimeout, isStatementTimeout, isUnavailable } from './faults.ts';
import { type Batch, createLanes, type Entry, type LaneOptions } from './lanes.ts';

export interface GroupCommitOptions<Item, Result> {
  /** Runs the items in one transaction; results in the order of the items. */
  commit(items: Item[]): Promise<Result[]>;
  maxItems: number;
  weight?: LaneOptions<Item>['weight'];
  /** Number of concurrent batches. */
  concurrency: number;
  /** Lanes take turns. Default: one lane. */
  lanes?: Pick<LaneOptions<Item>, 'laneOf' | 'concurrency' | 'isMixed'>;
  keyOf?: LaneOptions<Item>['keyOf'];
  kindOf?: LaneOptions<Item>['kindOf'];
  /** Default: a batch starts as soon as there is room for it. */
  gather?: LaneOptions<Item>['gather'];
  /** Minimum time between the starts of batches, where fewer batches matter more than latency. */
  intervalMs?: number;
  /**
   * Maximum number of waiting items; further ones are rejected with the error of `overloaded`. Default: no
   * limit.
   */
  maxWaiting?: number | LaneOptions<Item>['maxWaiting'];
  overloaded?(): Error;
  observer?: GroupCommitObserver | undefined;
}

/** Reports on a group commit, for the metrics. */
export interface GroupCommitObserver {
  /** Called once, with a function that returns the number of waiting items. */
  observeQueue(countWaiting: () => number): void;
  /** Called at the start of each batch. */
  observeBatch(batch: { items: number; longestWaitMs: number }): void;
}

interface Waiting<Item, Result> extends Entry<Item> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupCommit<Item, Result> {
  submit(item: Item): Promise<Result>;
}

export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { intervalMs = 0, observer } = options;
  const { overloaded = () => new Error('Too many items are waiting') } = options;
  const lanes = createLanes<Item, Waiting<Item, Result>>(toLaneOptions(options));
  let underWay = 0;
  let isDue = false;
  let nextStartAt = 0;
  let timer: { at: number; handle: NodeJS.Timeout } | null = null;
  observer?.observeQueue(lanes.countWaiting);

  /** Waits for the end of this turn of the event loop, which may bring further items. */
  function pumpSoon(): void {
    if (isDue || underWay >= options.concurrency) return;
    isDue = true;
    setImmediate(pump);
  }

  function pump(): void {
    isDue = false;
    while (underWay < options.concurrency) {
      const now = performance.now();
      const next = now < nextStartAt ? nextStartAt - now : lanes.next(now);
      if (typeof next === 'number') {
        pumpIn(next, now);
        return;
      }
      nextStartAt = now + intervalMs;
      void run(next);
    }
  }

  function pumpIn(waitMs: number, now: number): void {
    if (waitMs === Number.POSITIVE_INFINITY || (timer && timer.at <= now + waitMs)) return;
    if (timer) clearTimeout(timer.handle);
    timer = { at: now + waitMs, handle: setTimeout(pumpAfterWait, waitMs) };
  }

  function pumpAfterWait(): void {
    timer = null;
    pumpSoon();
  }

  async function run(batch: Batch<Waiting<Item, Result>>): Promise<void> {
    underWay++;
    if (observer) observe(observer, batch.entries);
    await settle(batch.entries);
    underWay--;
    lanes.end(batch);
    pumpSoon();
  }

  async function settle(batch: Array<Waiting<Item, Result>>): Promise<void> {
    const parts = [batch];
    let timeoutsInARow = 0;
    for (let part = parts.shift(); part; part = parts.shift()) {
      try {
        const results = await options.commit(part.map(({ item }) => item));
        for (const [index, { resolve }] of part.entries()) resolve(results[index] as Result);
        timeoutsInARow = 0;
      } catch (error) {
        timeoutsInARow = isStatementTimeout(error) ? timeoutsInARow + 1 : 0;
        if (concernsAll(error) || timeoutsInARow === TIMEOUTS_OF_SLOW_DATABASE) {
          reject([part, ...parts].flat(), error);
          return;
        }
        const half = Math.ceil(part.length / 2);
        if (part.length === 1) reject(part, error);
        // Each further batch with the slow item would take as long again.
        else if (isStatementTimeout(error)) parts.push(...part.map((entry) => [entry]));
        else parts.push(part.slice(0, half), part.slice(half));
      }
    }
  }

  function reject(entries: Array<Waiting<Item, Result>>, error: unknown): void {
    for (const entry of entries) entry.reject(error);
  }

  return {
    submit(item) {
      if (lanes.isFull(item)) return Promise.reject(overloaded());
      return new Promise((resolve, reject) => {
        lanes.add({ item, since: performance.now(), resolve, reject });
        pumpSoon();
      });
    },
  };
}

/** Entries of several lanes have no common order. */
function observe(observer: GroupCommitObserver, entries: Array<Entry<unknown>>): void {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { since } of entries) oldest = Math.min(oldest, since);
  observer.observeBatch({ items: entries.length, longestWaitMs: performance.now() - oldest });
}

const ONE_LANE = { laneOf: () => '', isMixed: false };
const AT_ONCE = { enough: 1, ms: 0 };
const NO_LIMIT = Number.POSITIVE_INFINITY;

function toLaneOptions<Item, Result>(options: GroupCommitOptions<Item, Result>): LaneOptions<Item> {
  const { keyOf, kindOf, gather = AT_ONCE, maxItems, weight, maxWaiting = NO_LIMIT } = options;
  const { laneOf, concurrency, isMixed } = options.lanes ?? { ...ONE_LANE, concurrency: options.concurrency };
  const limits = typeof maxWaiting === 'number' ? { perLane: maxWaiting, inAll: NO_LIMIT } : maxWaiting;
  return { laneOf, keyOf, kindOf, concurrency, isMixed, gather, maxItems, weight, maxWaiting: limits };
}

/** As for a batch and two of its items in a row. */
const TIMEOUTS_OF_SLOW_DATABASE = 3;

/** A lock timeout concerns only the item that needs the lock, and a statement timeout perhaps one with too much data. */
const concernsAll = (error: unknown): boolean =>
  isUnavailable(error) && !isLockTimeout(error) && !isStatementTimeout(error);
