/**
 * Jobs of more devices than one transaction should lock, and jobs that start later. The request stores the
 * job with all its targets queued, from the second stage on; they become visible in one commit. The run of
 * the job then offers the change in chunks. No device is locked before its chunk, so requests of devices and
 * customers are answered as always.
 */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import type {
  ChangingDevice,
  DeviceScope,
  PendingChangesRepository,
} from '../devices/pending-changes.repository.ts';
import { pages } from '../process/pages.ts';
import type { ApplyPlanner } from './apply-planner.service.ts';
import type { JobToBegin } from './begin-job.service.ts';
import type { DeviceChange } from './changes.service.ts';
import { firstStageSize, type JobRef } from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';

export interface Applied {
  /** Null when there are no devices. */
  jobId: string | null;
  /** Serials as registered, in the order sent or by asset id. */
  applied: string[];
}

export interface LargeJobsDeps {
  pendingIn(sql: Database): Pick<PendingChangesRepository, 'countActive' | 'listActive'>;
  jobsIn(sql: Database): Pick<ConfigJobsRepository, 'insert' | 'updateTargetCount'>;
  targetsIn(sql: Database): Pick<ConfigTargetsRepository, 'insert' | 'insertRetryable' | 'countRetryable'>;
  planner: Pick<ApplyPlanner, 'findSnapshot' | 'compile' | 'storeChanges'>;
  /**
   * Runs after the commit, without being awaited; the sweep starts jobs whose process died before this call.
   */
  startJob(job: JobRef): void;
  /** A job of more devices is large. */
  largeAbove: number;
}

export type LargeApply = Pick<
  JobToBegin,
  'organizationId' | 'profileSlug' | 'rollout' | 'startAt' | 'deadlineMinutes'
> & { groupId: string | null };
export type LargeJobs = ReturnType<typeof createLargeJobs>;

/**
 * The first stage of a large job is empty: the run begins the second one, in chunks, like any further stage.
 */
const FIRST_STAGE = 2;
/** Number of pages of the smallest large job. */
const PAGES = 4;

export function createLargeJobs(deps: LargeJobsDeps) {
  const { pendingIn, jobsIn, targetsIn, planner, largeAbove } = deps;
  /** Pages may be larger than chunks, because reading locks nothing. */
  const pageSize = Math.ceil(largeAbove / PAGES);
  const isLarge = (targetCount: number): boolean => targetCount > largeAbove;

  async function queuePage(
    sql: Database,
    job: JobRef,
    devices: ChangingDevice[],
    { snapshot, ...queue }: { snapshot: JobToBegin['profileSnapshot']; left: number; isActive: boolean },
  ): Promise<void> {
    const compiled = await planner.compile(sql, job.organizationId, snapshot, devices);
    await queueChanges(sql, job, await planner.storeChanges(sql, job.organizationId, compiled), queue);
  }

  /** The first `left` devices form the first stage. Targets of a job that has not started are inactive. */
  async function queueChanges(
    sql: Database,
    job: JobRef,
    changes: DeviceChange[],
    { left, isActive }: { left: number; isActive: boolean },
  ): Promise<void> {
    const targets = changes.map(({ device: { assetId }, changeId, groupId }, index) => ({
      assetId,
      changeId,
      groupId,
      stage: index < left ? FIRST_STAGE : FIRST_STAGE + 1,
      state: 'queued' as const,
    }));
    await targetsIn(sql).insert(job, targets, { isActive });
  }

  return {
    isLarge,

    async isForAll(sql: Database, scope: DeviceScope): Promise<boolean> {
      return isLarge(await pendingIn(sql).countActive(scope, largeAbove + 1));
    },

    /**
     * Queues targets for all active devices, or the members of a group, page by page. A device that is
     * registered or joins meanwhile may be left out.
     */
    async apply({ sql, afterCommit }: Transaction, { groupId, ...request }: LargeApply): Promise<Applied> {
      const { organizationId, profileSlug, rollout } = request;
      const scope = { organizationId, groupId };
      const snapshot = await planner.findSnapshot(sql, organizationId, profileSlug);
      const targetCount = await pendingIn(sql).countActive(scope, Number.MAX_SAFE_INTEGER);
      const first = firstStageSize(targetCount, rollout);
      const stageCount = first < targetCount ? FIRST_STAGE + 1 : FIRST_STAGE;
      const newJob = { ...request, profileSnapshot: snapshot, retryOfJobId: null, targetCount, stageCount };
      const job = await jobsIn(sql).insert(newJob);
      const applied: string[] = [];
      const readPage = (after: ChangingDevice | null) =>
        pendingIn(sql).listActive(scope, { after: after?.assetId ?? null, limit: pageSize });
      for await (const page of pages(pageSize, readPage)) {
        await queuePage(sql, job, page, {
          snapshot,
          left: rollout ? first - applied.length : page.length,
          isActive: request.startAt === null,
        });
        for (const { serialNumber } of page) applied.push(serialNumber);
      }
      if (applied.length !== targetCount) await jobsIn(sql).updateTargetCount(job, applied.length);
      afterCommit(() => deps.startJob(job));
      return { jobId: job.jobId, applied };
    },

    /** The change is compiled again, for the capabilities of that moment, when it is offered. */
    async queue(
      { sql, afterCommit }: Transaction,
      newJob: JobToBegin,
      changes: DeviceChange[],
    ): Promise<JobRef> {
      const targetCount = changes.length;
      const left = firstStageSize(targetCount, newJob.rollout);
      const stageCount = left < targetCount ? FIRST_STAGE + 1 : FIRST_STAGE;
      const job = await jobsIn(sql).insert({ ...newJob, targetCount, stageCount });
      const isActive = newJob.startAt === null;
      for (let at = 0; at < changes.length; at += pageSize) {
        await queueChanges(sql, job, changes.slice(at, at + pageSize), { left: left - at, isActive });
      }
      afterCommit(() => deps.startJob(job));
      return job;
    },

    async isForRetry(sql: Database, retried: JobRef): Promise<boolean> {
      return isLarge(await targetsIn(sql).countRetryable(retried));
    },

    async retry({ sql, afterCommit }: Transaction, newJob: JobToBegin, retried: JobRef): Promise<JobRef> {
      const job = await jobsIn(sql).insert({ ...newJob, targetCount: 0, stageCount: FIRST_STAGE });
      const targetCount = await targetsIn(sql).insertRetryable(job, retried, FIRST_STAGE);
      await jobsIn(sql).updateTargetCount(job, targetCount);
      afterCommit(() => deps.startJob(job));
      return job;
    },
  };
}
