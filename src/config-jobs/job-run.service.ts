/** The activities of `workflows/apply-profile.ts`. Each is one transaction and can be repeated without harm. */
import type { Sql } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import type { PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import { evaluateStage, type JobRef, openCount } from './config-job.ts';
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
  function onRunning(ref: JobRef, change: (tx: Transaction, job: JobRow) => Promise<void>): Promise<void> {
    return transact(async (tx) => {
      const job = await jobsIn(tx.sql).lock(ref);
      if (job?.status === 'running') await change(tx, job);
    });
  }

  /** The queued targets of the stage, with their devices locked. */
  async function lockQueued(sql: Sql, job: JobRow, stage: number): Promise<DeviceChange[]> {
    const listQueued = () => targetsIn(sql).listQueued(job, stage);
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
        const job = await jobsIn(sql).findForWorkflow(ref);
        if (!job) return null;
        await jobsIn(sql).touchWorkflow(ref);
        return {
          profileSlug: job.profileSlug,
          total: job.targetCount,
          deadlineAt: job.deadlineAt.toISOString(),
        };
      });
    },

    /** Null when the job's row is gone. */
    getProgress(ref: JobRef): Promise<JobProgress | null> {
      return transact(async ({ sql }) => {
        const job = await jobsIn(sql).findForWorkflow(ref);
        if (!job) return null;
        const counts = await jobsIn(sql).countTargets(ref);
        await jobsIn(sql).touchWorkflow(ref);
        const { status, currentStage: stage, stageCount: stages, rollout } = job;
        const verdict = evaluateStage(counts, { isLast: stage === stages, rollout });
        return { status, stage, stages, verdict, counts };
      });
    },

    /** Offers the change to the devices of the stage. */
    beginStage(ref: JobRef, stage: number): Promise<void> {
      return onRunning(ref, async ({ sql, afterCommit }, job) => {
        if (job.currentStage >= stage) return;
        const stageChanges = await lockQueued(sql, job, stage);
        const superseded = await changes.put(sql, job, stageChanges);
        const begun = stageChanges.map(({ device }) => device.assetId);
        await targetsIn(sql).begin(job, begun);
        await jobsIn(sql).updateStage(job, stage);
        afterCommit(() => deps.jobsProgressed(job.organizationId, superseded));
      });
    },

    /** Ends the job; targets that are still open time out. */
    finishJob(ref: JobRef): Promise<void> {
      return onRunning(ref, async ({ sql }, job) => {
        const counts = await jobsIn(sql).countTargets(job);
        if (openCount(counts) > 0) await targetsIn(sql).timeOut(job);
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
