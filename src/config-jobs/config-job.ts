/**
 * A job applies one change to many devices and waits until each of them has confirmed it. Rules of its run.
 */
import type { Actor } from '../db/transaction.ts';
import type { ProfileSnapshot } from '../profiles/compile-profile.ts';

export const JOB_STATUSES = [
  'scheduled',
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

/**
 * Changes some devices first; the shares of them that must apply the change before the rest begins, and that
 * abort it by failing. Percent, 1 to 100.
 */
export interface Rollout {
  firstPercent: number;
  minAppliedPercent: number;
  abortFailedPercent: number;
}

/** The devices that a request chose for a job: all, a group, members that join it, or devices by serial number. */
export const JOB_SCOPES = ['all', 'group', 'members', 'devices'] as const;

export interface JobScope {
  scope: (typeof JOB_SCOPES)[number];
  /** Null unless the scope is a group, or its new members. */
  groupId: string | null;
}

/** The request that began a job. */
export interface JobOrigin extends JobScope {
  /** The operationId. */
  action: string;
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

/** Identifies a job in statements and in its workflow. */
export interface JobRef {
  organizationId: string;
  jobId: string;
}

/** Identifies a group with a profile. */
export interface GroupRef {
  organizationId: string;
  groupId: string;
}

/** Identifies a withdrawal of the former profile of a large group. */
export interface WithdrawalRef {
  organizationId: string;
  withdrawalId: string;
}

/** Title of the run of a withdrawal in the list of the Temporal UI. */
export interface WithdrawalTitle {
  groupName: string;
  organizationName: string;
  /** Name of the key or the person; null: unknown. */
  createdBy: string | null;
}

/** The owner of changes: a job, or a group for whose profile they were made. */
export type ChangesOwner = JobRef | GroupRef;

/** A job as its run needs it. */
export interface Job extends JobRef {
  profileSlug: string;
  /** The profile as it was at the time of the apply. */
  profileSnapshot: ProfileSnapshot;
  rollout: Rollout | null;
  /** 0: the first stage has not begun. */
  currentStage: number;
  stageCount: number;
  /** A part of the devices of the next stage have begun. */
  isBeginningStage: boolean;
  status: JobStatus;
  targetCount: number;
  createdAt: Date;
  /** Null: starts at once. */
  startAt: Date | null;
  deadlineAt: Date;
  /** Null: not cancelled by a customer. */
  cancelRequestedAt: Date | null;
  /** The reason of an abort, which may be under way; else null. */
  reason: string | null;
}

/** A job as it is shown. */
export interface ConfigJob extends Job {
  targetCounts: Counts;
  /** Null: unknown, as for jobs of earlier releases. */
  createdBy: Actor | null;
  /** Null like the creator. */
  origin: JobOrigin | null;
  finishedAt: Date | null;
}

export interface JobTarget {
  assetId: string;
  serialNumber: string;
  state: TargetState;
  reason: string | null;
  updatedAt: Date;
}

export const hasEnded = (status: JobStatus): boolean => status !== 'scheduled' && status !== 'running';

/**
 * Whether the run of the job is withdrawing its change. The request that cancels a small job does this
 * itself.
 */
export const isBeingCancelled = (job: Pick<ConfigJob, 'status' | 'cancelRequestedAt'>): boolean =>
  job.cancelRequestedAt !== null && !hasEnded(job.status);

export const DEADLINE_MINUTES_DEFAULT = 2_880;
export const START_DAYS_MAX = 30;
/** A deadline may be moved to at most so far ahead, as far as an apply may set it. */
export const DEADLINE_MINUTES_MAX = 43_200;
/** Bounds the targets that are read for the devices that a job waits for. */
export const AWAITED_READ_MAX = 1_000;
export const NO_SUCH_JOB = 'No configuration job has this id';

/** The number of devices in the first stage. */
export function firstStageSize(targetCount: number, rollout: Rollout | null): number {
  return rollout ? Math.max(1, Math.ceil((targetCount * rollout.firstPercent) / 100)) : targetCount;
}

/** Devices that were archived, or superseded by a later job, do not count as failures. */
export function finishedStatus(counts: Counts): 'succeeded' | 'completed_with_failures' {
  return counts.failed + counts.timed_out > 0 ? 'completed_with_failures' : 'succeeded';
}

export type StageVerdict = 'wait' | 'proceed' | 'abort';

export interface Stage {
  isLast: boolean;
  isNextBeginning?: boolean;
  rollout: Rollout | null;
}

/**
 * Evaluates a stage by the devices that have begun, without cancelled and superseded ones. Too many failures
 * abort the job at any time. The job proceeds to the rest once enough devices of the first stage, and at
 * least one, have applied the change. It aborts when all of them have settled and too few have applied it.
 */
export function evaluateStage(begun: Counts, stage: Stage): StageVerdict {
  const { isLast, isNextBeginning, rollout } = stage;
  if (rollout && hasTooManyFailures(begun, rollout)) return 'abort';
  // The stage was found good before its successor began, or is none: the first one is only beginning.
  if (isNextBeginning) return 'proceed';
  const isOpen = begun.waiting + begun.sent > 0;
  if (isLast) return isOpen ? 'wait' : 'proceed';
  if (rollout === null) return 'proceed';
  if (begun.applied > 0 && reaches(begun, begun.applied, rollout.minAppliedPercent)) return 'proceed';
  return isOpen ? 'wait' : 'abort';
}

/** The reason for which `evaluateStage` aborts a job, shown to customers. */
export function abortReason(begun: Counts, rollout: Rollout): string {
  const { failed, applied } = begun;
  const counted = countedIn(begun);
  if (hasTooManyFailures(begun, rollout))
    return `too many devices failed: ${failed} of ${counted}, at ${rollout.abortFailedPercent} % the job ends`;
  if (applied === 0) return 'no device of the first stage has applied the change';
  return `too few devices of the first stage have applied the change: ${applied} of ${counted}, ${rollout.minAppliedPercent} % had to`;
}

const hasTooManyFailures = (begun: Counts, { abortFailedPercent }: Rollout): boolean =>
  begun.failed > 0 && reaches(begun, begun.failed, abortFailedPercent);

/** Avoids a division, so that a share that is reached exactly counts: 29 / 100 * 100 is 28.999… */
const reaches = (begun: Counts, count: number, percent: number): boolean =>
  count * 100 >= percent * countedIn(begun);

const countedIn = ({ waiting, sent, applied, failed, timed_out }: Counts): number =>
  waiting + sent + applied + failed + timed_out;

export type JobView = ReturnType<typeof jobView>;

export function jobView(job: ConfigJob) {
  const { timed_out: timedOut, ...counts } = job.targetCounts;
  return {
    id: job.jobId,
    profileSlug: job.profileSlug,
    status: job.status,
    reason: job.reason,
    total: job.targetCount,
    counts: { ...counts, timedOut },
    ...(job.startAt && { startAt: job.startAt.toISOString() }),
    deadlineAt: job.deadlineAt.toISOString(),
    cancelRequestedAt: job.cancelRequestedAt?.toISOString() ?? null,
    createdAt: job.createdAt.toISOString(),
    createdBy: job.createdBy,
    origin: job.origin,
    finishedAt: job.finishedAt?.toISOString() ?? null,
  };
}

export function targetView(target: JobTarget) {
  return { ...target, updatedAt: target.updatedAt.toISOString() };
}
