/**
 * One job: waits until every device of each stage has confirmed the change, or until the deadline. PostgreSQL
 * holds the truth; this run holds the waiting and describes it for readers of the Temporal UI. It may be
 * terminated and started again at any time, because every pass reads the job again.
 */
import { continueAsNew, defineSignal, defineUpdate, proxyActivities } from '@temporalio/workflow';
import type { ApplyProfileActivities } from '../activities/apply-profile.ts';
import { hasEnded, type JobRef } from '../src/config-jobs/config-job.ts';
import {
  describeJobRun,
  jobAttributes,
  summarizeEnding,
  summarizeNextStage,
  summarizeResult,
  summarizeWait,
} from '../src/config-jobs/job-description.ts';
import type { JobState } from '../src/config-jobs/job-run.ts';
import {
  CANCEL,
  EXTEND,
  PROCEED,
  whyNotCancelled,
  whyNotExtended,
  whyNotProceeding,
} from '../src/config-jobs/job-updates.ts';
import { TARGETS_CHANGED_SIGNAL } from '../src/temporal/workflow-ids.ts';
import { BRIEF, CHUNKED, openRun, type RunInput, titled } from './run.ts';

const { getJobState, cancelJob, proceedJob, extendJob } = proxyActivities<ApplyProfileActivities>(BRIEF);
const { startJob, beginStage, completeJob, abortJob } = proxyActivities<ApplyProfileActivities>(CHUNKED);

/** Targets changed; the lines say which, for readers of the Temporal UI. */
export const targetsChanged = defineSignal<[string[]]>(TARGETS_CHANGED_SIGNAL);
export const cancel = defineUpdate<string>(CANCEL.name);
export const proceed = defineUpdate<string>(PROCEED.name);
export const extend = defineUpdate<string, [deadlineAt: string]>(EXTEND.name);

export interface ApplyProfileInput extends JobRef, RunInput {
  /** The longest wait between two reads of the job when no signal arrives. */
  pollIntervalMs: number;
}

const LATEST_LINES = 10;

export async function applyProfile(input: ApplyProfileInput): Promise<string> {
  const run = openRun(input, { organizationId: 'id', jobId: 'id', pollIntervalMs: 'milliseconds' });
  const { organizationId, jobId, pollIntervalMs } = input;
  const job: JobRef = { organizationId, jobId };
  let state: JobState | null = null;
  let latest: string[] = [];

  run.onSignal(targetsChanged, (lines) => {
    if (!areLines(lines)) return false;
    latest = [...latest, ...lines].slice(-LATEST_LINES);
    return true;
  });
  run.onUpdate(cancel, { ...CANCEL, whyRefused: () => whyNotCancelled(state) }, () => cancelJob(job));
  run.onUpdate(proceed, { ...PROCEED, whyRefused: () => whyNotProceeding(state) }, () => proceedJob(job));
  run.onUpdate(
    extend,
    { ...EXTEND, whyRefused: (deadlineAt) => whyNotExtended(state, deadlineAt) },
    (deadlineAt) => extendJob(job, deadlineAt),
  );

  async function pass(): Promise<string | null> {
    state = await getJobState(job);
    if (!state) return 'the job no longer exists';
    run.show(describeJobRun(state, latest, Date.now()), jobAttributes(state, Date.now()));
    if (hasEnded(state.status)) return summarizeResult(state);

    const { status, verdict, stage, stages, untilStartMs, untilDeadlineMs } = state;
    if (status === 'scheduled') {
      if (untilStartMs <= 0) await startJob(job);
      else await run.wait(untilStartMs, summarizeWait(state));
    } else if (untilDeadlineMs <= 0) await titled(summarizeEnding(state), completeJob)(job);
    else if (verdict === 'abort') await titled(summarizeEnding(state), abortJob)(job);
    else if (verdict === 'wait')
      await run.wait(Math.min(pollIntervalMs, untilDeadlineMs), summarizeWait(state));
    else if (stage === stages) await titled(summarizeEnding(state), completeJob)(job);
    else await titled(summarizeNextStage(state), beginStage)(job, stage + 1);
    return null;
  }

  return run.repeat({
    pass,
    onCancel: () => cancelJob(job),
    continueAsNew: () => continueAsNew<typeof applyProfile>(input),
  });
}

const areLines = (lines: unknown): lines is string[] =>
  Array.isArray(lines) && lines.every((line) => typeof line === 'string');
