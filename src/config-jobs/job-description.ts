/** Describes the run of a job for readers of the Temporal UI. */
import { cutText } from '../process/cut-text.ts';
import { type Lateness, toLateness } from '../process/durations.ts';
import { toSecond } from '../process/iso-time.ts';
import { toMarkdownText } from '../process/markdown-text.ts';
import { type Counts, hasEnded, type WithdrawalTitle } from './config-job.ts';
import type { AwaitedDevice, JobDetails, JobState, JobTitle } from './job-run.ts';
import { CANCEL, EXTEND, PROCEED } from './job-updates.ts';

/** Temporal accepts 400 bytes for the summary. */
const NAME_LENGTH_MAX = 80;
const EACH_OF_TWO_NAMES_MAX = 55;
const LINE_LENGTH_MAX = 200;

/** Summary in the list of runs: `Applies profile fridge for Acme`. */
export function summarizeStart(title: JobTitle | null): string {
  if (!title) return 'Applies a profile to devices';
  return `Applies profile ${title.profileSlug} for ${toMarkdownText(cutText(title.organizationName, NAME_LENGTH_MAX))}`;
}

/** Summary in the list of runs: `Withdraws the former profile of group Kitchen for Acme from its members`. */
export function summarizeWithdrawal(title: WithdrawalTitle | null): string {
  if (!title) return 'Withdraws the former profile of a large group from its members';
  const [group, organization] = [title.groupName, title.organizationName].map((name) =>
    toMarkdownText(cutText(name, EACH_OF_TWO_NAMES_MAX)),
  );
  return `Withdraws the former profile of group ${group} for ${organization} from its members`;
}

/** Current details of a withdrawal. */
export const WITHDRAWING = [
  'The former profile of the group is withdrawn from its members, in chunks: the pending activity counts them.',
  'Cancel of this run does not stop it, because the group has another profile already, or is gone.',
].join('\n\n');

/** Line of the static details: `Begun by Ada`. */
export const describeStart = (title: JobTitle | WithdrawalTitle | null): string | null =>
  title?.createdBy ? `Begun by ${toMarkdownText(cutText(title.createdBy, LINE_LENGTH_MAX))}` : null;

export function describeJobRun(state: JobState, latest: readonly string[], nowMs: number): string {
  const { status, stages } = state;
  return [
    `**Profile ${state.profileSlug}** on ${devices(state.total)} of ${toMarkdownText(state.organizationName)}: ${label(status)}`,
    '',
    describeWait(state),
    ...(stages > 1 && !hasEnded(status) ? ['', describeStage(state)] : []),
    '',
    ...countLines(state.counts),
    ...(state.details ? [`- since: ${toSecond(state.details.createdAt)}`] : []),
    ...listLines(
      'Waiting for, the most overdue first:',
      state.waitingFor.map((device) => describeAwaited(device, nowMs)),
    ),
    ...listLines(
      'Latest:',
      latest.map((line) => toMarkdownText(cutText(line, LINE_LENGTH_MAX))),
    ),
    ...howToSteer(state),
  ].join('\n');
}

/** Result of the run: `completed with failures: 9 applied, 3 timed out`. */
export function summarizeResult({ status, counts }: JobState): string {
  const parts = countsAboveZero(counts).map(([state, count]) => `${count} ${label(state)}`);
  return `${label(status)}: ${parts.join(', ')}`;
}

/** Summary of the timer: `waits for 3 devices, until 2026-03-04 08:00:00 UTC`. */
export function summarizeWait({ status, startAt, deadlineAt, counts }: JobState): string {
  return status === 'scheduled' && startAt !== null
    ? `starts at ${toSecond(startAt)}`
    : `waits for ${devices(counts.waiting + counts.sent)}, until ${toSecond(deadlineAt)}`;
}

/** Summary of the step that begins the next stage: `offers stage 2 of 2, 9000 devices queued, in 9 chunks`. */
export const summarizeNextStage = ({ stage, stages, counts, details }: JobState): string =>
  `offers stage ${stage + 1} of ${stages}, ${devices(counts.queued)} queued${chunks(counts.queued, details)}`;

