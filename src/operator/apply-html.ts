/** The form that applies a profile, and its preview. */

import { COUNTED_MAX } from '../assets/asset-filter.ts';
import type { Preview } from '../config-jobs/compile-devices.ts';
import { DEADLINE_MINUTES_DEFAULT, firstStageSize, type Rollout } from '../config-jobs/config-job.ts';
import type { Answers, AppliedView } from './answers.ts';
import {
  type ChangeInWords,
  type ChangesInWords,
  toChangesInWords,
  warningInWords,
} from './apply-changes.ts';
import { APPLY_PATH, JOIN_PATH, WITHDRAW_PATH } from './apply-fields.ts';
import { type BreachCount, MEASURED_MAX } from './breaches.ts';
import { changeHtml, duration } from './configuration-html.ts';
import { FILTER_LABELS, type FleetFilter } from './fleet-filter.ts';
import type { Values } from './form-fields.ts';
import { askedAgainHtml, type FormOptions, fieldsHtml } from './form-html.ts';
import type { Option } from './form-layout.ts';
import { FORMS } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import { atLeast, button, counted, type Fact, facts, hiddenInputs, table, time, toWords } from './parts.ts';

type Profiles = Answers['listProfiles']['profiles'];

/** As many as the operation takes by serial number. */
export const TARGETS_MAX = 10_000;
export const TOO_MANY_MATCH = `More than ${TARGETS_MAX.toLocaleString('en')} devices match: apply to a group, or to all`;

interface ApplyFormOptions extends Pick<FormOptions, 'fields' | 'values' | 'options' | 'faults'> {
  filter: FleetFilter;
  /** The name of the group in the filter. */
  groupName: string | undefined;
  /** Devices that match the filter; null: there is none. */
  matching: number | null;
}

export function applyFormHtml({ fields, filter, groupName, matching, ...more }: ApplyFormOptions): Html {
  const shown = matching === null ? fields : fields.filter(({ name }) => !CHOOSE_DEVICES.includes(name));
  const { content, unplaced } = fieldsHtml({ ...more, fields: shown, looks: FORMS.applyProfile.looks });
  return html`<p class="crumbs"><a href="/operator/fleet">Fleet</a> <a href="/operator/jobs">Jobs</a></p>
<h1>${FORMS.applyProfile.title}</h1>
<p>${matching === null ? FORMS.applyProfile.question : 'The preview shows what changes for how many.'}</p>
${unplaced}
<form method="post" action="${APPLY_PATH}" class="form">
${matching !== null && matchingHtml({ filter, groupName }, matching)}
${content}
<div class="actions"><button class="main">Preview</button> <span class="quiet">Nothing changes before you confirm.</span></div></form>`;
}

const CHOOSE_DEVICES = ['serialNumbers', 'groupId', 'applyToAll'];

const matchingHtml = (
  { filter, groupName }: Pick<ApplyFormOptions, 'filter' | 'groupName'>,
  count: number,
): Html =>
  html`<p>To <strong>${matchText(count, COUNTED_MAX)}</strong> ${Object.entries(filter).map(
    ([name, value]) =>
      html`<span class="badge">${FILTER_LABELS[name]?.toLowerCase()}: ${filterValue(name, value, groupName)}</span> `,
  )}</p><input type="hidden" name="filter" value="${new URLSearchParams(filter as Record<string, string>).toString()}">`;

/** "the one that matches" or "all 1,200 that match". */
export const matchText = (count: number, countedMax: number): string =>
  count === 1 ? 'the one that matches' : `all ${atLeast(count, countedMax)} that match`;

function filterValue(name: string, value = '', groupName: string | undefined): string {
  if (name === 'q' || name === 'model' || name === 'profileSlug') return value;
  return name === 'groupId' ? (groupName ?? 'a deleted group') : toWords(value);
}

interface ApplyRowOptions {
  id: string;
  title: string;
  /** The one device; left out where boxes are ticked, which name the form. */
  serialNumber?: string;
  /** Slug of the profile that is offered first. */
  chosen?: string | undefined;
  /** Groups that the devices can join instead. */
  groups?: readonly Option[];
  /** The page with the boxes, which follows a withdrawal. */
  back?: string;
}

