/** Describes the run of a job for readers of the Temporal UI. */
import { cutText } from '../process/cut-text.ts';
import type { Counts } from './config-job.ts';
import type { AwaitedDevice, JobPlan, JobProgress, JobTitle } from './job-run.ts';

/** Temporal accepts 400 bytes for the summary. */
const NAME_LENGTH_MAX = 80;

/** Summary in the list of runs: `Applies profile fridge for Acme`. */
export function summarizeStart(title: JobTitle | null): string {
  if (!title) return 'Applies a profile to devices';
  return `Applies profile ${title.profileSlug} for ${cutText(title.organizationName, NAME_LENGTH_MAX)}`;
}

export function describeJobRun(plan: JobPlan, progress: JobProgress, latest: readonly string[]): string {
  return [
    `**Profile ${plan.profileSlug}** on ${devices(plan.total)}: ${label(progress.status)}`,
    '',
    describeWait(plan, progress),
    ...(progress.stages > 1 ? ['', `Stage ${progress.stage} of ${progress.stages}.`] : []),
    '',
    ...countLines(progress.counts),
    ...awaitedLines(progress.waitingFor ?? []),
    ...(latest.length > 0 ? ['', 'Latest:', ...latest.map((line) => `- ${line}`)] : []),
  ].join('\n');
}

/** Result of the run: `completed with failures: 9 applied, 3 timed out`. */
export function summarizeResult({ status, counts }: JobProgress): string {
  const parts = countsAboveZero(counts).map(([state, count]) => `${count} ${label(state)}`);
  return `${label(status)}: ${parts.join(', ')}`;
}

function describeWait({ startAt, deadlineAt }: JobPlan, { status, verdict, counts }: JobProgress): string {
  if (status === 'scheduled') return `The change is offered from ${startAt} on.`;
  if (status !== 'running') return 'The job has ended.';
  if (verdict === 'abort') return 'The change is withdrawn from devices that have not confirmed it.';
  const { waiting, sent } = counts;
  return [
    `Waiting until ${deadlineAt}`,
    `for ${devices(waiting)} to fetch the change`,
    `and for ${devices(sent)} to confirm it.`,
  ].join(' ');
}

const countLines = (counts: Counts) =>
  countsAboveZero(counts).map(([state, count]) => `- ${label(state)}: ${count}`);

const awaitedLines = (devices: AwaitedDevice[]) =>
  devices.length === 0
    ? []
    : [
        '',
        'Waiting for, the most overdue first:',
        ...devices.map((device) => `- ${describeAwaited(device)}`),
      ];

const describeAwaited = ({ serialNumber, expectedBy }: AwaitedDevice) =>
  expectedBy === null
    ? `${serialNumber}: no contact is expected yet`
    : `${serialNumber}: next contact expected by ${expectedBy}`;

const countsAboveZero = (counts: Counts) => Object.entries(counts).filter(([, count]) => count > 0);

const devices = (count: number) => `${count} device${count === 1 ? '' : 's'}`;

const label = (state: string) => state.replaceAll('_', ' ');
