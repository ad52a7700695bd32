/** The steps of a job's course, as its workflow calls them: each can be repeated without harm. */
import type { Sql } from '../db/database.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import type { PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import type { ChangesService } from './changes.service.ts';
import { judgeStage, openCount } from './config-job.ts';
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
  jobsProgressed(jobIds: string[]): void;
}

export function createJobRunService(deps: JobRunDeps) {
  const { transact, jobsIn, targetsIn, pendingIn, changes } = deps;

  /** Runs the step on the locked job, if it is still running. */
  function onRunning(jobId: string, step: (tx: Transaction, job: JobRow) => Promise<void>): Promise<void> {
    return transact(async (tx) => {
      const job = await jobsIn(tx.sql).lock(jobId);
      if (job?.status === 'running') await step(tx, job);
    });
  }

  return {
    plan(jobId: string): Promise<JobPlan | null> {
      return transact(async ({ sql }) => {
        const job = await jobsIn(sql).findForWorkflow(jobId);
        if (!job) return null;
        await jobsIn(sql).touchWorkflow(jobId);
        return { profileSlug: job.profileSlug, total: job.total, deadlineAt: job.deadlineAt.toISOString() };
      });
    },

    progress(jobId: string): Promise<JobProgress> {
      return transact(async ({ sql }) => {
        const job = (await jobsIn(sql).findForWorkflow(jobId)) as JobRow;
        const counts = await jobsIn(sql).count(jobId);
        await jobsIn(sql).touchWorkflow(jobId);
        const { status, stage, stages, rollout } = job;
        const verdict = judgeStage(counts, { isLast: stage === stages, rollout });
        return { status, stage, stages, verdict, counts };
      });
    },

    /** Puts the change on the devices of the stage. */
    beginStage(jobId: string, stage: number): Promise<void> {
      return onRunning(jobId, async ({ sql, afterCommit }, { organizationId, stage: begun }) => {
        if (begun >= stage) return;
        const listed = await targetsIn(sql).listQueued(jobId, stage);
        const devices = await pendingIn(sql).lockAssets(
          organizationId,
          listed.map(({ assetId }) => assetId),
        );
        // Read again under the locks: a later job may have taken some over in between.
        const queued = new Map(
          (await targetsIn(sql).listQueued(jobId, stage)).map((each) => [each.assetId, each]),
        );
        const stageChanges = devices.flatMap((device) => {
          const target = queued.get(device.assetId);
          return target ? [{ device, changeId: target.changeId }] : [];
        });
        const superseded = await changes.put(sql, organizationId, jobId, stageChanges);
        await targetsIn(sql).begin(
          jobId,
          stageChanges.map(({ device }) => device.assetId),
        );
        await jobsIn(sql).updateStage(jobId, stage);
        afterCommit(() => deps.jobsProgressed(superseded));
      });
    },

    /** Ends the job: what is still open has timed out. */
    finish(jobId: string): Promise<void> {
      return onRunning(jobId, async ({ sql }, job) => {
        if (openCount(await jobsIn(sql).count(jobId)) > 0) await targetsIn(sql).timeOut(jobId);
        await deps.finishJob(sql, job);
      });
    },

    /** Ends the job and takes its change back from all devices that have not settled. */
    abort(jobId: string): Promise<void> {
      return onRunning(jobId, async ({ sql }, job) => {
        await changes.withdrawOpen(sql, job, 'too many devices failed: the job was aborted');
        await deps.finishJob(sql, job, 'aborted');
      });
    },
  };
}