/** The first step for devices that a page shows. */
export const applyRow = (
  profiles: Profiles,
  { id, title, serialNumber, chosen, groups = [], back }: ApplyRowOptions,
): Content =>
  profiles.length > 0 &&
  html`<section class="panel"><h2>${title}</h2><form method="post" action="${APPLY_PATH}" class="filter" id="${id}">
${serialNumber !== undefined && html`<input type="hidden" name="serialNumbers" value="${serialNumber}">`}
<label>Profile <select name="slug" required><option value="">choose</option>${profiles.map(({ slug, name }) => html`<option value="${slug}"${slug === chosen && html` selected`}>${name} (${slug})</option>`)}</select></label>
${serialNumber === undefined && html`<button type="button" class="tick-all">Tick all</button> `}<button class="main">Preview</button> <button name="step" value="edit" formnovalidate>Stages, start…</button>
${back !== undefined && html`<input type="hidden" name="return" value="${back}"><button formaction="${WITHDRAW_PATH}" formnovalidate>Withdraw what is pending…</button>`}
${
  groups.length > 0 &&
  html`<label>Group <select name="joinedGroupId">${groups.map(({ value, label }) => html`<option value="${value}">${label}</option>`)}</select></label>
<button formaction="${JOIN_PATH}" formnovalidate>Add to the group</button>`
}</form></section>`;

/** As many as are withdrawn from by one form, each by the operation of the API. */
export const WITHDRAWN_MAX = 100;

/** What a withdrawal from ticked devices does, before it is done. */
export const withdrawHtml = (serialNumbers: readonly string[], back: string): Html =>
  html`<p class="crumbs"><a href="${back}">Fleet</a></p>
<h1>Withdraw what is pending for ${devices(serialNumbers.length)}?</h1>
<p>${FORMS.withdrawDeviceConfig.question}</p>
<form method="post" action="${WITHDRAW_PATH}" class="form">${hiddenInputs([['return', back], ...serialNumbers.map((each): [string, string] => ['serialNumbers', each])])}
<div class="actions"><button class="danger" name="step" value="apply">${FORMS.withdrawDeviceConfig.submit}</button> <a href="${back}">Cancel</a></div></form>`;

/** Leads to the preview of an apply to a device that no longer runs its profile. */
export const applyAgain = (
  { slug, profileName }: { slug: string; profileName: string },
  { name, serialNumber }: { name: string; serialNumber: string },
): Html =>
  button({
    action: APPLY_PATH,
    label: `Apply ${profileName} again…`,
    fields: { slug, serialNumbers: serialNumber },
    about: `to ${name}`,
  });

const count = (number: number): string => number.toLocaleString('en');
const devices = (number: number): string => counted(number, 'device');

/** The same words before a job and on its page. Percents that are left out have the defaults of the operation. */
export function stagesText(rollout: Partial<Rollout> | undefined, total: number): string {
  if (rollout?.firstPercent === undefined)
    return `${total === 1 ? '1 device' : `All ${devices(total)}`} at once.`;
  const { minAppliedPercent = 100, abortFailedPercent = 100, firstPercent } = rollout;
  const first = firstStageSize(total, { firstPercent, minAppliedPercent, abortFailedPercent });
  return `${count(first)} first, ${count(total - first)} after ${minAppliedPercent} % of them have applied it; ends if ${abortFailedPercent} % of them fail.`;
}

interface ApplyChoices {
  profileName: string;
  /** Null: not applied to a group. */
  groupName: string | null;
  /** Null: the profile has no alerts. */
  breaches: BreachCount | null;
  values: Values;
  /** Inputs of the form that asked for the preview. */
  inputs: Iterable<[string, string]>;
}

/** The result of a dry run of an apply, and the button that does it. */
export const applyPreviewHtml = (
  { profileSlug, appliedCount, preview = [] }: AppliedView,
  { profileName, groupName, values, inputs, breaches }: ApplyChoices,
): Html =>
  previewHtml(preview, {
    crumbs: html`<a href="/operator/fleet">Fleet</a> <a href="/operator/jobs">Jobs</a>`,
    title: `Apply ${profileName}?`,
    facts: [['Profile', namedProfile(profileName, profileSlug)], groupName !== null && ['Group', groupName]],
    values,
    inputs,
    breaches,
    action: APPLY_PATH,
    submit: `Apply to ${count(appliedCount)}`,
    back: '/operator/jobs',
  });

/** With its short name where that is another one. */
export const namedProfile = (name: string, slug: string): Content =>
  name === slug ? name : html`${name} <code>${slug}</code>`;

