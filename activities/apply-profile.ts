/**
 * Activities of `workflows/apply-profile.ts`, implemented by the job-run service. Every call can be repeated
 * without harm. All send heartbeats, so Temporal notices within seconds that a worker has died.
 */
import type { JobRef } from '../src/config-jobs/config-job.ts';
import type { Ending } from '../src/config-jobs/job-ending.service.ts';
import type { JobState } from '../src/config-jobs/job-run.ts';
import { inChunks, withHeartbeat } from './heartbeat.ts';
import type { createTurns } from './turns.ts';

export interface ApplyProfileActivities extends JobUpdates {
  /** Null when the job's row is gone. */
  getJobState(job: JobRef): Promise<JobState | null>;
  /** Starts a scheduled job. */
  startJob(job: JobRef): Promise<void>;
  /** Offers the change to the devices of the stage. */
  beginStage(job: JobRef, stage: number): Promise<void>;
  /** Ends the job; targets that are still open time out. */
  completeJob(job: JobRef): Promise<void>;
  /**
   * Ends the job and withdraws its change from every device that has not confirmed it, because too many
   * failed or the job was cancelled.
   */
  abortJob(job: JobRef): Promise<void>;
}

/** Updates of operators: the operations of the API, which write a row of the audit trail. Each returns a sentence. */
export interface JobUpdates {
  cancelJob(job: JobRef): Promise<string>;
  proceedJob(job: JobRef): Promise<string>;
  extendJob(job: JobRef, deadlineAt: string): Promise<string>;
}

export interface JobRunSteps extends Pick<ApplyProfileActivities, 'getJobState'> {
  /** Starts the job for its next targets; null when all are done. */
  startNext(job: JobRef, after: string | null): Promise<string | null>;
  /** Offers the change to the next devices of the stage; null when all have it. */
  offerNext(job: JobRef, stage: number, after: string | null): Promise<string | null>;
  /** Ends the job for its next open targets; null when it has ended. */
  endNext(job: JobRef, ending: Ending, after: string | null): Promise<string | null>;
}

export function createApplyProfileActivities(
  { getJobState, startNext, offerNext, endNext }: JobRunSteps,
  { cancelJob, proceedJob, extendJob }: JobUpdates,
  inTurn: ReturnType<typeof createTurns>,
): ApplyProfileActivities {
  return {
    getJobState: withHeartbeat(getJobState),
    startJob: inTurn(inChunks((after, job: JobRef) => startNext(job, after))),
    beginStage: inTurn(inChunks((after, job: JobRef, stage: number) => offerNext(job, stage, after))),
    completeJob: inTurn(inChunks((after, job: JobRef) => endNext(job, 'completed', after))),
    abortJob: inTurn(inChunks((after, job: JobRef) => endNext(job, 'aborted', after))),
    cancelJob: withHeartbeat(cancelJob),
    proceedJob: withHeartbeat(proceedJob),
    extendJob: withHeartbeat(extendJob),
  };
}
