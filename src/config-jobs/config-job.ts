/** A job applies one change to many devices and waits until each of them runs it; the rules of its course. */
export const JOB_STATUSES = [
  'running',
  'succeeded',
  'completed_with_failures',
  'aborted',
  'cancelled',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const TARGET_STATES = [
  'queued',
  'waiting',
  'sent',
  'applied',
  'failed',
  'cancelled',
  'superseded',
  'timed_out',
] as const;
export type TargetState = (typeof TARGET_STATES)[number];

/** First some, then all: what has to hold of the first devices before the rest begins. Percent, 1 to 100. */
export interface Rollout {
  firstPercent: number;
  minAppliedPercent: number;
  abortFailedPercent: number;
}

export type Counts = Record<TargetState, number>;

export const NO_COUNTS: Counts = {
  queued: 0,
  waiting: 0,
  sent: 0,
  applied: 0,
  failed: 0,
  cancelled: 0,
  superseded: 0,
  timed_out: 0,
};

/** Identifies a job, to statements and to its workflow. */
export interface JobRef {
  organizationId: string;
  jobId: string;
}

export interface ConfigJob {
  id: string;
  profileSlug: string;
  status: JobStatus;
  total: number;
  counts: Counts;
  deadlineAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
}

export interface JobTarget {
  assetId: string;
  serialNumber: string;
  state: TargetState;
  reason: string | null;
  updatedAt: Date;
}

export const DEADLINE_MINUTES_DEFAULT = 2_880;
export const NO_SUCH_JOB = 'No configuration job has this id';

/** How many of the devices go first. */
export function firstStageSize(total: number, rollout: Rollout | null): number {
  return rollout ? Math.max(1, Math.ceil((total * rollout.firstPercent) / 100)) : total;
}

export function openCount({ queued, waiting, sent }: Counts): number {
  return queued + waiting + sent;
}

/** What a finished job is called; devices that were archived or taken over by a later job spoil nothing. */
export function finishedStatus(counts: Counts): 'succeeded' | 'completed_with_failures' {
  return counts.failed + counts.timed_out > 0 ? 'completed_with_failures' : 'succeeded';
}

export type StageVerdict = 'wait' | 'proceed' | 'abort';

/**
 * Judges a stage by the devices that have begun, without those that no longer count for this job. The bar to go on
 * holds for the first stage; too many failures end the job at any time. A first stage that is settled and cannot
 * reach the bar any more ends it, too.
 */
export function judgeStage(begun: Counts, stage: { isLast: boolean; rollout: Rollout | null }): StageVerdict {
  const { isLast, rollout } = stage;
  const open = begun.waiting + begun.sent;
  const judged = open + begun.applied + begun.failed + begun.timed_out;
  // In this order a bar that is reached exactly is met: 29 of 100 would be 28.999… % the other way round.
  const percent = (count: number) => (judged === 0 ? 0 : (count * 100) / judged);
  if (rollout && begun.failed > 0 && percent(begun.failed) >= rollout.abortFailedPercent) return 'abort';
  if (isLast) return open === 0 ? 'proceed' : 'wait';
  if (judged === 0 || percent(begun.applied) >= (rollout?.minAppliedPercent ?? 0)) return 'proceed';
  return open === 0 ? 'abort' : 'wait';
}

export type JobView = ReturnType<typeof jobView>;

export function jobView(job: ConfigJob) {
  const { timed_out: timedOut, ...counts } = job.counts;
  return {
    id: job.id,
    profileSlug: job.profileSlug,
    status: job.status,
    total: job.total,
    counts: { ...counts, timedOut },
    deadlineAt: job.deadlineAt.toISOString(),
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
  };
}

export function targetView(target: JobTarget) {
  return { ...target, updatedAt: target.updatedAt.toISOString() };
}
