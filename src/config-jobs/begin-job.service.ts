/** The only way a job begins: its row, its targets and the change on the devices of its first stage in one transaction. */
import type { Database } from '../db/database.ts';
import type { Transaction } from '../db/transaction.ts';
import type { ChangesService, DeviceChange } from './changes.service.ts';
import { firstStageSize, type JobRef } from './config-job.ts';
import type { ConfigJobsRepository, NewJob } from './config-jobs.repository.ts';
import type { ConfigTargetsRepository } from './config-targets.repository.ts';

export interface BeginJobDeps {
  jobsIn(sql: Database): Pick<ConfigJobsRepository, 'insert'>;
  targetsIn(sql: Database): Pick<ConfigTargetsRepository, 'insert'>;
  changes: Pick<ChangesService, 'put'>;
  /**
   * Runs after the commit, without being awaited; the sweep starts jobs whose process died before this call.
   */
  startJob(job: JobRef): void;
  jobsProgressed(organizationId: string, jobIds: string[]): void;
}

export type JobToBegin = Omit<NewJob, 'stageCount' | 'targetCount'>;

/** The caller has locked the devices. */
export type BeginJob = (tx: Transaction, job: JobToBegin, changes: DeviceChange[]) => Promise<JobRef>;

export function createBeginJob(deps: BeginJobDeps): BeginJob {
  return async (tx, newJob, changes) => {
    const { sql, afterCommit } = tx;
    const first = firstStageSize(changes.length, newJob.rollout);
    const stageCount = first < changes.length ? 2 : 1;
    const job = await deps.jobsIn(sql).insert({ ...newJob, targetCount: changes.length, stageCount });
    const superseded = await deps.changes.put(tx, job, changes.slice(0, first));
    await deps.targetsIn(sql).insert(
      job,
      changes.map(({ device, changeId, groupId }, index) => ({
        assetId: device.assetId,
        changeId,
        groupId,
        stage: index < first ? 1 : 2,
        state: index < first ? 'waiting' : 'queued',
      })),
    );
    afterCommit(() => {
      deps.startJob(job);
      deps.jobsProgressed(job.organizationId, superseded);
    });
    return job;
  };
}
