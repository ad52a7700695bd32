/**
 * Removes configurations that no row refers to, by mark and sweep. A transaction that adds a reference to a
 * configuration, without having locked a row that already refers to it, marks it as used at least once a day; only
 * those unused for seven days are removed.
 */
import { isFaultOfAll } from '../db/due-rows.ts';
import { inSlices } from '../process/pages.ts';
import type { UnusedConfigurationsRepository } from './unused-configurations.repository.ts';

const CHANGED_AT_ONCE = 1_000;

/** `onSetAside` is called for an organization that fails, which holds up no other one. */
export function createUnusedConfigurationsRemoval(
  configurations: UnusedConfigurationsRepository,
  onSetAside: (organization: { organizationId: string }, error: unknown) => void,
) {
  async function removeOf(organizationId: string, shouldContinue: () => boolean): Promise<void> {
    const referred = await configurations.listReferred(organizationId);
    for (const slice of inSlices(referred, CHANGED_AT_ONCE))
      await configurations.markUsed(organizationId, slice);
    let removed: number;
    do removed = await configurations.remove(organizationId, CHANGED_AT_ONCE);
    while (removed === CHANGED_AT_ONCE && shouldContinue());
  }

  /** Stops early when `shouldContinue` returns false. */
  return async (shouldContinue: () => boolean): Promise<void> => {
    for (const organizationId of await configurations.listOrganizations()) {
      if (!shouldContinue()) return;
      await removeOf(organizationId, shouldContinue).catch((error) => {
        if (isFaultOfAll(error)) throw error;
        onSetAside({ organizationId }, error);
      });
    }
  };
}
