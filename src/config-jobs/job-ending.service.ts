/**
 * Ends a job before all its devices have settled: it was cancelled, too many devices failed, or its deadline
 * has passed. Works through its targets in chunks, so that no device is locked for longer than a chunk takes.
 * The process can die after any chunk: the next one begins with the targets that are left.
 */
import type { Database } from '../db/database.ts';
import type { Publish } from '../db/domain-event.ts';
import type { Transaction } from '../db/transaction.ts';
import type { PendingChangesRepository } from '../devices/pending-changes.repository.ts';
import { lastOf, stepwise } from '../process/pages.ts';
import type { ChangesService } from './changes.service.ts';
import {
  type ConfigJob,
  finishedStatus,
  type JobRef,
  type JobStatus,
  type JobView,
  jobView,
} from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';
import type {
  ActiveTarget,
  ConfigTargetsRepository,
  EndingScope,
  TargetPage,
} from './config-targets.repository.ts';

interface JobEndingDeps {
  pendingIn(sql: Database): Pick<PendingChangesRepository, 'lockAssets'>;
  targetsIn(sql: Database): Pick<ConfigTargetsRepository, 'listEnding' | 'cancel' | 'timeOut'>;
  changes: Pick<ChangesService, 'withdraw'>;
  finishJob: FinishJob;
  chunkSize: number;
}

/**
 * How a job ends. A completed one keeps its change pending on devices that have not confirmed it, and its targets decide
 * the final status.
 */
export type Ending = 'cancelled' | 'aborted' | 'completed';

/** `reason` is the reason of an abort. */
type EndingJob = JobRef & { reason?: string | null };

interface Withdrawal {
  status: JobStatus;
  reason(job: EndingJob): string;
  /** An abort leaves refused changes in place, so that the devices show them. */
  scope: EndingScope;
}

const WITHDRAWN: Record<Exclude<Ending, 'completed'>, Withdrawal> = {
  cancelled: { status: 'cancelled', reason: () => 'the job was cancelled', scope: 'all' },
  aborted: {
    status: 'aborted',
    reason: ({ reason }) => `the job was aborted: ${reason}`,
    scope: 'not refused',
  },
};

export type JobEnding = ReturnType<typeof createJobEnding>;

/** The caller has locked the job. */
export function createJobEnding({ pendingIn, targetsIn, changes, finishJob, chunkSize }: JobEndingDeps) {
  /** Withdraws the pending change, except from devices that settled before they were locked. */
  async function withdraw(
    tx: Transaction,
    job: EndingJob,
    { scope, reason }: Withdrawal,
    page: TargetPage,
  ): Promise<ActiveTarget[]> {
    const { sql } = tx;
    const listed = await targetsIn(sql).listEnding(job, scope, page);
    const devices = await pendingIn(sql).lockAssets(job.organizationId, assetsOf(listed));
    const ending = await targetsIn(sql).listEnding(job, scope, page);
    const begun = ending.filter(({ state }) => state !== 'queued');
    await changes.withdraw(tx, job, devices, begun);
    await targetsIn(sql).cancel(job, scope, assetsOf(listed), reason(job));
    return listed;
  }

  async function timeOut(sql: Database, job: JobRef, page: TargetPage): Promise<ActiveTarget[]> {
    const listed = await targetsIn(sql).listEnding(job, 'open', page);
    await pendingIn(sql).lockAssets(job.organizationId, assetsOf(listed));
    await targetsIn(sql).timeOut(job, assetsOf(listed));
    return listed;
  }

  /** Ends the next targets, ordered by asset id. Returns the last one; null when the job has ended. */
  async function endNext(
    tx: Transaction,
    job: EndingJob,
    ending: Ending,
    after: string | null,
  ): Promise<string | null> {
    const page = { after, limit: chunkSize };
    const listed =
      ending === 'completed'
        ? await timeOut(tx.sql, job, page)
        : await withdraw(tx, job, WITHDRAWN[ending], page);
    const last = lastOf(listed, chunkSize)?.assetId ?? null;
    if (last === null)
      await finishJob(tx, job, ending === 'completed' ? undefined : WITHDRAWN[ending].status);
    return last;
  }

  return {
    endNext,

    /** Ends all targets in the transaction of the caller. */
    async end(tx: Transaction, job: EndingJob, ending: Ending): Promise<void> {
      await stepwise((after: string | null) => endNext(tx, job, ending, after));
    },
  };
}

const assetsOf = (targets: ActiveTarget[]) => targets.map(({ assetId }) => assetId);

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'config.job.finished': JobView;
  }
}

export interface FinishJobDeps {
  jobsIn(sql: Database): ConfigJobsRepository;
  publish: Publish;
  now(): Date;
}

/** Without a status, the counts of the targets decide. */
export type FinishJob = (tx: Transaction, job: JobRef, status?: JobStatus) => Promise<ConfigJob>;

/** The only way a job ends: its final status and counts are stored and its event is published in one transaction. */
export function createFinishJob({ jobsIn, publish, now }: FinishJobDeps): FinishJob {
  return async (tx, { organizationId, jobId }, status) => {
    const jobs = jobsIn(tx.sql);
    const ref = { organizationId, jobId };
    const counts = await jobs.countTargets(ref);
    await jobs.finish(ref, status ?? finishedStatus(counts), counts);
    const job = (await jobs.find(ref)) as ConfigJob;
    const data = jobView(job);
    await publish(tx, [{ organizationId, type: 'config.job.finished', timestamp: now(), data }]);
    return job;
  };
}
