/**
 * One job: waits until every device of each stage runs the change, or the deadline. Postgres holds what is true; this
 * run holds the waiting, and shows in words what it waits for. It may be ended and started again at any time: the next
 * look finds the job where it is.
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
import { describeJobRun, summarizeResult } from '../src/config-jobs/job-description.ts';
import { TARGETS_CHANGED_SIGNAL } from '../src/temporal/workflow-ids.ts';

const { findPlan, getProgress, beginStage, finishJob, abortJob } = proxyActivities<ApplyProfileActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** Something moved; the lines say what, for the reader of the Temporal UI. */
export const targetsChanged = defineSignal<[string[]]>(TARGETS_CHANGED_SIGNAL);

export interface ApplyProfileInput {
  jobId: string;
  /** How long to go without a look when no signal comes. */
  pollIntervalMs: number;
}

const LATEST_LINES = 10;

export async function applyProfile(input: ApplyProfileInput): Promise<string> {
  const { jobId, pollIntervalMs } = input;
  let hasPendingSignal = false;
  let latest: string[] = [];
  setHandler(targetsChanged, (lines) => {
    hasPendingSignal = true;
    latest = [...latest, ...lines].slice(-LATEST_LINES);
  });

  const plan = await findPlan(jobId);
  if (!plan) return 'the job is not there';
  const deadlineAt = Date.parse(plan.deadlineAt);

  for (;;) {
    hasPendingSignal = false;
    const progress = await getProgress(jobId);
    setCurrentDetails(describeJobRun(plan, progress, latest));
    if (progress.status !== 'running') return summarizeResult(progress);

    const remainingMs = deadlineAt - Date.now();
    if (remainingMs <= 0) await finishJob(jobId);
    else if (progress.verdict === 'abort') await abortJob(jobId);
    else if (progress.verdict === 'proceed') {
      if (progress.stage === progress.stages) await finishJob(jobId);
      else await beginStage(jobId, progress.stage + 1);
    } else {
      await condition(() => hasPendingSignal, Math.min(pollIntervalMs, remainingMs));
      if (workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof applyProfile>(input);
      }
    }
  }
}
