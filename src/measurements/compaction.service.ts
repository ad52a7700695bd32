/**
 * Merges the blocks of closed days. Each transaction takes some devices, so frames wait for milliseconds at
 * most, and a process that is killed leaves every day either unchanged or compacted. Readers see either
 * state.
 */
import type { Database } from '../db/database.ts';
import { isFaultOfAll } from '../db/due-rows.ts';
import type { Transact } from '../db/transaction.ts';
import { stepwise } from '../process/pages.ts';
import type { AssetBlock } from './block-columns.ts';
import type { CompactionRepository } from './compaction.repository.ts';
import {
  type CompactionWindow,
  closedBefore,
  cutToRead,
  type DueDevice,
  firstDayOf,
  planRewrite,
  toWindow,
} from './compaction.ts';

export interface CompactionDeps {
  transact: Transact;
  compactionIn(sql: Database): CompactionRepository;
  now(): Date;
  /** Maximum number of readings that a transaction reads; a day with more stays as it was sent. Default: READINGS_MAX. */
  readingsMax?: number;
  /** Called for a device that could not be compacted; the others are. */
  onSetAside(device: DueDevice, error: unknown): void;
}

const DEVICES_PER_TRANSACTION = 10;

/**
 * More than a logger sends in a day: six channels each second are 518,400. A reading takes some 300 bytes while it is merged,
 * so these take 200 MB if they are of one channel and day.
 */
const READINGS_MAX = 600_000;

export function createCompaction(deps: CompactionDeps) {
  return {
    /** Runs until nothing is due, another process compacts, or `shouldContinue` returns false. */
    async compactClosedDays(shouldContinue: () => boolean = () => true): Promise<void> {
      const closed = closedBefore(deps.now());
      if (!shouldContinue()) return;
      const compactNext = async (after: DueDevice | null) =>
        (await lockAndCompact(deps, { closed, after, limit: DEVICES_PER_TRANSACTION })).at(-1) ?? null;
      await stepwise(compactNext, shouldContinue);
    },
  };
}

interface Compacted {
  /** Devices with days that were compacted, or left. */
  devices: DueDevice[];
  /** A day with too many readings. */
  left: CompactionWindow | null;
}

/** Returns the devices; empty when none is left. */
async function lockAndCompact(
  deps: CompactionDeps,
  { closed, after, limit }: { closed: Date; after: DueDevice | null; limit: number },
): Promise<DueDevice[]> {
  let due: DueDevice[] = [];
  let compacted: Compacted;
  try {
    compacted = await deps.transact(async ({ sql }) => {
      const repository = deps.compactionIn(sql);
      due = (await repository.lockCompaction()) ? await repository.lockDue(closed, after, limit) : [];
      const windows = due.map((device) => toWindow(device, closed));
      const { done, left } = await compact(repository, windows, deps.readingsMax ?? READINGS_MAX);
      return { devices: due.slice(0, done), left };
    });
  } catch (error) {
    const [first, ...others] = due;
    if (!first || isFaultOfAll(error)) throw error;
    if (others.length === 0) deps.onSetAside(first, error);
    // One of them cannot be compacted, and must not delay the others.
    else
      for (const previous of [after, ...due.slice(0, -1)])
        await lockAndCompact(deps, { closed, after: previous, limit: 1 });
    return due;
  }
  const { devices, left } = compacted;
  if (left) deps.onSetAside(left, tooManyReadings(left));
  return devices;
}

/** Returns the number of windows that were compacted, the last one perhaps in part. */
async function compact(
  repository: CompactionRepository,
  windows: CompactionWindow[],
  readingsMax: number,
): Promise<{ done: number; left: CompactionWindow | null }> {
  const [first] = windows;
  if (!first) return { done: 0, left: null };
  const { blocks, unread } = await repository.listBlocks(windows, readingsMax);
  await rewrite(repository, blocks);
  const read = cutToRead(windows, unread);
  if (read.length > 0) {
    await repository.recordCompacted(read);
    return { done: read.length, left: null };
  }
  const left = firstDayOf(first);
  await repository.leaveDay(left);
  await repository.recordCompacted([left]);
  return { done: 1, left };
}

async function rewrite(repository: CompactionRepository, blocks: AssetBlock[]): Promise<void> {
  const { days, replaced, added } = planRewrite(blocks);
  if (days.length === 0) return;
  let removed = 0;
  for (const day of days) removed += await repository.removeDay(day);
  // All writers of blocks lock the device; this check keeps the data of one that does not.
  if (removed !== replaced) throw new Error('Blocks were stored while their day was compacted');
  await repository.insert(added);
}

const tooManyReadings = ({ from }: CompactionWindow): Error =>
  new Error(
    `The readings of ${from.toISOString().slice(0, 10)} are too many to be compacted: they stay as they were sent`,
  );
