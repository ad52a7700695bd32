/**
 * Activities of `workflows/apply-profile.ts`, implemented by the job-run service. Every call can be repeated
 * without harm. All send heartbeats, so Temporal notices within seconds that a worker has died.
 */
import type { JobRef } from '../src/config-jobs/config-job.ts';
import type { Ending } from '../src/config-jobs/job-ending.service.ts';
import type { JobPlan, JobProgress } from '../src/config-jobs/job-run.ts';
import { stepwise } from '../src/process/pages.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface ApplyProfileActivities {
  /** Null when the job's row is gone. */
  getPlan(job: JobRef): Promise<JobPlan | null>;
  /** Null when the job's row is gone. */
  getProgress(job: JobRef): Promise<JobProgress | null>;
  /** Starts a scheduled job. */
  startJob(job: JobRef): Promise<void>;
  /** Offers the change to the devices of the stage. */
  beginStage(job: JobRef, stage: number): Promise<void>;
  /** Ends the job; targets that are still open time out. */
  finishJob(job: JobRef): Promise<void>;
  /**
   * Ends the job and withdraws its change from every device that has not confirmed it, because too many
   * failed or the job was cancelled.
   */
  abortJob(job: JobRef): Promise<void>;
}

export interface JobRunSteps extends Pick<ApplyProfileActivities, 'getPlan' | 'getProgress'> {
  /** Starts the job for its next targets; null when all are done. */
  startNext(job: JobRef, after: string | null): Promise<string | null>;
  /** Offers the change to the next devices of the stage; null when all have it. */
  offerNext(job: JobRef, stage: number, after: string | null): Promise<string | null>;
  /** Ends the job for its next open targets; null when it has ended. */
  endNext(job: JobRef, ending: Ending, after: string | null): Promise<string | null>;
}

/** Page by page. */
const toEnd = async (next: (after: string | null) => Promise<string | null>) => void (await stepwise(next));

export function createApplyProfileActivities({
  startNext,
  offerNext,
  endNext,
  ...steps
}: JobRunSteps): ApplyProfileActivities {
  return {
    getPlan: withHeartbeat(steps.getPlan),
    getProgress: withHeartbeat(steps.getProgress),
    finishJob: withHeartbeat((job: JobRef) => toEnd((after) => endNext(job, 'timed_out', after))),
    abortJob: withHeartbeat((job: JobRef) => toEnd((after) => endNext(job, 'aborted', after))),
    startJob: withHeartbeat((job: JobRef) => toEnd((after) => startNext(job, after))),
    beginStage: withHeartbeat((job: JobRef, stage: number) => toEnd((after) => offerNext(job, stage, after))),
  };
}
