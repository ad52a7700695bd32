/** A job as its workflow knows it. */
import type { Counts, JobStatus, StageVerdict } from './config-job.ts';

/** Title of the run in the list of the Temporal UI. */
export interface JobTitle {
  profileSlug: string;
  organizationName: string;
}

export interface JobPlan {
  profileSlug: string;
  /** Number of devices. */
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
  /** The next action in the current stage. */
  verdict: StageVerdict;
  counts: Counts;
  /** The devices that the run waits for, the most overdue first, at most ten; empty when it does not wait. */
  waitingFor?: AwaitedDevice[];
}

export interface AwaitedDevice {
  serialNumber: string;
  /** ISO 8601; null: no contact is expected. */
  expectedBy: string | null;
}
