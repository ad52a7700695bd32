/** What a job's workflow knows of the job. */
import type { Counts, JobStatus, StageVerdict } from './config-job.ts';

export interface JobPlan {
  profileSlug: string;
  /** Devices in the job. */
  total: number;
  /** ISO 8601; absent when the job started at once. */
  startAt?: string;
  /** ISO 8601. */
  deadlineAt: string;
}

export interface JobProgress {
  status: JobStatus;
  stage: number;
  stages: number;
  /** What to do next in the current stage. */
  verdict: StageVerdict;
  counts: Counts;
}
