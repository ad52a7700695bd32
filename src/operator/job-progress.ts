/**
 * The progress of a job: its stages, its expected end if every device keeps its contact, and the latest
 * devices.
 */
import type { Job } from '../config-jobs/config-job.ts';
import type { AwaitedTarget } from '../config-jobs/config-targets.repository.ts';

export const LATEST_SHOWN = 10;

export interface JobStages extends Pick<Job, 'currentStage' | 'stageCount' | 'rollout' | 'isBeginningStage'> {
  retryOfJobId: string | null;
}

export interface JobProgress {
  /** Deadline of the last contact that is still expected; null: none is. */
  expectedEnd: Date | null;
  /** Number of devices that missed their contact, or have none expected. */
  lateCount: number;
  /** Number of targets that these values cover. */
  sampledCount: number;
  latest: AwaitedTarget[];
}

export function toProgress(
  awaited: readonly AwaitedTarget[],
  { now, deadlineAt }: { now: Date; deadlineAt: Date },
): JobProgress {
  const isLate = ({ expectedBy }: AwaitedTarget) => expectedBy === null || expectedBy <= now;
  const contacts = awaited.flatMap(({ expectedBy }) =>
    expectedBy !== null && expectedBy > now ? [expectedBy.getTime()] : [],
  );
  const last = contacts.reduce((latest, each) => Math.max(latest, each), 0);
  return {
    expectedEnd: contacts.length === 0 ? null : new Date(Math.min(last, deadlineAt.getTime())),
    lateCount: awaited.filter(isLate).length,
    sampledCount: awaited.length,
    latest: [...awaited].sort((a, b) => latenessOf(b, now) - latenessOf(a, now)).slice(0, LATEST_SHOWN),
  };
}

/**
 * Missed contacts first, the oldest at the top; then devices without a contact; then the last expected ones.
 */
function latenessOf({ expectedBy }: AwaitedTarget, now: Date): number {
  if (expectedBy === null) return NOTHING_EXPECTED;
  const aheadMs = expectedBy.getTime() - now.getTime();
  return aheadMs > 0 ? aheadMs : 2 * NOTHING_EXPECTED - aheadMs;
}

/** Longer than any device plans ahead. */
const NOTHING_EXPECTED = 1e13;

/** Why the job waits for the device, in a sentence that begins like the meaning of its state. */
export function whyAwaited({ state, status, expectedBy }: AwaitedTarget, now: Date): string {
  const has =
    state === 'sent'
      ? 'The device fetched the change and has not confirmed it yet'
      : 'The device has not fetched the change yet';
  if (status === 'new') return `${has}: it has never been in contact.`;
  if (expectedBy === null) return `${has}: when it will be in contact is not known.`;
  return expectedBy <= now
    ? `${has}: it has missed its contact.`
    : `${has}: it does so with its next contact.`;
}
