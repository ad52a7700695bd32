/**
 * Removes configurations that no row refers to, by mark and sweep. A transaction that adds a reference to a
 * configuration, without having locked a row that already refers to it, marks it as used at least once a day; only
 * those unused for seven days are removed.
 */
import { inSlices } from '../process/pages.ts';
import type { UnusedConfigurationsRepository } from './unused-configurations.repository.ts';

const CHANGED_AT_ONCE = 1_000;

/** Stops early when `shouldContinue` returns false. */
export const createUnusedConfigurationsRemoval =
  (configurations: UnusedConfigurationsRepository) =>
  async (shouldContinue: () => boolean): Promise<void> => {
    for (const organizationId of await configurations.listOrganizations()) {
      if (!shouldContinue()) return;
      const referred = await configurations.listReferred(organizationId);
      for (const slice of inSlices(referred, CHANGED_AT_ONCE))
        await configurations.markUsed(organizationId, slice);
      let removed: number;
      do removed = await configurations.remove(organizationId, CHANGED_AT_ONCE);
      while (removed === CHANGED_AT_ONCE && shouldContinue());
    }
  };
