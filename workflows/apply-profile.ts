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
import { describeCourse, summarizeResult } from '../src/config-jobs/job-description.ts';
import { PROGRESSED_SIGNAL } from '../src/temporal/workflow-ids.ts';

const { findPlan, lookAtProgress, beginStage, finishJob, abortJob } = proxyActivities<ApplyProfileActivities>(
  {
    startToCloseTimeout: '2 minutes',
    retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  },
);

/** Something moved; the lines say what, for the reader of the Temporal UI. */
export const progressed = defineSignal<[string[]]>(PROGRESSED_SIGNAL);

export interface ApplyProfileInput {
  jobId: string;
  /** How long to go without a look when no signal comes. */
  lookAgainMs: number;
}

const LATEST_LINES = 10;

export async function applyProfile(input: ApplyProfileInput): Promise<string> {
  const { jobId, lookAgainMs } = input;
  let hasNews = false;
  let latest: string[] = [];
  setHandler(progressed, (lines) => {
    hasNews = true;
    latest = [...latest, ...lines].slice(-LATEST_LINES);
  });

  const plan = await findPlan(jobId);
  if (!plan) return 'the job is not there';
  const deadlineAt = Date.parse(plan.deadlineAt);

  for (;;) {
    hasNews = false;
    const progress = await lookAtProgress(jobId);
    setCurrentDetails(describeCourse(plan, progress, latest));
    if (progress.status !== 'running') return summarizeResult(progress);

    const remainingMs = deadlineAt - Date.now();
    if (remainingMs <= 0) await finishJob(jobId);
    else if (progress.verdict === 'abort') await abortJob(jobId);
    else if (progress.verdict === 'proceed') {
      if (progress.stage === progress.stages) await finishJob(jobId);
      else await beginStage(jobId, progress.stage + 1);
    } else {
      await condition(() => hasNews, Math.min(lookAgainMs, remainingMs));
      if (workflowInfo().continueAsNewSuggested) {
        await condition(allHandlersFinished);
        await continueAsNew<typeof applyProfile>(input);
      }
    }
  }
}
