/** A job's course in words, for people who look at its run in the Temporal UI. */
import type { Counts } from './config-job.ts';
import type { JobPlan, JobProgress } from './job-run.ts';

export function describeJobRun(plan: JobPlan, progress: JobProgress, latest: readonly string[]): string {
  return [
    `**Profile ${plan.profileSlug}** on ${plan.total} device${plan.total === 1 ? '' : 's'}: ${progress.status}`,
    '',
    waitsFor(plan, progress),
    ...(progress.stages > 1 ? ['', `Stage ${progress.stage} of ${progress.stages}.`] : []),
    '',
    ...countLines(progress.counts),
    ...(latest.length > 0 ? ['', 'Latest:', ...latest.map((line) => `- ${line}`)] : []),
  ].join('\n');
}

export function summarizeResult({ status, counts }: JobProgress): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return `${status}: ${parts.map(([state, count]) => `${count} ${label(state)}`).join(', ')}`;
}

function waitsFor({ deadlineAt }: JobPlan, { status, counts }: JobProgress): string {
  if (status !== 'running') return 'Waits for nothing any more.';
  const { waiting, sent } = counts;
  return `Waits for ${waiting} to fetch the change and for ${sent} that fetched it to report it, until ${deadlineAt}.`;
}

const countLines = (counts: Counts) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `- ${label(state)}: ${count}`);

const label = (state: string) => state.replaceAll('_', ' ');
