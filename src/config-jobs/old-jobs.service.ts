/** Removes jobs that ended long ago, with their targets. */
import { stepwise } from '../process/pages.ts';
import type { JobRef } from './config-job.ts';
import type { OldJobsRepository } from './old-jobs.repository.ts';

const JOBS_AT_ONCE = 100;
const TARGETS_AT_ONCE = 1_000;

export function createOldJobsRemoval(jobs: OldJobsRepository) {
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
      for (const job of found) if (shouldContinue()) await removeJob(job, shouldContinue);
    } while (found.length === JOBS_AT_ONCE && shouldContinue());
  };
}
