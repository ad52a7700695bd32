import type { JobView } from '../config-jobs/config-job.ts';
import { hasEnded, TARGET_STATES } from '../config-jobs/config-job.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import type { Answers, AppliedView, TargetView } from './answers.ts';
import { changeView } from './configuration-view.ts';
import { type Content, type Html, html } from './html.ts';
import {
  badge,
  bar,
  confirmed,
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

interface JobsOptions {
  jobs: Answers['listConfigJobs'];
  profiles: Answers['listProfiles']['profiles'];
  filter: Record<string, string>;
}

const STATUSES = ['running', 'scheduled', 'succeeded', 'completed_with_failures', 'aborted', 'cancelled'];

export const jobsView = ({ jobs, profiles, filter }: JobsOptions): Html => html`
<h1>Configuration jobs</h1>
${tabs('Status', [
  { href: '/operator/jobs', label: 'All', isCurrent: filter.status === undefined },
  ...STATUSES.map((status) => ({
    href: `/operator/jobs?status=${status}`,
    label: toWords(status),
    isCurrent: filter.status === status,
  })),
])}
${live(
  'jobs',
  html`${table({
    caption: 'Jobs, newest first',
    head: ['Profile', 'Status', 'Progress', 'Applied', 'Begun', 'Ended'],
    rows: jobs.items.map(jobRow),
    empty: 'No job. One begins when a profile is applied.',
  })}${nextPage('/operator/jobs', new URLSearchParams(filter), jobs.nextCursor)}`,
)}
${profiles.length > 0 && applyForm(profiles)}`;

const jobRow = (job: JobView): Content[] => [
  html`<a class="name" href="/operator/jobs/${job.id}">${job.profileSlug}</a>`,
  badge(job.status),
  bar(sharesOf(job), 'Devices'),
  `${job.counts.applied.toLocaleString('en')} of ${job.total.toLocaleString('en')}`,
  time(job.createdAt),
  job.finishedAt ? time(job.finishedAt) : html`<span class="quiet">deadline ${time(job.deadlineAt)}</span>`,
];

/** In the order of a target's life. */
function sharesOf({ counts }: JobView): Share[] {
  const { timedOut, ...others } = counts;
  const byState: Record<string, number> = { ...others, timed_out: timedOut };
  const order = ['applied', 'sent', 'waiting', 'queued', 'superseded', 'cancelled', 'timed_out', 'failed'];
  return order.map((state) => ({ state, count: byState[state] ?? 0 }));
}

const applyForm = (
  profiles: JobsOptions['profiles'],
): Html => html`<section class="panel"><h2>Apply a profile</h2>
<form method="post" action="/operator/jobs/apply" class="stacked">
<label>Profile <select name="slug">${profiles.map(({ slug, name }) => html`<option value="${slug}">${name} (${slug})</option>`)}</select></label>
<label>Devices <textarea name="devices" rows="3" required placeholder="serial numbers, or the word all"></textarea></label>
<button class="main">Preview</button> <span class="quiet">Nothing changes before you confirm.</span>
</form></section>`;

interface ApplyOptions {
  applied: AppliedView;
  slug: string;
  devices: string;
}

/** What a dry run has found, and the button that does it. */
export const applyView = ({ applied, slug, devices }: ApplyOptions): Html => html`
<h1>Apply ${slug}?</h1>
<p>${applied.appliedCount.toLocaleString('en')} ${applied.appliedCount === 1 ? 'device gets' : 'devices get'} this change:</p>
${(applied.preview ?? []).map(
  ({
    config,
    deviceCount,
    warnings,
  }) => html`<section class="panel"><h2>${deviceCount.toLocaleString('en')} ${deviceCount === 1 ? 'device' : 'devices'}</h2>
${warnings.length > 0 && html`<ul class="warnings">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`}
${changeView(config as DeviceConfiguration)}</section>`,
)}
<form method="post" action="/operator/jobs/apply" class="actions"><input type="hidden" name="slug" value="${slug}">
<input type="hidden" name="devices" value="${devices}"><input type="hidden" name="sure" value="yes">
<button class="main">Apply to ${applied.appliedCount.toLocaleString('en')}</button> <a href="/operator/jobs">Back</a></form>`;

interface JobOptions {
  job: JobView;
  targets: Answers['listConfigJobTargets'];
  filter: Record<string, string>;
  runUrl: string | null;
  mayChange: boolean;
}

export const jobView = ({ job, targets, filter, runUrl, mayChange }: JobOptions): Html => html`
<p class="crumbs"><a href="/operator/jobs">Jobs</a></p>
${live(
  'job',
  html`<h1>${job.profileSlug} ${badge(job.status)}</h1>
${bar(sharesOf(job), 'Devices')}${legend(sharesOf(job))}
${facts([
  ['Devices', job.total.toLocaleString('en')],
  ['Begun', time(job.createdAt)],
  ...('startAt' in job ? [['Starts', time(job.startAt as string)] as const] : []),
  ['Deadline', time(job.deadlineAt)],
  ['Ended', job.finishedAt ? time(job.finishedAt) : 'not yet'],
  ...(runUrl ? [['Run', html`<a href="${runUrl}" rel="noreferrer">in the Temporal UI</a>`] as const] : []),
])}`,
)}
${mayChange && live('actions', actionsOf(job))}
<h2>Devices</h2>
${tabs('State', [
  { href: `/operator/jobs/${job.id}`, label: 'All', isCurrent: filter.state === undefined },
  ...TARGET_STATES.map((state) => ({
    href: `/operator/jobs/${job.id}?state=${state}`,
    label: toWords(state),
    isCurrent: filter.state === state,
  })),
])}
${live(
  'targets',
  html`${table({
    caption: 'Devices of the job',
    head: ['Device', 'State', 'Why', 'Since'],
    rows: targets.items.map(targetRow),
    empty: 'No device is in this state.',
  })}${nextPage(`/operator/jobs/${job.id}`, new URLSearchParams(filter), targets.nextCursor)}`,
)}`;

/** What a state means, where the target has no reason of its own. */
const WHY: Record<string, string> = {
  queued: 'Its stage has not begun.',
  waiting: 'It has not asked for the change yet: it does so with its next transmission.',
  sent: 'It has fetched the change and has not reported it yet.',
  applied: 'It runs the change, by its own report.',
  superseded: 'A later apply replaced the change.',
  cancelled: 'The change was withdrawn.',
  timed_out: 'The deadline came first. The change is still offered.',
};

const targetRow = ({ assetId, serialNumber, state, reason, updatedAt }: TargetView): Content[] => [
  html`<a class="name" href="/operator/devices/${assetId}">${serialNumber}</a>`,
  badge(state),
  reason ?? html`<span class="quiet">${WHY[state] ?? ''}</span>`,
  time(updatedAt),
];

function actionsOf({ id, status, counts }: JobView): Content {
  const open = counts.queued + counts.waiting + counts.sent;
  const failed = counts.failed + counts.timedOut;
  const cancel =
    !hasEnded(status) &&
    confirmed(`${open.toLocaleString('en')} devices have not settled: their change is withdrawn.`, {
      open: 'Cancel…',
      action: `/operator/jobs/${id}/cancel`,
      label: 'Cancel the job',
      tone: 'danger',
    });
  const retry =
    failed > 0 &&
    confirmed(`The same change is sent again to ${failed.toLocaleString('en')} devices.`, {
      open: 'Retry…',
      action: `/operator/jobs/${id}/retry`,
      label: 'Send it again',
      tone: 'main',
    });
  return html`<div class="actions">${cancel}${retry}</div>`;
}
