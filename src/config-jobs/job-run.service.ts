/** Steps of `workflows/apply-profile.ts`. Each is one transaction and can be repeated without harm. */
import type { Database } from '../db/database.ts';
import { readClock } from '../db/database-clock.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import type { ChangingDevice } from '../devices/pending-changes.repository.ts';
import { lastOf } from '../process/pages.ts';
import type { ApplyPlanner } from './apply-planner.service.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import { abortReason, type Counts, evaluateStage, type Job, type JobRef } from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository, TargetPage } from './config-targets.repository.ts';
import type { DeviceTargetsRepository } from './device-targets.repository.ts';
import type { GroupChanges } from './group-changes.service.ts';
import type { Ending, JobEnding } from './job-ending.service.ts';
import type { AwaitedDevice, JobState } from './job-run.ts';
import type { JobRunsRepository } from './job-runs.repository.ts';

interface JobRunDeps {
  transact: Transact;
  jobsIn(sql: Database): ConfigJobsRepository;
  runsIn(sql: Database): Pick<JobRunsRepository, 'touchWorkflow' | 'findTitle'>;
  targetsIn(sql: Database): ConfigTargetsRepository;
  deviceTargetsIn(sql: Database): Pick<DeviceTargetsRepository, 'replaceChanges'>;
  planner: Pick<ApplyPlanner, 'compile' | 'storeChanges'>;
  changes: ChangesService;
  jobEnding: Pick<JobEnding, 'endNext'>;
  groupChanges: Pick<GroupChanges, 'lockAssets'>;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
  /** Number of devices in one transaction. */
  chunkSize: number;
}

const AWAITED_SHOWN = 10;

