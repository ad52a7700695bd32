/**
 * One job: waits until every device of each stage has confirmed the change, or until the deadline. PostgreSQL
 * holds the truth; this run holds the waiting and describes it for readers of the Temporal UI. It may be
 * terminated and started again at any time, because every pass reads the job's progress again.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ApplyProfileActivities } from '../activities/apply-profile.ts';
import type { JobRef } from '../src/config-jobs/config-job.ts';
import { describeJobRun, summarizeResult } from '../src/config-jobs/job-description.ts';
import { TARGETS_CHANGED_SIGNAL } from '../src/temporal/workflow-ids.ts';

/**
 * Some take longer the more devices there are. Missing heartbeats show Temporal within seconds that a worker
 * has died.
 */
const { getPlan, getProgress, startJob, beginStage, finishJob, abortJob } =
  proxyActivities<ApplyProfileActivities>({
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: '8 seconds',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  });

/** Targets changed; the lines say which, for readers of the Temporal UI. */
export const targetsChanged = defineSignal<[string[]]>(TARGETS_CHANGED_SIGNAL);

export interface ApplyProfileInput extends JobRef {
  /** The longest wait between two reads of the progress when no signal arrives. */
  pollIntervalMs: number;
}

const LATEST_LINES = 10;
const JOB_IS_GONE = 'the job no longer exists';

export async function applyProfile(input: ApplyProfileInput): Promise<string> {
  const { organizationId, jobId, pollIntervalMs } = input;
  const job: JobRef = { organizationId, jobId };
  let hasPendingSignal = false;
  let latest: string[] = [];
  setHandler(targetsChanged, (lines) => {
    hasPendingSignal = true;
    latest = [...latest, ...lines].slice(-LATEST_LINES);
  });

  const plan = await getPlan(job);
  if (!plan) return JOB_IS_GONE;
  const deadlineAt = Date.parse(plan.deadlineAt);

  for (;;) {
    hasPendingSignal = false;
    const progress = await getProgress(job);
    if (!progress) return JOB_IS_GONE;
    setCurrentDetails(describeJobRun(plan, progress, latest));
    if (progress.status === 'scheduled') {
      const untilStartMs = Date.parse(plan.startAt as string) - Date.now();
      if (untilStartMs <= 0) await startJob(job);
      else await condition(() => hasPendingSignal, untilStartMs);
      continue;
    }
    if (progress.status !== 'running') return summarizeResult(progress);

    const remainingMs = deadlineAt - Date.now();
    if (remainingMs <= 0) await finishJob(job);
    else if (progress.verdict === 'abort') await abortJob(job);
    else if (progress.verdict === 'proceed') {
      if (progress.stage === progress.stages) await finishJob(job);
      else await beginStage(job, progress.stage + 1);
    } else {
      await condition(() => hasPendingSignal, Math.min(pollIntervalMs, remainingMs));
      if (workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof applyProfile>(input);
      }
    }
  }
}
