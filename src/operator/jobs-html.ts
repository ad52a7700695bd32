import type { JobView } from '../config-jobs/config-job.ts';
import { hasEnded, JOB_STATUSES, TARGET_STATES, type TargetState } from '../config-jobs/config-job.ts';
import type { Answers, TargetView } from './answers.ts';
import type { FormLink } from './form-links.ts';
import { FORMS, type FormName, toFormUrl } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import type { JobProgress, JobStages } from './job-progress.ts';
import { deviceLink, latestHtml, progressFacts } from './job-progress-html.ts';
import { undoHtml } from './job-undo-html.ts';
import {
  badge,
  bar,
  confirmed,
  counted,
  facts,
  legend,
  live,
  nextPage,
  type Share,
  table,
  tabs,
  time,
  toWords,
} from './parts.ts';
import type { ShownAsset } from './shown-assets.repository.ts';
import type { ChangedDevice } from './shown-jobs.repository.ts';
import { meaningOf } from './states.ts';

/** By id; a deleted group has none. */
type GroupNames = ReadonlyMap<string, string>;

/** By short name; a deleted profile has none. */
export type ProfileNames = ReadonlyMap<string, string>;

export const profileNameOf = (slug: string, names: ProfileNames): string => names.get(slug) ?? slug;

interface JobsOptions {
  jobs: Answers['listConfigJobs'];
  groupNames: GroupNames;
  profileNames: ProfileNames;
  filter: Record<string, string>;
  link: FormLink;
}

export const jobsHtml = ({ jobs, filter, link, ...names }: JobsOptions): Html => html`
<h1>Configuration jobs</h1>
<div class="actions">${link('applyProfile', {}, { tone: 'main' })}</div>
${tabs('Status', [
  { href: '/operator/jobs', label: 'All', isCurrent: filter.status === undefined },
  ...JOB_STATUSES.map((status) => ({
    href: `/operator/jobs?status=${status}`,
    label: toWords(status),
    isCurrent: filter.status === status,
    state: status,
  })),
])}
${live(
  'jobs',
  html`${table({
    caption: 'Jobs, newest first',
    head: ['Profile', 'For', 'Status', 'Progress', 'Applied', 'Begun', 'By', 'Ended'],
    rows: jobs.items.map((job) => jobRow(job, names)),
    empty:
      filter.status === undefined
        ? 'No job. One begins when a profile is applied.'
        : 'No job has this status.',
  })}${nextPage('/operator/jobs', new URLSearchParams(filter), jobs.nextCursor)}`,
)}`;

const jobRow = (
  job: JobView,
  { groupNames, profileNames }: Pick<JobsOptions, 'groupNames' | 'profileNames'>,
): Content[] => [
  html`<a class="name" href="/operator/jobs/${job.id}">${profileNameOf(job.profileSlug, profileNames)}</a>`,
  scopeHtml(job, groupNames),
  html`${badge(job.status)}${job.reason && html` <span class="quiet">${job.reason}</span>`}`,
  bar(sharesOf(job)),
  `${job.counts.applied.toLocaleString('en')} of ${job.total.toLocaleString('en')}`,
  time(job.createdAt),
  job.createdBy?.name ?? UNKNOWN,
  job.finishedAt ? time(job.finishedAt) : html`<span class="quiet">deadline ${time(job.deadlineAt)}</span>`,
];

/** In the order of a target's life. */
const ORDER: readonly TargetState[] = [
  'applied',
  'sent',
  'waiting',
  'queued',
  'superseded',
  'cancelled',
  'timed_out',
  'failed',
];

const countOf = ({ counts }: JobView, state: TargetState): number =>
  state === 'timed_out' ? counts.timedOut : counts[state];

const sharesOf = (job: JobView): Share[] => ORDER.map((state) => ({ state, count: countOf(job, state) }));

interface JobOptions {
  job: JobView;
  stages: JobStages | null;
  progress: JobProgress;
  /** Devices of the targets and the latest devices, by asset id. */
  devices: ReadonlyMap<string, ShownAsset>;
  groupNames: GroupNames;
  profileNames: ProfileNames;
  /** Devices that an ended job has changed; null: not read. */
  changed: readonly ChangedDevice[] | null;
  now: Date;
  targets: Answers['listConfigJobTargets'];
  filter: Record<string, string>;
  runUrl: string | null;
  mayChange: boolean;
}