export interface PreviewOptions extends Pick<ApplyChoices, 'values' | 'inputs' | 'breaches'> {
  crumbs: Content;
  title: string;
  /** Lines before the numbers of devices. */
  facts: readonly Fact[];
  action: string;
  submit: string;
  back: string;
}

/** A dry run of any change that begins a job. */
export function previewHtml(preview: readonly Preview[], options: PreviewOptions): Html {
  const { crumbs, title, values, inputs, action, submit, back } = options;
  const { rollout, startAt, deadlineMinutes } = values;
  const changes = toChangesInWords(preview);
  const appliedCount = preview.reduce((total, { deviceCount }) => total + deviceCount, 0);
  const changedCount = appliedCount - changes.unchangedCount;
  return html`<p class="crumbs">${crumbs}</p>
<h1>${title}</h1>
${facts([
  ...options.facts,
  ['Devices', count(appliedCount)],
  ['Would change', count(changedCount)],
  ['Have it already', count(changes.unchangedCount)],
  ['Stages', stagesText(rollout as Partial<Rollout> | undefined, appliedCount)],
  ['Start', typeof startAt === 'string' ? time(startAt) : 'at once'],
  ['Deadline', `${duration(60 * Number(deadlineMinutes ?? DEADLINE_MINUTES_DEFAULT))} after the start`],
])}
${warningsHtml(preview, options.breaches)}
<h2>What changes</h2>
${changesHtml(changes)}
${askedAgainHtml({ action, inputs, submit, back })}
${changes.unchangedCount > 0 && html`<p class="quiet">${devices(changes.unchangedCount)} with these settings ${changes.unchangedCount === 1 ? 'is' : 'are'} in the job as well: it ends once all have confirmed them.</p>`}
<h2>Settings that are sent</h2>
${preview.map(
  ({ config, deviceCount }) =>
    html`<details class="sent"><summary>${devices(deviceCount)}</summary>${changeHtml(config)}</details>`,
)}`;
}

const warningsHtml = (preview: readonly Preview[], breaches: BreachCount | null): Content => {
  const warned = preview.filter(({ warnings }) => warnings.length > 0);
  const isBreaching = breaches !== null && breaches.breachedCount > 0;
  return (
    (warned.length > 0 || isBreaching) &&
    html`<section class="panel"><h2>Warnings</h2><ul class="warnings">${isBreaching && breachHtml(breaches)}${warned.map(
      ({ deviceCount, warnings }) =>
        warnings.map(
          (warning) => html`<li><strong>${devices(deviceCount)}</strong>: ${warningInWords(warning)}</li>`,
        ),
    )}</ul></section>`
  );
};

/** The job does not stop at alerts, so that this is the moment to see them. */
const breachHtml = ({ breachedCount, measuredCount, unmeasuredCount }: BreachCount): Html =>
  html`<li><strong>${count(breachedCount)} of ${devices(measuredCount)}</strong> would be in breach at once, by ${measuredCount === 1 ? 'its latest reading' : 'their latest readings'}${measuredCount + unmeasuredCount >= MEASURED_MAX && ', among the first ones'}: alerts would open, and the job would not stop.${unmeasuredCount > 0 && ` ${counted(unmeasuredCount, 'other device')} ${unmeasuredCount === 1 ? 'has' : 'have'} no reading to compare.`}</li>`;

const changesHtml = ({ changes, unchangedCount, otherCount }: ChangesInWords): Content => [
  table({
    caption: 'Changes, for the most devices first',
    head: ['Devices', 'Change'],
    rows: changes.map(({ deviceCount, settings }) => [
      html`<strong>${devices(deviceCount)}</strong>`,
      settings.map(settingHtml),
    ]),
    empty:
      unchangedCount === 0
        ? 'There is no device.'
        : 'Nothing: each of these devices has the settings already, or is offered them.',
  }),
  otherCount > 0 &&
    html`<p class="quiet">${devices(otherCount)} more, whose settings differ from all of these.</p>`,
];

const settingHtml = ({ label, from, to }: ChangeInWords): Html =>
  from === ''
    ? html`<div>${label}</div>`
    : html`<div>${label} <span class="quiet">${from}</span> <span aria-hidden="true">→</span><span class="hidden">becomes</span> <strong>${to}</strong></div>`;
