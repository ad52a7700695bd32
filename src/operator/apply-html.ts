import { firstStageSize, type Rollout } from '../config-jobs/config-job.ts';
import type { Answers, AppliedView } from './answers.ts';
import { ROLLOUT_SUGGESTED } from './apply-form.ts';
import { changeHtml } from './configuration-html.ts';
import { type Content, type Html, html } from './html.ts';

type Profiles = Answers['listProfiles']['profiles'];

const ACTION = '/operator/jobs/apply';
const NO_PROFILE = html`<p class="empty">There is no profile yet. They are made with POST /devices/config-profiles.</p>`;

const profileChoice = (profiles: Profiles): Html =>
  html`<label>Profile <select name="slug">${profiles.map(({ slug, name }) => html`<option value="${slug}">${name} (${slug})</option>`)}</select></label>`;

/** For devices that are named. */
export const applyForm = (profiles: Profiles): Html => html`<section class="panel"><h2>Apply a profile</h2>
${
  profiles.length === 0
    ? NO_PROFILE
    : html`<form method="post" action="${ACTION}" class="stacked">
${profileChoice(profiles)}
<label>Devices <textarea name="devices" rows="3" required placeholder="serial numbers, or the word all"></textarea></label>
<fieldset class="stages"><legend>When</legend>
<label class="check"><input type="radio" name="inStages" value="no" checked> All devices at once</label>
<label class="check"><input type="radio" name="inStages" value="yes"> In stages: some devices first, the rest when these do well</label>
<div class="question">
${PERCENTS.map(
  ([name, label]) =>
    html`<label>${label} <input type="number" name="${name}" min="1" max="100" value="${ROLLOUT_SUGGESTED[name]}"></label>`,
)}</div></fieldset>
${PREVIEW}</form>`
}</section>`;

const PERCENTS: ReadonlyArray<readonly [keyof Rollout, string]> = [
  ['firstPercent', 'Percent of the devices that go first'],
  ['minAppliedPercent', 'Percent of these that must have applied it before the rest begins'],
  ['abortFailedPercent', 'Percent of failures that ends the job'],
];

const PREVIEW = html`<button class="main">Preview</button> <span class="quiet">Nothing changes before you confirm.</span>`;

interface ApplyRowOptions {
  id: string;
  title: string;
  /** Of the device; left out for those whose boxes are ticked, which name the form. */
  serialNumber?: string;
}

export const applyRow = (profiles: Profiles, { id, title, serialNumber }: ApplyRowOptions): Content =>
  profiles.length > 0 &&
  html`<section class="panel"><h2>${title}</h2><form method="post" action="${ACTION}" class="filter" id="${id}">
${serialNumber !== undefined && html`<input type="hidden" name="devices" value="${serialNumber}">`}
${profileChoice(profiles)}${PREVIEW}</form></section>`;

const pace = (rollout: Rollout | null, count: number): string => {
  if (rollout === null) return 'All at once.';
  const first = firstStageSize(count, rollout);
  return `In stages: ${first.toLocaleString('en')} first, the rest once ${rollout.minAppliedPercent} % of these have applied it; ends if ${rollout.abortFailedPercent} % fail.`;
};

/** `fields`: of the form that asked for the preview. */
interface ApplyChoices {
  rollout: Rollout | null;
  fields: ReadonlyArray<readonly [string, string]>;
}

/** What a dry run has found, and the button that does it. */
export const applyHtml = (
  { profileSlug, appliedCount, preview = [] }: AppliedView,
  { rollout, fields }: ApplyChoices,
): Html => html`
<h1>Apply ${profileSlug}?</h1>
<p>${appliedCount.toLocaleString('en')} ${appliedCount === 1 ? 'device gets' : 'devices get'} this change. <strong>${pace(rollout, appliedCount)}</strong></p>
${preview.map(
  ({
    config,
    deviceCount,
    warnings,
  }) => html`<section class="panel"><h2>${deviceCount.toLocaleString('en')} ${deviceCount === 1 ? 'device' : 'devices'}</h2>
${warnings.length > 0 && html`<ul class="warnings">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`}
${changeHtml(config)}</section>`,
)}
<form method="post" action="${ACTION}" class="actions">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="sure" value="yes">
<button class="main">Apply to ${appliedCount.toLocaleString('en')}</button> <a href="/operator/jobs">Back</a></form>`;
