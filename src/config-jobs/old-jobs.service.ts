/** Removes jobs that ended long ago, with their targets. */
import type { JobRef } from './config-job.ts';
import type { OldJobsRepository } from './old-jobs.repository.ts';

const JOBS_AT_ONCE = 100;
const TARGETS_AT_ONCE = 1_000;

export function createOldJobsRemoval(jobs: OldJobsRepository) {
  async function removeJob(job: JobRef, goesOn: () => boolean): Promise<void> {
    let after: string | null = null;
    do {
      ({ last: after } = await jobs.removeTargets(job, after, TARGETS_AT_ONCE));
    } while (after !== null && goesOn());
    if (after === null) await jobs.removeOrKeep(job);
  }

  /** Stops early when `goesOn` says so. */
  return async (days: number, goesOn: () => boolean): Promise<void> => {
    let found: JobRef[];
    do {
      found = await jobs.list(days, JOBS_AT_ONCE);
      for (const job of found) if (goesOn()) await removeJob(job, goesOn);
    } while (found.length === JOBS_AT_ONCE && goesOn());
  };
}
