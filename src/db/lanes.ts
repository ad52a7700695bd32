/**
 * The queues of a group commit. Items wait in lanes, and lanes with waiting items take turns. A batch holds
 * items of one lane, or the same share of each lane that is due. So a lane with many items, or with slow
 * batches, delays others by no more than its share.
 */
export interface LaneOptions<Item> {
  laneOf(item: Item): string;
  /**
   * Items of one key are never in two concurrent batches, so they are committed in the order of their
   * arrival.
   */
  keyOf?: ((item: Item) => string) | undefined;
  /** A batch holds items of one kind. Default: all are. */
  kindOf?: ((item: Item) => string) | undefined;
  /** Batches of one lane under way at the same time. */
  concurrency: number;
  /** Lanes share batches, so that many small lanes make few of them. */
  isMixed?: boolean | undefined;
  /**
   * While a batch of the lane (of any lane, if they share batches) is under way, the next one starts when
   * `enough` items wait, or the first one has waited for `ms`.
   */
  gather: { enough: number; ms: number };
  maxItems: number;
  /** Limits batches of large items: a batch ends before the item that would exceed `max`. */
  weight?: { of(item: Item): number; max: number } | undefined;
  /** When `inAll` items wait, only a lane with less than its share may add more. */
  maxWaiting: { perLane: number; inAll: number };
}

export interface Entry<Item> {
  item: Item;
  /** Milliseconds on the clock that `next` is given. */
  since: number;
  /** From `keyOf`; set here. */
  key?: string;
}

interface Lane<E> {
  name: string;
  waiting: E[];
  underWay: number;
  /** Every waiting item has its key in a batch under way. */
  isBlocked: boolean;
}

export interface Batch<E> {
  lanes: Lane<E>[];
  entries: E[];
  /** The sum over its entries. */
  weight: number;
}

export function createLanes<Item, E extends Entry<Item>>(options: LaneOptions<Item>) {
  const { laneOf, keyOf, kindOf, gather, isMixed = false, maxItems, weight, maxWaiting } = options;
  const lanes = new Map<string, Lane<E>>();
  /** Lanes with waiting items, in the order of their turns. */
  const turns = new Set<Lane<E>>();
  const busyKeys = new Set<string>();
  let size = 0;
  let batchesUnderWay = 0;

  function laneNamed(name: string): Lane<E> {
    const lane = lanes.get(name) ?? { name, waiting: [], underWay: 0, isBlocked: false };
    lanes.set(name, lane);
    return lane;
  }

  const mayStart = ({ underWay, isBlocked }: Lane<E>) => underWay < options.concurrency && !isBlocked;

  function waitMsOf({ waiting, underWay }: Lane<E>, now: number): number {
    const isAlone = (isMixed ? batchesUnderWay : underWay) === 0;
    if (isAlone || (isMixed ? size : waiting.length) >= gather.enough) return 0;
    return Math.max(0, (waiting[0] as E).since + gather.ms - now);
  }

  const isBusy = ({ key }: E) => key !== undefined && busyKeys.has(key);

  const isOfKind = ({ item }: E, { entries: [first] }: Batch<E>) =>
    kindOf === undefined || first === undefined || kindOf(item) === kindOf(first.item);

  /** Moves up to `most` items to the batch. Passes over items of another kind, and items whose key is in a batch under way. */
  function take(lane: Lane<E>, batch: Batch<E>, most: number): void {
    const left: E[] = [];
    /** Keys of items of another kind, which later items of the key do not pass. */
    const passed = new Set<string | undefined>();
    let taken = 0;
    let index = 0;
    for (; index < lane.waiting.length && taken < most; index++) {
      const entry = lane.waiting[index] as E;
      const isOther = !isOfKind(entry, batch);
      if (isOther) passed.add(entry.key);
      if (isOther || isBusy(entry) || (entry.key !== undefined && passed.has(entry.key))) {
        left.push(entry);
        continue;
      }
      if (!hasRoomFor(entry, batch)) break;
      if (entry.key !== undefined) busyKeys.add(entry.key);
      batch.weight += weight?.of(entry.item) ?? 0;
      batch.entries.push(entry);
      taken++;
    }
    lane.waiting = left.concat(lane.waiting.slice(index));
    if (taken > 0) batch.lanes.push(lane);
    else lane.isBlocked = left.length > 0 && passed.size === 0;
  }

  const hasRoomFor = ({ item }: E, batch: Batch<E>) =>
    weight === undefined || batch.entries.length === 0 || batch.weight + weight.of(item) <= weight.max;

  function fillFairly(batch: Batch<E>, ready: Lane<E>[]): void {
    const share = Math.ceil(maxItems / ready.length);
    for (const lane of ready) {
      if (batch.entries.length === maxItems) return;
      take(lane, batch, Math.min(share, maxItems - batch.entries.length));
    }
  }

  function fillFromOne(batch: Batch<E>, due: Lane<E>[]): void {
    for (const lane of due) {
      take(lane, batch, maxItems);
      if (batch.entries.length > 0) return;
    }
  }

  function begin(batch: Batch<E>): Batch<E> {
    batchesUnderWay++;
    size -= batch.entries.length;
    for (const lane of batch.lanes) {
      lane.underWay++;
      turns.delete(lane);
      if (lane.waiting.length > 0) turns.add(lane);
    }
    return batch;
  }

  return {
    countWaiting: () => size,

    isFull(item: Item): boolean {
      const waiting = lanes.get(laneOf(item))?.waiting.length ?? 0;
      const share = maxWaiting.inAll / Math.max(turns.size, 1);
      return waiting >= maxWaiting.perLane || (size >= maxWaiting.inAll && waiting >= share);
    },

    add(entry: E): void {
      const lane = laneNamed(laneOf(entry.item));
      // Computed once, since a lane may be searched many times for a key that is free.
      if (keyOf) entry.key = keyOf(entry.item);
      lane.waiting.push(entry);
      lane.isBlocked = false;
      turns.add(lane);
      size++;
    },

    /** The next batch in turn, or the milliseconds until one is due. */
    next(now: number): Batch<E> | number {
      const ready = [...turns].filter(mayStart);
      const due = ready.filter((lane) => waitMsOf(lane, now) === 0);
      if (due.length === 0) return Math.min(...ready.map((lane) => waitMsOf(lane, now)));
      const batch: Batch<E> = { lanes: [], entries: [], weight: 0 };
      if (isMixed) fillFairly(batch, ready);
      else fillFromOne(batch, due);
      return batch.entries.length > 0 ? begin(batch) : this.next(now);
    },

    end({ lanes: ended, entries }: Batch<E>): void {
      batchesUnderWay--;
      for (const { key } of entries) if (key !== undefined) busyKeys.delete(key);
      for (const lane of ended) {
        lane.underWay--;
        lane.isBlocked = false;
        if (lane.underWay === 0 && lane.waiting.length === 0) lanes.delete(lane.name);
      }
    },
  };
}