export const jobHtml = ({ job, targets, filter, runUrl, mayChange, ...options }: JobOptions): Html => {
  const profileName = profileNameOf(job.profileSlug, options.profileNames);
  const tabOf = (state: string) => ({
    href: `/operator/jobs/${job.id}?state=${state}`,
    isCurrent: filter.state === state,
  });
  return html`
<p class="crumbs"><a href="/operator/jobs">Jobs</a></p>
${live(
  'job',
  html`<h1>${profileName} ${badge(job.status)}</h1>
${bar(sharesOf(job))}${legend(sharesOf(job))}
${facts([
  ['Profile', html`<a href="/operator/profiles/${job.profileSlug}">${profileName}</a>`],
  ['Devices', job.total.toLocaleString('en')],
  ['For', scopeHtml(job, options.groupNames)],
  ['Begun', html`${time(job.createdAt)} <span class="quiet">${creatorText(job)}</span>`],
  'startAt' in job && ['Starts', time(job.startAt as string)],
  job.status !== 'cancelled' && ['Deadline', time(job.deadlineAt)],
  job.reason && ['Reason', job.reason],
  job.cancelRequestedAt && [
    'Cancelled',
    html`${time(job.cancelRequestedAt)}${!hasEnded(job.status) && ', the change is being withdrawn'}`,
  ],
  ...progressFacts(job, options.stages, options.progress),
  ['Ended', job.finishedAt ? time(job.finishedAt) : 'not yet'],
  runUrl && ['Run', html`<a href="${runUrl}" rel="noreferrer">in the Temporal UI</a>`],
])}`,
)}
${mayChange && live('actions', actionsOf(job, options.stages))}
${live('undo', undoHtml(job, { ...options, mayChange }))}
${live('latest', !hasEnded(job.status) && latestHtml(options.progress, options.devices, options.now))}
<h2>Devices</h2>
${live(
  'targets',
  html`${tabs('State', [
    { ...tabOf(ALL_STATES), label: 'All' },
    ...TARGET_STATES.map((state) => ({
      ...tabOf(state),
      label: `${toWords(state)} ${countOf(job, state).toLocaleString('en')}`,
      state,
    })),
  ])}
${table({
  caption: 'Devices of the job',
  head: ['Device', 'State', 'Why', 'Since'],
  rows: targets.items.map((target) => targetRow(target, options.devices)),
  empty: 'No device is in this state.',
})}${nextPage(`/operator/jobs/${job.id}`, new URLSearchParams(filter), targets.nextCursor)}`,
)}`;
};

export const ALL_STATES = 'all';

const NEEDY: readonly TargetState[] = ['failed', 'timed_out', 'sent', 'waiting'];

/** The state that needs somebody most; all, where every device is in the same one. */
export function firstState(job: JobView): string {
  const found = NEEDY.find((state) => countOf(job, state) > 0);
  return found === undefined || countOf(job, found) === job.total ? ALL_STATES : found;
}

/** "by Ada, add group members". */
const creatorText = ({ createdBy, origin }: JobView): Content =>
  createdBy && `by ${createdBy.name}${origin ? `, ${toWords(origin.action)}` : ''}`;

const UNKNOWN = html`<span class="quiet">unknown</span>`;

/** The devices that the request chose. */
function scopeHtml({ origin, total }: JobView, names: GroupNames): Content {
  switch (origin?.scope) {
    case 'all':
      return 'all devices';
    case 'group':
      return groupLink(origin.groupId, names);
    case 'members':
      return html`new members of ${groupLink(origin.groupId, names)}`;
    case 'devices':
      return counted(total, 'chosen device');
    default:
      return UNKNOWN;
  }
}

const groupLink = (id: string | null, names: GroupNames): Content => {
  const name = names.get(id ?? '');
  return name === undefined ? 'a deleted group' : html`<a href="/operator/groups/${id}">${name}</a>`;
};

const targetRow = (
  { assetId, state, reason, updatedAt }: TargetView,
  devices: ReadonlyMap<string, ShownAsset>,
): Content[] => [
  deviceLink(assetId, devices),
  badge(state),
  reason ?? html`<span class="quiet">${meaningOf(state)}</span>`,
  time(updatedAt),
];

const stayText = (applied: number): string =>
  applied === 0
    ? ''
    : ` ${applied === 1 ? '1 has taken it and stays' : `${applied.toLocaleString('en')} have taken it and stay`} on it: the page of the job offers the way back then.`;

const hasNextStage = (stages: JobStages | null): boolean =>
  stages !== null &&
  stages.rollout !== null &&
  stages.currentStage < stages.stageCount &&
  !stages.isBeginningStage;

function actionsOf({ id, status, counts, cancelRequestedAt }: JobView, stages: JobStages | null): Content {
  if (cancelRequestedAt !== null && !hasEnded(status)) return null;
  const open = counts.queued + counts.waiting + counts.sent;
  const failed = counts.failed + counts.timedOut;
  const cancel =
    !hasEnded(status) &&
    confirmed(
      `${open === 1 ? '1 device has not settled: its change' : `${open.toLocaleString('en')} devices have not settled: their change`} is withdrawn.${stayText(counts.applied)}`,
      {
        open: 'Cancel…',
        action: toFormUrl('cancelConfigJob', { jobId: id }),
        label: 'Cancel the job',
        tone: 'danger',
      },
    );
  const retry =
    failed > 0 &&
    confirmed(`The same change is sent again to ${counted(failed, 'device')}.`, {
      open: 'Retry…',
      action: toFormUrl('retryConfigJob', { jobId: id }),
      label: 'Send it again',
      tone: 'main',
    });
  const form = (name: FormName) =>
    html`<a class="button plain" href="${toFormUrl(name, { jobId: id })}">${FORMS[name].title}</a>`;
  const proceed = status === 'running' && hasNextStage(stages) && form('proceedConfigJob');
  const extend = !hasEnded(status) && form('extendConfigJob');
  return html`<div class="actions">${proceed}${extend}${cancel}${retry}</div>`;
}
