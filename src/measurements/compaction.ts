/** Plans the compaction of a device's blocks: one block for each channel, type and lateness of a day. */
import type { AssetRef } from '../devices/asset-ref.ts';
import { DAY_MS } from '../process/durations.ts';
import { grouped } from '../process/grouped.ts';
import type { AssetBlock } from './block-columns.ts';
import { startOfDay, toBlocks, toReadings } from './reading-block.ts';

/** A device with uncompacted readings from that time on. */
export interface DueDevice extends AssetRef {
  from: Date;
}

/** Whole days of a device. */
export interface CompactionWindow extends DueDevice {
  before: Date;
}

/** The first day that was not read, named by one of its blocks. */
export interface UnreadDay {
  assetId: string;
  /** Unix milliseconds */
  lastAt: number;
}

interface Rewrite {
  /** Days whose blocks are replaced. */
  days: CompactionWindow[];
  /** Number of blocks to replace. */
  replaced: number;
  added: AssetBlock[];
}

const WINDOW_DAYS = 7;

/** A day is closed when further readings of it would be late, so nearly all have arrived. */
export const closedBefore = (now: Date): Date => new Date(startOfDay(now.getTime() - DAY_MS));

export function toWindow({ organizationId, assetId, from }: DueDevice, closed: Date): CompactionWindow {
  const start = startOfDay(from.getTime());
  const before = Math.min(start + WINDOW_DAYS * DAY_MS, closed.getTime());
  return { organizationId, assetId, from: new Date(start), before: new Date(before) };
}

/** The windows up to the first day that was not read; none if that is the first day of the first window. */
export function cutToRead(
  windows: readonly CompactionWindow[],
  unread: readonly UnreadDay[],
): CompactionWindow[] {
  const days = new Map(unread.map(({ assetId, lastAt }) => [assetId, new Date(startOfDay(lastAt))]));
  const index = windows.findIndex(({ assetId }) => days.has(assetId));
  const cut = windows[index];
  if (!cut) return [...windows];
  const before = days.get(cut.assetId) as Date;
  return [...windows.slice(0, index), ...(before > cut.from ? [{ ...cut, before }] : [])];
}

export const firstDayOf = (window: CompactionWindow): CompactionWindow => ({
  ...window,
  before: new Date(window.from.getTime() + DAY_MS),
});

/** Rewrites only days that become fewer blocks, or have fresh ones. */
export function planRewrite(blocks: AssetBlock[]): Rewrite {
  const rewrite: Rewrite = { days: [], replaced: 0, added: [] };
  for (const day of groupByDay(blocks)) {
    const merged = [...groupByTerms(day)].flatMap((some) =>
      toBlocks(some.flatMap(({ block }) => toReadings(block))),
    );
    if (merged.length >= day.length && day.every(({ freshHour }) => freshHour === null)) continue;
    const { organizationId, assetId, block } = day[0] as AssetBlock;
    const start = startOfDay(block.lastAt);
    rewrite.days.push({ organizationId, assetId, from: new Date(start), before: new Date(start + DAY_MS) });
    rewrite.replaced += day.length;
    for (const block of merged) rewrite.added.push({ organizationId, assetId, block, freshHour: null });
  }
  return rewrite;
}

/** Blocks that may become one: those of several channels are not in memory as readings together. */
const groupByTerms = (blocks: AssetBlock[]): Iterable<AssetBlock[]> =>
  grouped(
    blocks,
    ({ block }) => `${block.channel} ${block.type} ${block.late} ${block.periodSeconds}`,
  ).values();

const groupByDay = (blocks: AssetBlock[]): Iterable<AssetBlock[]> =>
  grouped(blocks, ({ assetId, block }) => `${assetId} ${startOfDay(block.lastAt)}`).values();
