/** The operations of customers on jobs. Each is one transaction, for all devices or none. */
import { NO_SUCH_GROUP } from '../assets/asset.ts';
import type { Database } from '../db/database.ts';
import { readClock } from '../db/database-clock.ts';
import type { Transact, Transaction } from '../db/transaction.ts';
import { CLIENT_AHEAD_MS, DAY_MS, isSoonAfter, MINUTE_MS } from '../process/durations.ts';
import { conflict, invalid, notFound, orNotFound } from '../process/errors.ts';
import type { ApplyPlanner, ChosenDevices, Plan } from './apply-planner.service.ts';
import type { BeginJob } from './begin-job.service.ts';
import type { DeviceChange } from './changes.service.ts';
import type { Preview, PreviewedDevice } from './compile-devices.ts';
import {
  type ConfigJob,
  DEADLINE_MINUTES_DEFAULT,
  DEADLINE_MINUTES_MAX,
  hasEnded,
  isBeingCancelled,
  type Job,
  type JobRef,
  type JobScope,
  NO_SUCH_JOB,
  type Rollout,
  START_DAYS_MAX,
} from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository, RetryableTarget } from './config-targets.repository.ts';
import type { GroupChanges } from './group-changes.service.ts';
import type { JobEnding } from './job-ending.service.ts';

interface ApplyRequest {
  chosen: ChosenDevices;
  /** Null: starts at once. */
  startAt: Date | null;
  deadlineMinutes: number;
  rollout: Rollout | null;
}

export interface Applied {
  /** Null when there are no devices. */
  jobId: string | null;
  /** Serials as registered, in the order sent or by asset id. */
  applied: string[];
}

interface PreviewRequest extends Pick<ApplyRequest, 'chosen' | 'startAt'> {
  /** Whether the answer lists the serial numbers. */
  isListed: boolean;
}

interface PreviewedApply {
  /** Serial numbers. */
  applied: string[];
  appliedCount: number;
  preview: Preview[];
}

const DAY_MINUTES = 1_440;

interface ConfigJobsDeps {
  jobsIn(
    sql: Database,
  ): Pick<
    ConfigJobsRepository,
    'lock' | 'find' | 'hasOpenRetry' | 'requestCancel' | 'markBeginningStage' | 'updateDeadline'
  >;
  targetsIn(sql: Database): Pick<ConfigTargetsRepository, 'listRetryable'>;
  groupsIn(sql: Database): { exists(organizationId: string, groupId: string): Promise<boolean> };
  planner: ApplyPlanner;
  beginJob: BeginJob;
  jobEnding: Pick<JobEnding, 'end'>;
  groupChanges: Pick<GroupChanges, 'lockAssets' | 'isWithdrawing'>;
  jobChanged(job: JobRef): void;
}

export type ConfigJobsService = ReturnType<typeof createConfigJobsService>;

