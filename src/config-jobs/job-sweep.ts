/**
 * Starts the workflows of jobs that run without one: a crash between commit and start, or Temporal away at that time,
 * or a Temporal server that lost its data. Starting one that runs is harmless.
 */
export interface JobSweepDeps {
  listUnattended(olderThanMs: number, limit: number): Promise<Array<{ id: string; organizationId: string }>>;
  startJob(job: { id: string; organizationId: string }): Promise<void>;
  markSeen(jobId: string): Promise<void>;
  /** A workflow looks at its job at least this often. */
  lookAgainMs: number;
}

const JOBS_PER_SWEEP = 100;
const MISSED_LOOKS = 3;

/** Answers with how many it started. */
export async function sweepJobs({
  listUnattended,
  startJob,
  markSeen,
  lookAgainMs,
}: JobSweepDeps): Promise<number> {
  const jobs = await listUnattended(lookAgainMs * MISSED_LOOKS, JOBS_PER_SWEEP);
  for (const job of jobs) {
    await startJob(job);
    await markSeen(job.id);
  }
  return jobs.length;
}
