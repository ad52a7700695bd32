/**
 * The queues of a group commit. Items wait in lanes, a batch holds items of one lane, and lanes with items that wait
 * take turns. So a lane with many items, or with slow batches, delays others by no more than its share.
 */
export interface LaneOptions<Item> {
  laneOf(item: Item): string;
  /** Items of one key are never in two batches at the same time, so they are committed in the order of their arrival. */
  keyOf?: ((item: Item) => string) | undefined;
  /** Batches of one lane under way at the same time. */
  concurrency: number;
  /** While a batch of the lane is under way, the next one starts when `enough` items wait, or the first has for `ms`. */
  gather: { enough: number; ms: number };
  maxItems: number;
  /** Limits batches of large items: a batch ends before the item that would exceed `max`. */
  weight?: { of(item: Item): number; max: number } | undefined;
  /** When there are `inAll` items, only a lane with less than its share of them may add more. */
  maxWaiting: { perLane: number; inAll: number };
}

export interface Entry<Item> {
  item: Item;
  /** Milliseconds on the clock that `next` is given. */
  since: number;
}

interface Lane<E> {
  name: string;
  waiting: E[];
  underWay: number;
  /** All that waits has its key in a batch under way. */
  isBlocked: boolean;
}

export interface Batch<E> {
  lane: Lane<E>;
  entries: E[];
}

export function createLanes<Item, E extends Entry<Item>>(options: LaneOptions<Item>) {
  const { laneOf, keyOf, gather, maxItems, weight, maxWaiting } = options;
  const lanes = new Map<string, Lane<E>>();
  /** Those with items that wait, in the order of their turns. */
  const turns = new Set<Lane<E>>();
  const busyKeys = new Set<string>();
  let size = 0;

  function laneNamed(name: string): Lane<E> {
    const lane = lanes.get(name) ?? { name, waiting: [], underWay: 0, isBlocked: false };
    lanes.set(name, lane);
    return lane;
  }

  function waitMsOf({ waiting, underWay, isBlocked }: Lane<E>, now: number): number {
    if (underWay >= options.concurrency || isBlocked) return Number.POSITIVE_INFINITY;
    if (underWay === 0 || waiting.length >= gather.enough) return 0;
    return (waiting[0] as E).since + gather.ms - now;
  }

  const isBusy = (item: Item) => keyOf !== undefined && busyKeys.has(keyOf(item));

  /** Passes over items whose key is in a batch under way. */
  function take(lane: Lane<E>): E[] {
    const taken: E[] = [];
    const left: E[] = [];
    let total = 0;
    let index = 0;
    for (; index < lane.waiting.length && taken.length < maxItems; index++) {
      const entry = lane.waiting[index] as E;
      if (isBusy(entry.item)) {
        left.push(entry);
        continue;
      }
      total += weight?.of(entry.item) ?? 0;
      if (weight && taken.length > 0 && total > weight.max) break;
      taken.push(entry);
    }
    lane.waiting = left.concat(lane.waiting.slice(index));
    if (keyOf) for (const { item } of taken) busyKeys.add(keyOf(item));
    return taken;
  }

  function begin(lane: Lane<E>, entries: E[]): Batch<E> {
    size -= entries.length;
    lane.underWay++;
    turns.delete(lane);
    if (lane.waiting.length > 0) turns.add(lane);
    return { lane, entries };
  }

  return {
    isFull(item: Item): boolean {
      const waiting = lanes.get(laneOf(item))?.waiting.length ?? 0;
      const share = maxWaiting.inAll / Math.max(turns.size, 1);
      return waiting >= maxWaiting.perLane || (size >= maxWaiting.inAll && waiting >= share);
    },

    add(entry: E): void {
      const lane = laneNamed(laneOf(entry.item));
      lane.waiting.push(entry);
      lane.isBlocked = false;
      turns.add(lane);
      size++;
    },

    /** The batch whose turn it is, or the milliseconds until one is due. */
    next(now: number): Batch<E> | number {
      let waitMs = Number.POSITIVE_INFINITY;
      for (const lane of turns) {
        const laneWaitMs = waitMsOf(lane, now);
        if (laneWaitMs > 0) {
          waitMs = Math.min(waitMs, laneWaitMs);
          continue;
        }
        const entries = take(lane);
        if (entries.length > 0) return begin(lane, entries);
        lane.isBlocked = true;
      }
      return waitMs;
    },

    end({ lane, entries }: Batch<E>): void {
      lane.underWay--;
      lane.isBlocked = false;
      if (keyOf) for (const { item } of entries) busyKeys.delete(keyOf(item));
      if (lane.underWay === 0 && lane.waiting.length === 0) lanes.delete(lane.name);
    },
  };
}
