/**
 * Removes configurations that no row refers to, by mark and sweep. All rows that may refer to one are read in
 * one snapshot, so a reference that moves from row to row is found in one of them. A transaction that adds a
 * reference to a configuration, without having locked a row that already refers to it, marks it as used at
 * least once a day; only those unused for seven days are removed.
 */
import type { Sql } from '../db/database.ts';
import type { Transact } from '../db/transaction.ts';
import { stepwise } from '../process/pages.ts';
import type { ReferredPage, UnusedConfigurationsRepository } from './unused-configurations.repository.ts';

export interface UnusedConfigurationsDeps {
  transact: Transact;
  configurations: UnusedConfigurationsRepository;
  configurationsIn(sql: Sql): UnusedConfigurationsRepository;
}

const PAGE_ROWS = 2_000;
const CHANGED_AT_ONCE = 1_000;

/**
 * Stops early, without removing anything, when `shouldContinue` returns false. Returns the number of removed
 * configurations.
 */
export function createUnusedConfigurationsRemoval(deps: UnusedConfigurationsDeps) {
  const { transact, configurations, configurationsIn } = deps;

  /** Null when it was stopped. */
  const listReferred = (shouldContinue: () => boolean): Promise<string[] | null> =>
    transact(async ({ sql }) => {
      const snapshot = configurationsIn(sql);
      await snapshot.beginSnapshot();
      const byDevices = await readPages(snapshot.listReferredByDevices, shouldContinue);
      const byTargets = await readPages(snapshot.listReferredByTargets, shouldContinue);
      const bySettings = await readPages(snapshot.listReferredBySettings, shouldContinue);
      return (
        byDevices && byTargets && bySettings && [...new Set([...byDevices, ...byTargets, ...bySettings])]
      );
    });

  return async (shouldContinue: () => boolean): Promise<number> => {
    if (!(await configurations.haveCandidates())) return 0;
    const referred = await listReferred(shouldContinue);
    if (!referred) return 0;
    for (let start = 0; start < referred.length; start += CHANGED_AT_ONCE) {
      await configurations.markUsed(referred.slice(start, start + CHANGED_AT_ONCE));
    }
    let removed = 0;
    let count: number;
    do {
      count = await configurations.removeUnused(CHANGED_AT_ONCE);
      removed += count;
    } while (count === CHANGED_AT_ONCE && shouldContinue());
    return removed;
  };
}

async function readPages(
  read: (after: string[] | null, limit: number) => Promise<ReferredPage>,
  shouldContinue: () => boolean,
): Promise<Set<string> | null> {
  const found = new Set<string>();
  const isWhole = await stepwise(async (after: string[] | null) => {
    const { configIds, last } = await read(after, PAGE_ROWS);
    for (const id of configIds) found.add(id);
    return last;
  }, shouldContinue);
  return isWhole ? found : null;
}
