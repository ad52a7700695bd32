/** The one way in which a job ends: its last word in its row, and the subscribers told in the same transaction. */
import type { Sql } from '../db/database.ts';
import type { InTransaction } from '../db/transaction.ts';
import type { DomainEvent } from '../events/event.ts';
import { type ConfigJob, finishedStatus, type JobStatus, jobView } from './config-job.ts';
import type { ConfigJobsRepository } from './config-jobs.repository.ts';

export interface FinishJobDeps {
  jobsIn(sql: Sql): ConfigJobsRepository;
  publish(tx: InTransaction, events: DomainEvent[]): Promise<void>;
  now(): Date;
}

export interface FinishingJob {
  id: string;
  organizationId: string;
}

/** Without a status, how it ended follows from its targets. */
export type FinishJob = (sql: Sql, job: FinishingJob, status?: JobStatus) => Promise<ConfigJob>;

export function createFinishJob({ jobsIn, publish, now }: FinishJobDeps): FinishJob {
  return async (sql, { id, organizationId }, status) => {
    const jobs = jobsIn(sql);
    const counts = await jobs.count(id);
    await jobs.finish(id, status ?? finishedStatus(counts), counts);
    const job = (await jobs.find(organizationId, id)) as ConfigJob;
    const data = jobView(job);
    await publish({ sql }, [{ organizationId, type: 'config.job.finished', timestamp: now(), data }]);
    return job;
  };
}
