/** A job as its workflow knows it. */
import type { Counts, JobStatus, Rollout, StageVerdict } from './config-job.ts';

/** Title of the run in the list of the Temporal UI. */
export interface JobTitle {
  profileSlug: string;
  organizationName: string;
  /** Name of the key or the person; null: unknown. Absent when a worker of the release before has read the job. */
  createdBy?: string | null;
}

/** All times are ISO 8601. */
export interface JobState extends JobTitle {
  status: JobStatus;
  /** Number of devices. */
  total: number;
  counts: Counts;
  /** 0: the first stage has not begun. */
  stage: number;
  stages: number;
  /** The next action in the current stage. */
  verdict: StageVerdict;
  /** Null: it started at once. */
  startAt: string | null;
  /** Until the start, by the clock of the database. */
  untilStartMs: number;
  deadlineAt: string;
  untilDeadlineMs: number;
  /** The devices that the run waits for, the most overdue first, at most ten; empty when it does not wait. */
  waitingFor: AwaitedDevice[];
  /** Absent when a worker of the release before has read the job. */
  details?: JobDetails;
}

export interface JobDetails {
  createdAt: string;
  rollout: Rollout | null;
  /** Number of devices in one transaction. */
  chunkSize: number;
}

export interface AwaitedDevice {
  serialNumber: string;
  /** ISO 8601; null: no contact is expected. */
  expectedBy: string | null;
}
