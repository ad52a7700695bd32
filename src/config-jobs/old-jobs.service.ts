/** Removes jobs that ended long ago, with their targets. */
import { isFaultOfAll } from '../db/due-rows.ts';
import { stepwise } from '../process/pages.ts';
import type { JobRef } from './config-job.ts';
import type { OldJobsRepository } from './old-jobs.repository.ts';

const JOBS_AT_ONCE = 100;
const TARGETS_AT_ONCE = 1_000;

/** `onSetAside` is called for a job that cannot be removed, which holds up no other one. */
export function createOldJobsRemoval(
  jobs: OldJobsRepository,
  onSetAside: (job: JobRef, error: unknown) => void,
) {
  async function removeJob(job: JobRef, shouldContinue: () => boolean): Promise<void> {
    const removeNext = async (after: string | null) =>
      (await jobs.removeTargets(job, after, TARGETS_AT_ONCE)).last;
    if (await stepwise(removeNext, shouldContinue)) await jobs.removeOrKeep(job);
  }

  /** Stops early when `shouldContinue` returns false. */
  return async (days: number, shouldContinue: () => boolean): Promise<void> => {
    let found: JobRef[];
    do {
      found = await jobs.list(days, JOBS_AT_ONCE);
      for (const job of found) {
        if (!shouldContinue()) return;
        await removeJob(job, shouldContinue).catch(async (error) => {
          if (isFaultOfAll(error)) throw error;
          await jobs.setAside(job, days);
          onSetAside(job, error);
        });
      }
    } while (found.length === JOBS_AT_ONCE && shouldContinue());
  };
}
