/** The activities of `workflows/apply-profile.ts`. Each is one transaction and can be repeated without harm. */
import type { Sql } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import type { PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import { type JobRef, judgeStage, openCount } from './config-job.ts';
import type { ConfigJobsRepository, JobRow } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';
import type { FinishJob } from './finish-job.service.ts';
import type { JobPlan, JobProgress } from './job-run.ts';

export interface JobRunDeps {
  transact: Transact;
  pendingIn(sql: Sql): PendingChangesRepository;
  jobsIn(sql: Sql): ConfigJobsRepository;
  targetsIn(sql: Sql): ConfigTargetsRepository;
  changes: ChangesService;
  finishJob: FinishJob;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
}

export function createJobRunService(deps: JobRunDeps) {
  const { transact, jobsIn, targetsIn, pendingIn, changes } = deps;

  /** Does nothing when the job has ended or its row is gone. */
  function onRunning(
    { jobId }: JobRef,
    change: (tx: Transaction, job: JobRow) => Promise<void>,
  ): Promise<void> {
    return transact(async (tx) => {
      const job = await jobsIn(tx.sql).lock(jobId);
      if (job?.status === 'running') await change(tx, job);
    });
  }

  /** The queued targets of the stage, with their devices locked. */
  async function lockQueued(sql: Sql, job: JobRow, stage: number): Promise<DeviceChange[]> {
    const listQueued = () => targetsIn(sql).listQueued(job.jobId, stage);
    const assetIds = (await listQueued()).map(({ assetId }) => assetId);
    const devices = await pendingIn(sql).lockAssets(job.organizationId, assetIds);
    // Read again under the locks: a later job may have superseded some targets in between.
    const queued = new Map((await listQueued()).map((target) => [target.assetId, target]));
    return devices.flatMap((device) => {
      const target = queued.get(device.assetId);
      return target ? [{ device, changeId: target.changeId }] : [];
    });
  }

  return {
    /** Null when the job's row is gone. */
    getPlan(ref: JobRef): Promise<JobPlan | null> {
      return transact(async ({ sql }) => {
        const job = await jobsIn(sql).findForWorkflow(ref.jobId);
        if (!job) return null;
        await jobsIn(sql).touchWorkflow(ref);
        return { profileSlug: job.profileSlug, total: job.total, deadlineAt: job.deadlineAt.toISOString() };
      });
    },

    /** Null when the job's row is gone. */
    getProgress(ref: JobRef): Promise<JobProgress | null> {
      return transact(async ({ sql }) => {
        const job = await jobsIn(sql).findForWorkflow(ref.jobId);
        if (!job) return null;
        const counts = await jobsIn(sql).count(ref.jobId);
        await jobsIn(sql).touchWorkflow(ref);
        const { status, stage, stages, rollout } = job;
        const verdict = judgeStage(counts, { isLast: stage === stages, rollout });
        return { status, stage, stages, verdict, counts };
      });
    },

    /** Offers the change to the devices of the stage. */
    beginStage(ref: JobRef, stage: number): Promise<void> {
      return onRunning(ref, async ({ sql, afterCommit }, job) => {
        if (job.stage >= stage) return;
        const { organizationId, jobId } = job;
        const stageChanges = await lockQueued(sql, job, stage);
        const superseded = await changes.put(sql, organizationId, jobId, stageChanges);
        const begun = stageChanges.map(({ device }) => device.assetId);
        await targetsIn(sql).begin(jobId, begun);
        await jobsIn(sql).updateStage(jobId, stage);
        afterCommit(() => deps.jobsProgressed(organizationId, superseded));
      });
    },

    /** Ends the job; targets that are still open time out. */
    finishJob(ref: JobRef): Promise<void> {
      return onRunning(ref, async ({ sql }, job) => {
        const counts = await jobsIn(sql).count(job.jobId);
        if (openCount(counts) > 0) await targetsIn(sql).timeOut(job.jobId);
        await deps.finishJob(sql, job);
      });
    },

    /** Ends the job and withdraws its change from every device that has not confirmed it. */
    abortJob(ref: JobRef): Promise<void> {
      return onRunning(ref, async ({ sql }, job) => {
        await changes.withdrawOpen(sql, job, 'too many devices failed: the job was aborted');
        await deps.finishJob(sql, job, 'aborted');
      });
    },
  };
}
