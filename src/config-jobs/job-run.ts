/** What a job's workflow knows of the job. */
import type { Counts, JobStatus, StageVerdict } from './config-job.ts';

/** What a job's run is called in the list of the Temporal UI. */
export interface JobTitle {
  profileSlug: string;
  organizationName: string;
}

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
  /** The devices that the run waits for, the most overdue first, at most ten; none of a run that does not wait. */
  waitingFor?: AwaitedDevice[];
}

export interface AwaitedDevice {
  serialNumber: string;
  /** ISO 8601; null: no contact is expected of the device. */
  expectedBy: string | null;
}
