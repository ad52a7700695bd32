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

/** Rewrites only days that become fewer blocks, or have fresh ones. */
export function planRewrite(blocks: AssetBlock[]): Rewrite {
  const rewrite: Rewrite = { days: [], replaced: 0, added: [] };
  for (const day of groupByDay(blocks)) {
    const merged = toBlocks(day.flatMap(({ block }) => toReadings(block)));
    if (merged.length >= day.length && day.every(({ freshHour }) => freshHour === null)) continue;
    const { organizationId, assetId, block } = day[0] as AssetBlock;
    const start = startOfDay(block.lastAt);
    rewrite.days.push({ organizationId, assetId, from: new Date(start), before: new Date(start + DAY_MS) });
    rewrite.replaced += day.length;
    rewrite.added.push(...merged.map((block) => ({ organizationId, assetId, block, freshHour: null })));
  }
  return rewrite;
}

const groupByDay = (blocks: AssetBlock[]): Iterable<AssetBlock[]> =>
  grouped(blocks, ({ assetId, block }) => `${assetId} ${startOfDay(block.lastAt)}`).values();
