/** The only way a job ends: its final status and counts are stored and its event is published in one transaction. */
import type { Database } from '../db/database.ts';
import type { Publish } from '../db/domain-event.ts';
import type { Transaction } from '../db/transaction.ts';
import {
  type ConfigJob,
  finishedStatus,
  type JobRef,
  type JobStatus,
  type JobView,
  jobView,
} from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';

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
