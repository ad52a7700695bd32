/** Sorts readings of blocks into the order of the history, because blocks overlap in time. */

import { keyOfReading, type StoredReading } from '../devices/reading.ts';
import type { HistoryCursor } from './history.ts';
import { type ReadingBlock, toReadings } from './reading-block.ts';

export interface NewestFilter {
  from: Date | null;
  to: Date | null;
  /** Readings older than this one. */
  before: HistoryCursor | null;
  limit: number;
}

interface ListedBlocks {
  /** By descending `lastAt`. */
  blocks: ReadingBlock[];
  /** Whether blocks after the last one were not read. */
  isCut: boolean;
}

/** The newest matching readings; null when a block that was not read may contain one of them. */
export function newestReadings(
  { blocks, isCut }: ListedBlocks,
  filter: NewestFilter,
): StoredReading[] | null {
  const page = createPage(filter);
  for (const block of blocks) {
    if (page.isDecided(block.lastAt)) break;
    page.add(block);
  }
  const readings = page.end();
  return isCut && !page.isDecided(blocks.at(-1)?.lastAt ?? 0) ? null : readings;
}

interface Found {
  key: number;
  reading: StoredReading;
}

/** Holds about as many readings as the page takes, because any number of blocks may overlap. */
function createPage(filter: NewestFilter) {
  const { limit } = filter;
  const passes = passesFilter(filter);
  const found: Found[] = [];
  /** Time of the last reading of a full page; older ones are not on it. */
  let oldestAt = Number.NEGATIVE_INFINITY;

  function cut(): void {
    found.sort((a, b) => b.key - a.key).splice(limit);
    if (found.length === limit) oldestAt = found[limit - 1]?.reading.measuredAt.getTime() ?? oldestAt;
  }

  return {
    add(block: ReadingBlock): void {
      for (const reading of toReadings(block, (atMs) => atMs >= oldestAt && passes.time(atMs))) {
        const key = keyOfReading(reading);
        if (passes.key(key)) found.push({ key, reading });
      }
      if (found.length >= 2 * limit) cut();
    },

    /** Whether further blocks, which end no later than this one, cannot change the page, as of the last cut. */
    isDecided: (lastAt: number): boolean => oldestAt > lastAt,

    end(): StoredReading[] {
      cut();
      return found.map(({ reading }) => reading);
    },
  };
}

/** Compares the time first, which skips unneeded readings of a day; the cursor excludes by channel, too. */
function passesFilter({ from, to, before }: NewestFilter) {
  const first = from?.getTime() ?? Number.NEGATIVE_INFINITY;
  const end = to?.getTime() ?? Number.POSITIVE_INFINITY;
  const last = before?.measuredAt.getTime() ?? Number.POSITIVE_INFINITY;
  const endKey = before ? keyOfReading(before) : Number.POSITIVE_INFINITY;
  return {
    time: (atMs: number) => atMs >= first && atMs < end && atMs <= last,
    key: (key: number) => key < endKey,
  };
}
