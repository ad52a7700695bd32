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
  const passes = passesFilter(filter);
  const found: Found[] = [];
  for (const block of blocks) {
    if (isDecided(found, block.lastAt, filter.limit)) return toPage(found, filter.limit);
    addReadings(found, block, passes);
  }
  const lastAt = blocks.at(-1)?.lastAt ?? 0;
  return isCut && !isDecided(found, lastAt, filter.limit) ? null : toPage(found, filter.limit);
}

interface Found {
  key: number;
  reading: StoredReading;
}

function addReadings(found: Found[], block: ReadingBlock, passes: ReturnType<typeof passesFilter>): void {
  for (const reading of toReadings(block, passes.time)) {
    const key = keyOfReading(reading);
    if (passes.key(key)) found.push({ key, reading });
  }
}

/** Whether further blocks, which end no later than this one, cannot change the page. */
function isDecided(found: readonly Found[], lastAt: number, limit: number): boolean {
  if (found.length < limit) return false;
  let newer = 0;
  for (const { reading } of found) if (reading.measuredAt.getTime() > lastAt) newer++;
  return newer >= limit;
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

const toPage = (found: Found[], limit: number): StoredReading[] =>
  found
    .sort((a, b) => b.key - a.key)
    .slice(0, limit)
    .map(({ reading }) => reading);
