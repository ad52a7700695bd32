/** The verbs of `workflows/apply-profile.ts`; each can be repeated without harm. */
import type { JobPlan, JobProgress } from '../src/config-jobs/job-run.ts';

export interface JobRunSteps {
  plan(jobId: string): Promise<JobPlan | null>;
  progress(jobId: string): Promise<JobProgress>;
  beginStage(jobId: string, stage: number): Promise<void>;
  finish(jobId: string): Promise<void>;
  abort(jobId: string): Promise<void>;
}

export type ApplyProfileActivities = ReturnType<typeof createApplyProfileActivities>;

export function createApplyProfileActivities(jobRun: JobRunSteps) {
  return {
    findPlan: (jobId: string) => jobRun.plan(jobId),
    getProgress: (jobId: string) => jobRun.progress(jobId),
    beginStage: (jobId: string, stage: number) => jobRun.beginStage(jobId, stage),
    finishJob: (jobId: string) => jobRun.finish(jobId),
    abortJob: (jobId: string) => jobRun.abort(jobId),
  };
}