export function createJobRunService(deps: JobRunDeps) {
  const { transact, jobsIn, runsIn, targetsIn, planner, changes, chunkSize } = deps;

  /** Does nothing, and returns null, when the job has ended or its row is gone. */
  const onRunning = <T>(ref: JobRef, change: (tx: Transaction, job: Job) => Promise<T>) =>
    onStatus('running', ref, change);

  function onStatus<T>(
    status: 'scheduled' | 'running',
    ref: JobRef,
    change: (tx: Transaction, job: Job) => Promise<T>,
  ): Promise<T | null> {
    return transact(async (tx) => {
      const job = await jobsIn(tx.sql).lock(ref);
      if (job?.status !== status) return null;
      // The sweep looks for the runs of other jobs, however many chunks this one has left.
      await runsIn(tx.sql).touchWorkflow(ref);
      return change(tx, job);
    });
  }

  /** Locks the devices of the listed targets. Returns the targets that are still queued. */
  async function lockQueued(tx: Transaction, job: Job, stage: number, page: TargetPage) {
    const { sql } = tx;
    const listed = await targetsIn(sql).listQueued(job, stage, page);
    const assetIds = listed.map(({ assetId }) => assetId);
    const devices = await deps.groupChanges.lockAssets(tx, job.organizationId, assetIds);
    // Reads again under the locks, because a later job may have superseded some targets in between.
    const queued = new Map(
      (await targetsIn(sql).listQueued(job, stage, page)).map((target) => [target.assetId, target]),
    );
    const crowded = await targetsIn(sql).failCrowded(job, [...queued.keys()]);
    const queuedChanges = devices.flatMap((device) => {
      const target = queued.get(device.assetId);
      return target && !crowded.has(device.assetId) ? [{ device, changeId: target.changeId }] : [];
    });
    const locked = new Set(devices.map(({ assetId }) => assetId));
    const archived = assetIds.filter((assetId) => !locked.has(assetId));
    return { listed, queuedChanges, archived };
  }

  /**
   * Compiles under the lock, because the capabilities of the devices may have changed since the request.
   */
  async function compileAgain(
    sql: Database,
    job: Job,
    queued: Array<DeviceChange & { device: ChangingDevice }>,
  ): Promise<DeviceChange[]> {
    const { organizationId, jobId } = job;
    const devices = queued.map(({ device }) => device);
    const compiled = await planner.compile(sql, organizationId, job.profileSnapshot, devices);
    const changes = await planner.storeChanges(sql, organizationId, compiled);
    const changed = changes.filter(({ changeId }, index) => changeId !== queued[index]?.changeId);
    await deps
      .deviceTargetsIn(sql)
      .replaceChanges(
        changed.map(({ device: { assetId }, changeId }) => ({ organizationId, assetId, jobId, changeId })),
      );
    return changes;
  }

  /** Decided before the first chunk, because chunks cancel targets and so change the counts. */
  async function beginAbort(sql: Database, job: Job): Promise<string | null> {
    if (job.rollout === null) return null;
    const reason = abortReason(await jobsIn(sql).countTargets(job), job.rollout);
    await jobsIn(sql).markAborting(job, reason);
    return reason;
  }

  /** What the run has read may have changed since: the deadline, the targets, or that the next stage is to begin. */
  async function mayContinue(sql: Database, job: Job, ending: Ending): Promise<boolean> {
    if (ending === 'completed' && job.deadlineAt <= (await readClock(sql))) return false;
    const verdict = evaluateJob(job, await jobsIn(sql).countTargets(job));
    if (ending === 'aborted') return verdict !== 'abort';
    return verdict !== 'proceed' || job.currentStage < job.stageCount;
  }

  /** Looks at the devices of earlier chunks of the stage, too. */
  const isToAbort = async (sql: Database, job: Job): Promise<boolean> =>
    job.rollout !== null && evaluateJob(job, await jobsIn(sql).countTargets(job)) === 'abort';

  async function listAwaited(sql: Database, ref: JobRef): Promise<AwaitedDevice[]> {
    const targets = await targetsIn(sql).listAwaited(ref, AWAITED_SHOWN);
    const assetIds = targets.map(({ assetId }) => assetId);
    const serials = await targetsIn(sql).findSerials(ref.organizationId, assetIds);
    return targets.map(({ assetId, expectedBy }) => ({
      serialNumber: serials.get(assetId) as string,
      expectedBy: expectedBy?.toISOString() ?? null,
    }));
  }

  return {
    /** Null when the job's row is gone. */
    getJobState(ref: JobRef): Promise<JobState | null> {
      return transact(async ({ sql }) => {
        const job = await jobsIn(sql).find(ref);
        const title = job && (await runsIn(sql).findTitle(ref));
        if (!title) return null;
        await runsIn(sql).touchWorkflow(ref);
        const counts = job.targetCounts;
        const verdict = evaluateJob(job, counts);
        const isWaiting = job.status === 'running' && verdict === 'wait';
        const { startAt, deadlineAt } = job;
        const now = await readClock(sql);
        const msUntil = (at: Date): number => at.getTime() - now.getTime();
        return {
          ...title,
          status: job.status,
          total: job.targetCount,
          counts,
          stage: job.currentStage,
          stages: job.stageCount,
          verdict,
          startAt: startAt?.toISOString() ?? null,
          untilStartMs: startAt === null ? 0 : msUntil(startAt),
          deadlineAt: deadlineAt.toISOString(),
          untilDeadlineMs: msUntil(deadlineAt),
          waitingFor: isWaiting ? await listAwaited(sql, ref) : [],
          details: { createdAt: job.createdAt.toISOString(), rollout: job.rollout, chunkSize },
        };
      });
    },

    /** Whether the run has something to do besides waiting. */
    async isDue(ref: JobRef): Promise<boolean> {
      return transact(async ({ sql }) => {
        const job = await jobsIn(sql).findForWorkflow(ref);
        // The timer of the run was set by a clock that may have been slow.
        if (job?.status === 'scheduled') return job.startAt !== null && job.startAt <= (await readClock(sql));
        if (job?.status !== 'running') return false;
        return evaluateJob(job, await jobsIn(sql).countTargets(ref)) !== 'wait';
      });
    },

    /**
     * Starts a scheduled job: makes its next targets, ordered by asset id, visible to later changes. Returns
     * the last one; null when the job is running, or has ended.
     */
    startNext(ref: JobRef, after: string | null): Promise<string | null> {
      return onStatus('scheduled', ref, async ({ sql }, job) => {
        const last = await targetsIn(sql).activateNext(job, { after, limit: chunkSize });
        if (last === null) await jobsIn(sql).markRunning(job);
        return last;
      });
    },

    /**
     * Offers the change to the next devices of the stage, ordered by asset id. Returns the last one; null
     * when all devices of the stage have begun, or the job has ended, was cancelled, is to be aborted, or its
     * deadline has passed.
     */
    offerNext(ref: JobRef, stage: number, after: string | null): Promise<string | null> {
      return onRunning(ref, async (tx, job) => {
        const { sql, afterCommit } = tx;
        if (job.currentStage >= stage || job.cancelRequestedAt !== null) return null;
        if (job.deadlineAt <= (await readClock(sql))) return null;
        if (await isToAbort(sql, job)) return null;
        const page = { after, limit: chunkSize };
        const { listed, queuedChanges, archived } = await lockQueued(tx, job, stage, page);
        const stageChanges = await compileAgain(sql, job, queuedChanges);
        const superseded = await changes.offer(tx, job, stageChanges);
        await targetsIn(sql).begin(
          job,
          stageChanges.map(({ device }) => device.assetId),
        );
        await targetsIn(sql).cancelQueued(job, archived, 'the asset was archived');
        const last = lastOf(listed, chunkSize)?.assetId ?? null;
        if (last === null) await jobsIn(sql).updateStage(job, stage);
        else if (!job.isBeginningStage) await jobsIn(sql).markBeginningStage(job);
        afterCommit(() => deps.jobsProgressed(job.organizationId, superseded));
        return last;
      });
    },

    /**
     * Ends the next targets of the job; as cancelled if a customer has cancelled it, and as aborted if its abort has
     * begun. Returns the last target of the chunk; null when the job has ended, or may continue since the run has read it.
     */
    endNext(ref: JobRef, ending: Ending, after: string | null): Promise<string | null> {
      return onRunning(ref, async (tx, job) => {
        if (job.cancelRequestedAt !== null) {
          // A step that began before the cancel has passed devices that still have the change.
          const isOfCancel = ending === 'aborted' && job.reason === null;
          return deps.jobEnding.endNext(tx, job, 'cancelled', isOfCancel ? after : null);
        }
        if (job.reason !== null) return deps.jobEnding.endNext(tx, job, 'aborted', after);
        if (after === null && (await mayContinue(tx.sql, job, ending))) return null;
        const reason = ending === 'aborted' ? await beginAbort(tx.sql, job) : null;
        return deps.jobEnding.endNext(tx, { ...job, reason }, ending, after);
      });
    },
  };
}

/** A cancelled job is ended by the same steps as an aborted one. An abort that has begun goes on, whatever its chunks count. */
const evaluateJob = (job: Job, counts: Counts) =>
  job.cancelRequestedAt === null && job.reason === null
    ? evaluateStage(counts, {
        isLast: job.currentStage === job.stageCount,
        isNextBeginning: job.isBeginningStage,
        rollout: job.rollout,
      })
    : 'abort';
