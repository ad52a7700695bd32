/**
 * The only way a job begins, whatever its size: its row and all its targets in one transaction. Up to `largeAbove`
 * devices of the first stage are offered the change in it. A larger job, or one that starts later, is stored queued
 * before its first stage, and its run offers that stage in chunks like any further one: no device is locked before
 * its chunk.
 */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import { inSlices } from '../process/pages.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import { firstStageSize, type JobRef, type JobScope } from './config-job.ts';
import type { ConfigJobsRepository, NewJob } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository, RetryableTarget } from './config-targets.repository.ts';

interface BeginJobDeps {
  jobsIn(sql: Database): Pick<ConfigJobsRepository, 'insert'>;
  targetsIn(sql: Database): Pick<ConfigTargetsRepository, 'insert' | 'failCrowded'>;
  changes: Pick<ChangesService, 'offer'>;
  /**
   * Runs after the commit, without being awaited; the sweep starts jobs whose process died before this call.
   */
  startJob(job: JobRef): void;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
  /** A job of more devices is large. */
  largeAbove: number;
  /** Number of targets that one statement stores. */
  pageSize: number;
}

type JobToBegin = Omit<NewJob, 'createdBy' | 'origin' | 'stageCount' | 'targetCount' | 'isOffered'> &
  JobScope;
export type BeginJob = ReturnType<typeof createBeginJob>;

export function createBeginJob(deps: BeginJobDeps) {
  async function insert(
    { sql, afterCommit, actor, action }: Transaction,
    { scope, groupId, ...newJob }: JobToBegin,
    changes: RetryableTarget[],
    isOffered: boolean,
  ): Promise<JobRef> {
    const targetCount = changes.length;
    const first = firstStageSize(targetCount, newJob.rollout);
    const stageCount = first < targetCount ? 2 : 1;
    const origin = action === undefined ? null : { action, scope, groupId };
    const job = await deps
      .jobsIn(sql)
      .insert({ ...newJob, createdBy: actor ?? null, origin, targetCount, stageCount, isOffered });
    const targets = changes.map((change, index) => ({
      ...change,
      stage: index < first ? 1 : 2,
      state: isOffered && index < first ? ('waiting' as const) : ('queued' as const),
    }));
    for (const slice of inSlices(targets, deps.pageSize))
      await deps.targetsIn(sql).insert(job, slice, newJob.startAt === null);
    afterCommit(() => deps.startJob(job));
    return job;
  }

  async function offer(tx: Transaction, newJob: JobToBegin, changes: DeviceChange[]): Promise<JobRef> {
    const job = await insert(tx, newJob, changes.map(toTarget), true);
    const first = changes.slice(0, firstStageSize(changes.length, newJob.rollout));
    const crowded = await deps.targetsIn(tx.sql).failCrowded(
      job,
      first.map(({ device }) => device.assetId),
    );
    const offered = first.filter(({ device }) => !crowded.has(device.assetId));
    const superseded = await deps.changes.offer(tx, job, offered);
    tx.afterCommit(() => deps.jobsProgressed(job.organizationId, superseded));
    return job;
  }

  /** The run compiles the changes again, for the capabilities that the devices have by then. */
  const queue = (tx: Transaction, newJob: JobToBegin, changes: RetryableTarget[]): Promise<JobRef> =>
    insert(tx, newJob, changes, false);

  const isLarge = (targetCount: number): boolean => targetCount > deps.largeAbove;

  return {
    queue,
    isLarge,

    /** The caller has locked the devices, unless the job is large or starts later. */
    begin: (tx: Transaction, newJob: JobToBegin, changes: DeviceChange[]): Promise<JobRef> =>
      newJob.startAt !== null || isLarge(changes.length)
        ? queue(tx, newJob, changes.map(toTarget))
        : offer(tx, newJob, changes),
  };
}

const toTarget = ({ device: { assetId }, changeId, groupId = null }: DeviceChange): RetryableTarget => ({
  assetId,
  changeId,
  groupId,
});
