/**
 * Merges the blocks of closed days. Each transaction takes some devices, so frames wait for milliseconds at
 * most, and a process that is killed leaves every day either unchanged or compacted. Readers see either
 * state.
 */
import type { Database } from '../db/database.ts';
import { isFaultOfAll } from '../db/due-rows.ts';
import type { Transact } from '../db/transaction.ts';
import { stepwise } from '../process/pages.ts';
import type { CompactionRepository } from './compaction.repository.ts';
import { closedBefore, type DueDevice, planRewrite, toWindow } from './compaction.ts';

export interface CompactionDeps {
  transact: Transact;
  compactionIn(sql: Database): CompactionRepository;
  now(): Date;
  /** Called for a device that could not be compacted; the others are. */
  onSetAside(device: DueDevice, error: unknown): void;
}

const DEVICES_PER_TRANSACTION = 10;

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

/** Returns the devices; empty when none is left. */
async function lockAndCompact(
  deps: CompactionDeps,
  { closed, after, limit }: { closed: Date; after: DueDevice | null; limit: number },
): Promise<DueDevice[]> {
  let due: DueDevice[] = [];
  try {
    await deps.transact(async ({ sql }) => {
      const repository = deps.compactionIn(sql);
      due = (await repository.lockCompaction()) ? await repository.lockDue(closed, after, limit) : [];
      await compact(repository, due, closed);
    });
  } catch (error) {
    const [first, ...others] = due;
    if (!first || isFaultOfAll(error)) throw error;
    if (others.length === 0) deps.onSetAside(first, error);
    // One of them cannot be compacted, and must not delay the others.
    else
      for (const previous of [after, ...due.slice(0, -1)])
        await lockAndCompact(deps, { closed, after: previous, limit: 1 });
  }
  return due;
}

async function compact(repository: CompactionRepository, due: DueDevice[], closed: Date): Promise<void> {
  if (due.length === 0) return;
  const windows = due.map((device) => toWindow(device, closed));
  const { days, replaced, added } = planRewrite(await repository.listBlocks(windows));
  if (days.length > 0) {
    let removed = 0;
    for (const day of days) removed += await repository.removeDay(day);
    // All writers of blocks lock the device; this check keeps the data of one that does not.
    if (removed !== replaced) throw new Error('Blocks were stored while their day was compacted');
    await repository.insert(added);
  }
  await repository.recordCompacted(windows);
}
