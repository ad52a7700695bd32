/** The verbs of `workflows/apply-profile.ts`; each can be repeated without harm. */
import type { JobPlan, JobProgress } from '../src/config-jobs/job-run.ts';

export interface JobCourse {
  plan(jobId: string): Promise<JobPlan | null>;
  progress(jobId: string): Promise<JobProgress>;
  beginStage(jobId: string, stage: number): Promise<void>;
  finish(jobId: string): Promise<void>;
  abort(jobId: string): Promise<void>;
}

export type ApplyProfileActivities = ReturnType<typeof createApplyProfileActivities>;

export function createApplyProfileActivities(course: JobCourse) {
  return {
    findPlan: (jobId: string) => course.plan(jobId),
    lookAtProgress: (jobId: string) => course.progress(jobId),
    beginStage: (jobId: string, stage: number) => course.beginStage(jobId, stage),
    finishJob: (jobId: string) => course.finish(jobId),
    abortJob: (jobId: string) => course.abort(jobId),
  };
}
