/**
 * Removes configurations that nothing refers to: mark and sweep. It cannot race with a transaction that begins to refer
 * to one: that marks the configuration as used at least once a day, and only what was unused for seven days goes.
 */
import type { Position, UnusedConfigurationsRepository } from './unused-configurations.repository.ts';

const PAGE_ROWS = 2_000;
const REMOVED_AT_ONCE = 1_000;

/** Stops early when `goesOn` says so; nothing is removed then. Returns how many were removed. */
export function createUnusedConfigurationsRemoval(configurations: UnusedConfigurationsRepository) {
  return async (goesOn: () => boolean): Promise<number> => {
    if (!(await configurations.haveCandidates())) return 0;
    const isComplete =
      (await eachPage(configurations.markUsedByDevices, goesOn)) &&
      (await eachPage(configurations.markUsedByTargets, goesOn));
    let removed = 0;
    while (isComplete && goesOn()) {
      const count = await configurations.removeUnused(REMOVED_AT_ONCE);
      removed += count;
      if (count < REMOVED_AT_ONCE) break;
    }
    return removed;
  };
}

/** False when it was stopped before the last page. */
async function eachPage(
  read: (after: Position | null, limit: number) => Promise<Position | null>,
  goesOn: () => boolean,
): Promise<boolean> {
  let after: Position | null = null;
  while (goesOn()) {
    after = await read(after, PAGE_ROWS);
    if (after === null) return true;
  }
  return false;
}
