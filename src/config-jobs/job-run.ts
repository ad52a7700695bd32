/** What a job's workflow knows of it. */
import type { Counts, JobStatus, StageVerdict } from './config-job.ts';

export interface JobPlan {
  profileSlug: string;
  total: number;
  /** ISO 8601. */
  deadlineAt: string;
}

export interface JobProgress {
  status: JobStatus;
  stage: number;
  stages: number;
  /** What the present stage has to do next. */
  verdict: StageVerdict;
  counts: Counts;
}