/** Summary of the step that ends the job. */
export function summarizeEnding({ counts, details }: JobState): string {
  const left = counts.queued + counts.waiting + counts.sent;
  return `ends the job, ${devices(left)} left${chunks(left, details)}`;
}

/** Search attributes that the run keeps up to date. */
export const jobAttributes = (state: JobState, nowMs: number) => ({
  Organization: state.organizationName,
  ProfileSlug: state.profileSlug,
  Phase: toPhase(state),
  Waiting: toWaiting(state, nowMs),
  DeadlineAt: state.deadlineAt,
});

function toPhase({ status, verdict, stage, stages }: JobState): string {
  if (status === 'scheduled') return 'scheduled';
  if (hasEnded(status)) return 'ended';
  if (verdict === 'abort') return 'withdrawing';
  if (verdict === 'proceed') return stage === stages ? 'ending' : 'offering';
  return stage === stages ? 'last stage' : 'first stage';
}

/** By the contact of the most overdue device. */
const toWaiting = ({ waitingFor }: JobState, nowMs: number): Lateness =>
  toLateness(waitingFor[0]?.expectedBy ?? null, nowMs);

function describeWait({ startAt, deadlineAt, status, verdict, counts }: JobState): string {
  if (status === 'scheduled') return `The change is offered from ${startAt && toSecond(startAt)} on.`;
  if (status !== 'running') return 'The job has ended.';
  if (verdict === 'abort') return 'The change is withdrawn from devices that have not confirmed it.';
  const { waiting, sent } = counts;
  return [
    `Waiting until ${toSecond(deadlineAt)}`,
    `for ${devices(waiting)} to fetch the change`,
    `and for ${devices(sent)} to confirm it.`,
  ].join(' ');
}

function describeStage({ stage, stages, counts, verdict, details }: JobState): string {
  if (stage === 0) return `The first of ${stages} stages has not begun.`;
  const present = `Stage ${stage} of ${stages}.`;
  if (stage === stages || verdict !== 'wait' || !details?.rollout) return present;
  const { minAppliedPercent, abortFailedPercent } = details.rollout;
  return [
    present,
    `The next one, of ${devices(counts.queued)}, begins when ${minAppliedPercent} % of this one run the change;`,
    `when ${abortFailedPercent} % have failed, the change is withdrawn.`,
  ].join(' ');
}

function howToSteer({ status, verdict, stage, stages }: JobState): string[] {
  if (hasEnded(status) || verdict === 'abort') return [];
  const lines = [
    `Cancel of this run, or the update ${CANCEL.name}, cancels the job. The update ${EXTEND.name} moves the deadline.`,
    ...(status === 'running' && stage < stages
      ? [`The update ${PROCEED.name} begins the next stage now.`]
      : []),
  ];
  return ['', lines.join(' ')];
}

/** The heartbeat of the step counts them. */
function chunks(count: number, details: JobDetails | undefined): string {
  const total = details ? Math.ceil(count / details.chunkSize) : 1;
  return total > 1 ? `, in ${total} chunks` : '';
}

const countLines = (counts: Counts) =>
  countsAboveZero(counts).map(([state, count]) => `- ${label(state)}: ${count}`);

/** Nothing for an empty list. */
const listLines = (title: string, lines: string[]): string[] =>
  lines.length === 0 ? [] : ['', title, '', ...lines.map((line) => `- ${line}`)];

function describeAwaited({ serialNumber, expectedBy }: AwaitedDevice, nowMs: number): string {
  const device = toMarkdownText(serialNumber);
  if (expectedBy === null) return `${device}: when it will be in contact is not known`;
  const isOverdue = toLateness(expectedBy, nowMs) !== 'on time';
  return `${device}: ${isOverdue ? 'overdue since' : 'next contact expected by'} ${toSecond(expectedBy)}`;
}

const countsAboveZero = (counts: Counts) => Object.entries(counts).filter(([, count]) => count > 0);

const devices = (count: number) => `${count} device${count === 1 ? '' : 's'}`;

const label = (state: string) => state.replaceAll('_', ' ');
