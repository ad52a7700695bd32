/**
 * The work of a worker on command: its sweeps, and the passes of a job's run as in
 * `workflows/apply-profile.ts`. A real worker costs a test the processor for as long as it runs, and acts at
 * unknown times.
 */

import type { ComposeOptions } from '../../src/compose/resources.ts';
import { composeSlices } from '../../src/compose/slices.ts';
import type { JobRef } from '../../src/config-jobs/config-job.ts';
import { createGroupWithdrawalsRepository } from '../../src/config-jobs/group-withdrawals.repository.ts';
import { query } from '../../src/db/query.ts';
import { stepwise } from '../../src/process/pages.ts';
import { openTestResources } from './resources.ts';
import type { TestService } from './service.ts';
import { useStarted } from './use-started.ts';

const LISTED_MAX = 100;

export interface Steps {
  /** Sweeps for overdue devices, once. */
  sweepOffline(): Promise<void>;
  /** Sweeps for alerts that escalate for a whole fleet, and acknowledges the others, once. */
  escalateFleets(): Promise<void>;
  /** Makes open escalations follow changes of their policies and of mutes, once. */
  followChanges(): Promise<void>;
  /**
   * Withdraws pending changes of large groups, chunk by chunk, until none is left or `shouldContinue` returns false. A
   * failed step is left to the next call, as Temporal would repeat it.
   */
  withdraw(shouldContinue?: () => boolean): Promise<void>;
  /** Starts a scheduled job now, and offers its first stage, as its run does when its time has come. */
  startNow(job: JobRef): Promise<void>;
  /** Offers calendars at new offsets from UTC, once. */
  syncUtcOffsets(): Promise<unknown>;
  /** Removes jobs that ended more than this many days ago. */
  removeOldJobs(days: number): Promise<void>;
  /** Runs all jobs until they wait for devices or have ended. */
  runJobs(): Promise<void>;
  /** Runs a job until it waits for devices or has ended. */
  runJob(job: JobRef, afterChunk?: () => Promise<unknown>): Promise<void>;
  /** Ends all running jobs, as their runs do when the deadline has passed. */
  expireJobs(): Promise<void>;
  /** The first chunk of an abort. */
  beginAbort(jobId: string): Promise<void>;
  /** The step with which the run of a job ends it, once it has found the deadline passed. */
  endLate(jobId: string): Promise<void>;
  /** Both at once, as in a worker, until neither has anything left to do. */
  work(): Promise<void>;
  close(): Promise<void>;
}

type InChunks = (next: (after: string | null) => Promise<string | null>) => Promise<unknown>;

type StepsOptions = Partial<Pick<ComposeOptions, 'now' | 'log'>>;

/** The work of a worker of the service for the tests of a describe block. */
export const useSteps = (dms: TestService, options: StepsOptions = {}): Steps =>
  useStarted(
    () => openSteps(dms, options),
    (steps) => steps.close(),
  );

export function openSteps({ settings }: Pick<TestService, 'settings'>, options: StepsOptions = {}): Steps {
  const resources = openTestResources({ settings, ...options });
  const { presence, groups, configJobs, escalations } = composeSlices(resources);
  const { jobRun } = configJobs;

  async function withdraw(shouldContinue = () => true): Promise<void> {
    const left = await createGroupWithdrawalsRepository(resources.sql).listWithoutWorkflow(0, LISTED_MAX);
    for (const withdrawal of left)
      await stepwise(() => groups.withdrawals.withdrawNext(withdrawal), shouldContinue).catch(() => {});
  }

  const listRunning = () =>
    query<JobRef>(
      resources.sql,
      `select organization_id as "organizationId", id as "jobId" from config_jobs where status = 'running'`,
      [],
    );

  const findRunning = async (jobId: string) => (await listRunning()).find((job) => job.jobId === jobId);

  async function runJobs(): Promise<void> {
    for (const job of await listRunning()) await runJob(job);
  }

  async function runJob(job: JobRef, afterChunk: () => Promise<unknown> = async () => {}): Promise<void> {
    const inChunks = (next: (after: string | null) => Promise<string | null>) =>
      stepwise(async (after: string | null) => {
        const last = await next(after);
        await afterChunk();
        return last;
      });
    while (await passes(job, inChunks));
  }

  /** One pass of a run. Returns whether another one follows at once. */
  async function passes(job: JobRef, inChunks: InChunks): Promise<boolean> {
    const state = await jobRun.getJobState(job);
    if (state?.status !== 'running') return false;
    const { verdict, stage, stages, untilDeadlineMs } = state;
    if (untilDeadlineMs <= 0) await inChunks((after) => jobRun.endNext(job, 'completed', after));
    else if (verdict === 'abort') await inChunks((after) => jobRun.endNext(job, 'aborted', after));
    else if (verdict === 'wait') return false;
    else if (stage === stages) await inChunks((after) => jobRun.endNext(job, 'completed', after));
    else await inChunks((after) => jobRun.offerNext(job, stage + 1, after));
    return true;
  }

  return {
    sweepOffline: presence.sweepOffline,
    escalateFleets: () => escalations.escalateFleets(() => true),
    followChanges: () => escalations.followChanges(() => true),
    withdraw,
    async startNow(job) {
      await query(resources.sql, 'update config_jobs set start_at = now() where id = ?', [job.jobId]);
      await stepwise((after: string | null) => jobRun.startNext(job, after));
      await stepwise((after: string | null) => jobRun.offerNext(job, 1, after));
    },
    syncUtcOffsets: () => configJobs.syncUtcOffsets(() => true),
    removeOldJobs: (days) => configJobs.removeOldJobs(days, () => true),
    runJobs,
    runJob,
    async expireJobs() {
      await query(resources.sql, "update config_jobs set deadline_at = ? where status = 'running'", [
        resources.now(),
      ]);
      for (const job of await listRunning()) {
        await stepwise((after: string | null) => jobRun.endNext(job, 'completed', after));
      }
    },
    async beginAbort(jobId) {
      const job = await findRunning(jobId);
      if (job) await jobRun.endNext(job, 'aborted', null);
    },
    async endLate(jobId) {
      const job = await findRunning(jobId);
      if (job) await stepwise((after: string | null) => jobRun.endNext(job, 'completed', after));
    },
    async work() {
      await Promise.all([withdraw(), runJobs()]);
      // Either may have skipped rows that the other had locked.
      await withdraw();
      await runJobs();
    },
    async close() {
      await configJobs.flush();
      await escalations.flush();
      await resources.close();
    },
  };
}
