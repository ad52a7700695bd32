/**
 * Group commit of items that each lock a row, with a lane per organization. A batch takes the rows that it
 * can lock at once; items whose row is locked by another transaction leave it, and wait separately for as
 * long as the lock timeout. An item whose row is still locked then is refused alone. So neither a long
 * transaction nor a client that vanished in one delays other devices.
 *
 * Items of one key are committed in the order of their arrival: while one waits, later ones wait behind it.
 * Only so many of a key may be unsettled, because they would fill the queue of their organization.
 */
import { createCounts } from '../process/counts.ts';
import type { BatchTraces } from '../process/tracing.ts';
import { isLockTimeout } from './faults.ts';
import {
  createGroupCommit,
  type GroupCommit,
  type GroupCommitObserver,
  type GroupCommitOptions,
} from './group-commit.ts';

/** The result of an item whose row is locked by another transaction: nothing was done for it. */
export const LOCKED = Symbol('locked');

/** How to treat locked rows: skip their items, or wait for as long as the lock timeout of the transaction. */
export type Locking = 'skip' | 'wait';

/** Concurrent batches, in total and per lane. A lane has less, so that none can hold all. */
export interface BatchSlots {
  direct: number;
  perLane: number;
  waiting: number;
  /** Organizations share batches, so that many small ones need few. */
  isMixed: boolean;
}

type Shared<Item> = Pick<GroupCommitOptions<Item, unknown>, 'kindOf' | 'maxItems' | 'weight' | 'gather'>;

export interface LockingCommitOptions<Item, Result> extends Shared<Item> {
  /** Runs the items, all of one lane, in one transaction. */
  commit(items: Item[], locking: Locking): Promise<Array<Result | typeof LOCKED>>;
  laneOf(item: Item): string;
  keyOf(item: Item): string;
  slots: BatchSlots;
  overloaded(): Error;
  /** The error of an item whose row stays locked. */
  locked(): Error;
  /** Called when an item is refused with one of these errors. */
  onRefused?(reason: RefusedTurn): void;
  observers?: LockingCommitObservers | undefined;
  /** Null or undefined: no traces. */
  traces?: BatchTraces<Item> | null | undefined;
}

export interface LockingCommitObservers {
  direct: GroupCommitObserver;
  /** Observes the items that wait for a lock. */
  waiting: GroupCommitObserver;
}

export type RefusedTurn = 'overloaded' | 'locked';

const UNSETTLED_PER_KEY_MAX = 100;
const WAITING_MAX = { perLane: 10_000, inAll: 20_000 };
const WAITING_FOR_LOCKS_MAX = { perLane: 2_000, inAll: 10_000 };

export function createLockingCommit<Item, Result>(
  options: LockingCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { laneOf, keyOf, kindOf, slots, traces, maxItems, weight, gather } = options;
  const { observers, onRefused = () => {} } = options;
  const refused = (reason: RefusedTurn) => () => {
    onRefused(reason);
    return options[reason]();
  };
  const commit: typeof options.commit = traces
    ? (items, locking) => traces.run(items, () => options.commit(items, locking))
    : options.commit;
  const unsettled = createCounts();
  /** Items that wait for the lock. */
  const waiting = createCounts();
  const shared = { keyOf, kindOf, maxItems, weight, overloaded: refused('overloaded') };

  const direct = createGroupCommit<Item, Result | typeof LOCKED>({
    ...shared,
    ...(gather && { gather }),
    commit: (items) => commitInOrder(items),
    observer: observers?.direct,
    concurrency: slots.direct,
    // Batches of this commit never wait for a lock.
    lanes: { laneOf, concurrency: slots.perLane, isMixed: slots.isMixed },
    maxWaiting: WAITING_MAX,
  });
  const patient = createGroupCommit<Item, Result | typeof LOCKED>({
    ...shared,
    commit: commitWaiting,
    observer: observers?.waiting,
    concurrency: slots.waiting,
    lanes: { laneOf, concurrency: 1 },
    maxWaiting: WAITING_FOR_LOCKS_MAX,
  });

  /** Keeps an item from overtaking one of its key that has begun to wait since. */
  async function commitInOrder(items: Item[]): Promise<Array<Result | typeof LOCKED>> {
    const free = items.filter((item) => waiting.of(keyOf(item)) === 0);
    if (free.length === items.length) return commit(items, 'skip');
    const results = free.length > 0 ? await commit(free, 'skip') : [];
    const resultOf = new Map(free.map((item, index) => [item, results[index] as Result | typeof LOCKED]));
    return items.map((item) => (resultOf.has(item) ? (resultOf.get(item) as Result) : LOCKED));
  }

  /** A lock timeout fails the whole statement: the second attempt takes the items whose rows are free. */
  async function commitWaiting(items: Item[]): Promise<Array<Result | typeof LOCKED>> {
    try {
      return await commit(items, 'wait');
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return commit(items, 'skip');
    }
  }

  async function submitWaiting(item: Item): Promise<Result> {
    const result = await patient.submit(item);
    if (result === LOCKED) throw refused('locked')();
    return result;
  }

  async function submitDirect(item: Item): Promise<Result> {
    const result = await direct.submit(item);
    return result === LOCKED ? waiting.during(keyOf(item), () => submitWaiting(item)) : result;
  }

  return {
    async submit(item) {
      const key = keyOf(item);
      if (unsettled.of(key) >= UNSETTLED_PER_KEY_MAX) throw refused('overloaded')();
      traces?.add(item);
      return unsettled.during(key, () => submitDirect(item));
    },
  };
}

/**
 * Batch slots of a pool with this many connections, for one of two kinds of messages, frames and exchanges:
 * together their batches use at most four fifths of the connections.
 */
export function batchSlots(poolSize: number, isMixed = true): BatchSlots {
  const direct = Math.max(2, Math.floor(poolSize * 0.3));
  const waiting = Math.max(1, Math.floor(poolSize * 0.1));
  return { direct, perLane: Math.min(2, direct - 1), waiting, isMixed };
}