export function createConfigJobsService(deps: ConfigJobsDeps) {
  const { jobsIn, targetsIn, planner, beginJob } = deps;

  async function requireSoon(sql: Database, startAt: Date | null): Promise<void> {
    if (startAt === null) return;
    if (!isSoonAfter(startAt, await readClock(sql), START_DAYS_MAX * DAY_MS))
      throw invalid(`startAt must be in the future, at most ${START_DAYS_MAX} days ahead`);
  }

  async function requireGroup(
    sql: Database,
    organizationId: string,
    { groupId }: ChosenDevices,
  ): Promise<void> {
    if (groupId !== null && !(await deps.groupsIn(sql).exists(organizationId, groupId))) {
      throw notFound(NO_SUCH_GROUP);
    }
  }

  /** An id of another organization is answered like an unknown one. */
  async function lockOwn(sql: Database, ref: JobRef): Promise<Job> {
    return orNotFound(await jobsIn(sql).lock(ref), NO_SUCH_JOB);
  }

  /** Changes a job that has not ended, and wakes its run. */
  function changeOpen(
    transact: Transact,
    ref: JobRef,
    change: (sql: Database, job: Job) => Promise<void>,
  ): Promise<ConfigJob> {
    return transact(async ({ sql, afterCommit }) => {
      const job = await lockOwn(sql, ref);
      if (hasEnded(job.status)) throw conflict(`The job is not running: it is ${job.status}`);
      if (isBeingCancelled(job)) throw conflict('The job is being cancelled');
      if (job.reason !== null) throw conflict('The job is being aborted');
      await change(sql, job);
      afterCommit(() => deps.jobChanged(job));
      return (await jobsIn(sql).find(job)) as ConfigJob;
    });
  }

  /** Locks the devices that may still get the change, and compiles it for what they have shown and run by now. */
  async function lockRetryable(
    tx: Transaction,
    job: Job,
    listed: RetryableTarget[],
  ): Promise<DeviceChange[]> {
    const assetIds = listed.map(({ assetId }) => assetId);
    const locked = await deps.groupChanges.lockAssets(tx, job.organizationId, assetIds);
    // Reads again under the locks, because a report may have confirmed some targets in between.
    const retryable = await targetsIn(tx.sql).listRetryable(job);
    const groupOf = new Map(retryable.map(({ assetId, groupId }) => [assetId, groupId]));
    const devices = locked.filter(({ assetId }) => groupOf.has(assetId));
    const compiled = await planner.compile(tx.sql, job.organizationId, job.profileSnapshot, devices);
    const changes = await planner.storeChanges(tx.sql, job.organizationId, compiled);
    return changes.map((change) => ({ ...change, groupId: groupOf.get(change.device.assetId) ?? null }));
  }

  async function previewPlan(
    sql: Database,
    organizationId: string,
    plan: Plan<PreviewedDevice>,
  ): Promise<Omit<PreviewedApply, 'applied'>> {
    const preview = await planner.preview(sql, organizationId, plan);
    return { appliedCount: preview.reduce((total, { deviceCount }) => total + deviceCount, 0), preview };
  }

  return {
    apply(transact: Transact, organizationId: string, slug: string, request: ApplyRequest): Promise<Applied> {
      const { chosen, rollout, startAt, deadlineMinutes } = request;
      return transact(async (tx) => {
        await requireSoon(tx.sql, startAt);
        await requireGroup(tx.sql, organizationId, chosen);
        const plan = await planner.plan(tx, { organizationId, slug, chosen, isOffered: startAt === null });
        const { profileSnapshot, compiled } = plan;
        if (compiled.length === 0) return { jobId: null, applied: [] };
        const changes = await planner.storeChanges(tx.sql, organizationId, compiled);
        const job = { organizationId, profileSlug: slug, profileSnapshot, rollout, startAt, deadlineMinutes };
        const newJob = { ...job, ...scopeOf(chosen), retryOfJobId: null };
        const { jobId } = await beginJob.begin(tx, newJob, changes);
        return { jobId, applied: compiled.map(({ device }) => device.serialNumber) };
      });
    },

    /**
     * The result that an apply would have, one entry per distinct configuration. Changes and locks nothing.
     */
    preview(
      transact: Transact,
      organizationId: string,
      slug: string,
      { chosen, startAt, isListed }: PreviewRequest,
    ): Promise<PreviewedApply> {
      return transact(async (tx) => {
        const { sql } = tx;
        await requireSoon(sql, startAt);
        await requireGroup(sql, organizationId, chosen);
        const request = { organizationId, slug, chosen, isOffered: false };
        if (!isListed && chosen.serialNumbers === null) {
          const plan = await planner.planCounts(sql, request);
          return { applied: [], ...(await previewPlan(sql, organizationId, plan)) };
        }
        const plan = await planner.plan(tx, request);
        const applied = isListed ? plan.compiled.map(({ device }) => device.serialNumber) : [];
        return { applied, ...(await previewPlan(sql, organizationId, plan)) };
      });
    },

    /**
     * Cancels open targets and withdraws the change from devices where it is pending. For a large job, the
     * run does this after the request; a second cancel then changes nothing. @throws conflict when the job
     * has ended.
     */
    cancel(transact: Transact, ref: JobRef): Promise<ConfigJob> {
      return transact(async (tx) => {
        const { sql, afterCommit } = tx;
        const job = await lockOwn(sql, ref);
        if (hasEnded(job.status)) throw conflict(`The job is not running: it is ${job.status}`);
        if (!isBeingCancelled(job)) await jobsIn(sql).requestCancel(job);
        if (!beginJob.isLarge(job.targetCount)) await deps.jobEnding.end(tx, job, 'cancelled');
        afterCommit(() => deps.jobChanged(job));
        return (await jobsIn(sql).find(job)) as ConfigJob;
      });
    },

    /**
     * Begins the next stage, however many devices of the first one have applied the change. A job that has too many
     * failures is aborted all the same. @throws conflict when no stage follows, or none has begun.
     */
    proceed(transact: Transact, ref: JobRef): Promise<ConfigJob> {
      return changeOpen(transact, ref, async (sql, job) => {
        if (job.status !== 'running') throw conflict('The job has not started yet');
        if (job.currentStage === job.stageCount) throw conflict('The job is in its last stage');
        if (job.currentStage === 0) throw conflict('The first stage of the job is only beginning');
        await jobsIn(sql).markBeginningStage(job);
      });
    },

    /** @throws invalid unless the deadline is later than the present one, and conflict when that has passed. */
    extend(transact: Transact, ref: JobRef, deadlineAt: Date): Promise<ConfigJob> {
      return changeOpen(transact, ref, async (sql, job) => {
        const now = (await readClock(sql)).getTime();
        const latest =
          Math.max(now, job.startAt?.getTime() ?? 0) + DEADLINE_MINUTES_MAX * MINUTE_MS + CLIENT_AHEAD_MS;
        if (deadlineAt < job.deadlineAt || deadlineAt.getTime() > latest)
          throw invalid(
            `deadlineAt must be later than the present deadline, ${job.deadlineAt.toISOString()}, and at most ${DEADLINE_MINUTES_MAX / DAY_MINUTES} days ahead`,
          );
        if (job.deadlineAt.getTime() <= now)
          throw conflict('The deadline of the job has passed: retry the job when it has ended');
        await jobsIn(sql).updateDeadline(job, deadlineAt);
      });
    },

    /**
     * Begins a job with the same change for devices that failed or timed out, and have not confirmed it
     * since.
     * @throws conflict while another retry of the job is running, or the job or its group's profile is being
     * withdrawn.
     */
    retry(transact: Transact, ref: JobRef): Promise<ConfigJob> {
      return transact(async (tx) => {
        const retried = await lockOwn(tx.sql, ref);
        const { organizationId, jobId, profileSlug, profileSnapshot } = retried;
        if (isBeingCancelled(retried))
          throw conflict('The job is being cancelled: retry it when it has ended');
        // Checks under the lock of the job: the second one of two concurrent retries sees the first.
        if (await jobsIn(tx.sql).hasOpenRetry(ref)) {
          throw conflict('A retry of the job is running: wait until it has ended, or cancel it');
        }
        const newJob = { organizationId, profileSlug, profileSnapshot, rollout: null, retryOfJobId: jobId };
        const scope = { scope: 'devices', groupId: null } as const;
        const job = { ...newJob, ...scope, startAt: null, deadlineMinutes: DEADLINE_MINUTES_DEFAULT };
        const listed = await targetsIn(tx.sql).listRetryable(ref);
        if (beginJob.isLarge(listed.length)) {
          if (await deps.groupChanges.isWithdrawing(tx.sql, ref))
            throw conflict('The profile of a large group is being withdrawn: retry the job in some seconds');
          return (await jobsIn(tx.sql).find(await beginJob.queue(tx, job, listed))) as ConfigJob;
        }
        const changes = await lockRetryable(tx, retried, listed);
        if (changes.length === 0) {
          throw conflict('The job has no failed or timed-out device that has not confirmed the change since');
        }
        return (await jobsIn(tx.sql).find(await beginJob.begin(tx, job, changes))) as ConfigJob;
      });
    },
  };
}

function scopeOf({ serialNumbers, groupId }: ChosenDevices): JobScope {
  if (serialNumbers !== null) return { scope: 'devices', groupId: null };
  return { scope: groupId === null ? 'all' : 'group', groupId };
}
