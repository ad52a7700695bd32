/** How an operator steers the run of a job in the Temporal UI: what each update does, and when it is refused. */
import { timeOf, toSecond } from '../process/iso-time.ts';
import { hasEnded, type JobView } from './config-job.ts';
import type { JobState } from './job-run.ts';

export const CANCEL = {
  name: 'cancel',
  description: 'Cancels the job, and withdraws its change from devices that have not confirmed it',
} as const;

export const PROCEED = {
  name: 'proceed',
  description: 'Begins the next stage now, however many devices of the first one have applied the change',
} as const;

export const EXTEND = {
  name: 'extend',
  description: 'Moves the deadline. Takes the new one, such as "2026-03-05T08:00:00Z"',
} as const;

/** The reason, or null. The state is the one that the run read last; null: it has read none yet. */
export function whyNotCancelled(state: JobState | null): string | null {
  return state && hasEnded(state.status) ? 'The job has ended' : null;
}

export function whyNotProceeding(state: JobState | null): string | null {
  if (!state) return 'The run has not read its job yet: try again in some seconds';
  if (state.status !== 'running') return `The job is not running: it is ${state.status}`;
  return state.stage === state.stages
    ? 'The job is in its last stage: it waits for nothing but its devices'
    : null;
}

export function whyNotExtended(state: JobState | null, deadlineAt: unknown): string | null {
  const at = typeof deadlineAt === 'string' ? timeOf(deadlineAt) : null;
  if (at === null) return 'The new deadline must be a time, such as "2026-03-05T08:00:00Z"';
  const present = state && timeOf(state.deadlineAt);
  if (present && at < present)
    return `The new deadline must be later than the present one, ${present.toISOString()}`;
  return whyNotCancelled(state);
}

/** Answers of the updates, made from the answers of the API. */
export function answerCancelled({ status, counts }: JobView): string {
  if (!hasEnded(status)) return 'The change is being withdrawn: the result of the run has the counts';
  return `The job is ${status}: ${counts.cancelled} of its devices were cancelled`;
}

export const answerProceeded = ({ counts }: JobView): string =>
  `The next stage begins, with ${counts.queued} queued devices`;

export const answerExtended = ({ deadlineAt }: JobView): string => `The deadline is ${toSecond(deadlineAt)}`;
