/**
 * Walks the history of an asset from the newest reading to the oldest, window by window, and sums it up. Each window is one
 * statement, hence one snapshot: blocks that are compacted meanwhile are read once. Memory is bounded by the size of a window.
 */
import { DAY_MS } from '../process/durations.ts';
import { type Bucket, type BucketPosition, byPosition, createBuckets, type Window } from './buckets.ts';
import type { BlockFilter, HistoryRepository, HistoryScope } from './history.repository.ts';
import { countReadings, countSamples, type SampleBlock } from './reading-block.ts';

export interface BucketFilter extends Omit<BlockFilter, 'before'> {
  sizeMs: number;
  /** About the number of buckets that are wanted; null: all. */
  wanted: number | null;
  /** The position after which the walk begins, in the order of pages. */
  after: BucketPosition | null;
}

type ListSamples = Pick<HistoryRepository, 'listSamples'>;

const WINDOW_MS = { first: DAY_MS, most: 64 * DAY_MS, least: 60_000 };
const BLOCKS_MAX = 2_000;
/** Readings of a window below which the next one is larger. */
const READINGS_ENOUGH = 20_000;
const GROWTH = 4;

/** In the order of pages, some at a time. */
export async function* walkBuckets(
  history: ListSamples,
  scope: HistoryScope,
  filter: BucketFilter,
): AsyncGenerator<Bucket[]> {
  const { sizeMs, after } = filter;
  const buckets = createBuckets(sizeMs);
  const isNext = (bucket: Bucket) => after === null || byPosition(bucket, after) > 0;
  for await (const { blocks, window } of walkWindows(history, scope, filter)) {
    buckets.add(blocks, window);
    yield buckets.takeFrom(window[0]).filter(isNext);
  }
  yield buckets.takeFrom(0).filter(isNext);
}

async function* walkWindows(
  history: ListSamples,
  scope: HistoryScope,
  { from, to, channel, sizeMs, wanted, after }: BucketFilter,
): AsyncGenerator<{ window: Window; blocks: SampleBlock[] }> {
  const firstMs = from?.getTime() ?? 0;
  const list = ([fromMs, beforeMs]: Window, max: number) =>
    history.listSamples(scope, toBlockFilter(fromMs, beforeMs, channel), max);
  let beforeMs = Math.min(to?.getTime() ?? MAX_MS, after ? after.fromMs + sizeMs : MAX_MS);
  const enoughMs = Math.max(WINDOW_MS.first, sizeMs * (wanted ?? Number.POSITIVE_INFINITY));
  let lengthMs = 0;
  let blocksMax = BLOCKS_MAX;
  let isLast = false;
  while (!isLast && beforeMs > firstMs) {
    const [newest] = await list([firstMs, beforeMs], 1);
    if (!newest) return;
    beforeMs = Math.min(beforeMs, newest.lastAt + 1);
    lengthMs ||= Math.min(enoughMs, firstLength(newest));
    // In dense data, one search for the next reading serves many windows.
    for (let isEmpty = false; !isEmpty && !isLast; ) {
      const window: Window = [Math.max(firstMs, startOf(beforeMs - lengthMs, lengthMs, sizeMs)), beforeMs];
      const max = lengthMs > WINDOW_MS.least ? blocksMax : Number.MAX_SAFE_INTEGER;
      const blocks = await list(window, max);
      if (blocks.length >= max) {
        lengthMs = Math.max(WINDOW_MS.least, lengthMs / GROWTH);
        continue;
      }
      isEmpty = blocks.length === 0;
      isLast = window[0] === firstMs;
      beforeMs = window[0];
      const isCrowded = blocks.length >= BLOCKS_MAX;
      if (!isCrowded) blocksMax = BLOCKS_MAX;
      // So many blocks in a minute overlap most often: a longer window reads them once, in place of once a minute.
      else if (lengthMs === WINDOW_MS.least) blocksMax = blocks.length + BLOCKS_MAX;
      if (isCrowded || countReadings(blocks) < READINGS_ENOUGH)
        lengthMs = Math.min(WINDOW_MS.most, lengthMs * GROWTH);
      yield { window, blocks };
    }
  }
}

/** Readings of a window, if all are as dense as the block. */
function firstLength(block: SampleBlock): number {
  const readings = countSamples(block);
  const msPerReading = readings > 1 ? (block.lastAt - block.firstAt) / (readings - 1) : 0;
  return Math.min(WINDOW_MS.most, Math.max(WINDOW_MS.first, msPerReading * READINGS_ENOUGH));
}

const MAX_MS = 8.64e15;

/** End of a window: a boundary of buckets, unless it is shorter than they are. */
const startOf = (atMs: number, lengthMs: number, sizeMs: number): number =>
  lengthMs < sizeMs ? atMs : Math.floor(atMs / sizeMs) * sizeMs;

const toBlockFilter = (fromMs: number, beforeMs: number, channel: number | null): BlockFilter => ({
  from: fromMs > 0 ? new Date(fromMs) : null,
  to: beforeMs < MAX_MS ? new Date(beforeMs) : null,
  channel,
  before: null,
});
