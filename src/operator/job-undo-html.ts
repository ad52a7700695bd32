/** The devices that an ended job has changed, with the way back to their earlier profiles. */
import { hasEnded, type JobView } from '../config-jobs/config-job.ts';
import { APPLY_PATH } from './apply-fields.ts';
import { TARGETS_MAX } from './apply-html.ts';
import { toFormUrl } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import { ACTION, button, table } from './parts.ts';
import type { ChangedDevice } from './shown-jobs.repository.ts';

/** Changed devices that the page of a job groups by their earlier profile. */
export const CHANGED_READ_MAX = 1_000;

/** Of a job that ran to its end with more devices, the changed ones are read when somebody asks. */
export const READ_UNASKED_MAX = 10_000;

export const isStopped = ({ status }: JobView): boolean => status === 'aborted' || status === 'cancelled';

export const mayHaveChanged = ({ status, counts }: JobView): boolean =>
  hasEnded(status) && counts.applied > 0;

interface UndoOptions {
  /** Null: not read. */
  changed: readonly ChangedDevice[] | null;
  profileNames: ReadonlyMap<string, string>;
  mayChange: boolean;
}

export function undoHtml(job: JobView, { changed, profileNames, mayChange }: UndoOptions): Content {
  const { id, profileSlug } = job;
  const nameOf = (slug: string) => profileNames.get(slug) ?? slug;
  if (!mayHaveChanged(job)) return null;
  if (changed === null)
    return html`<p><a href="/operator/jobs/${id}?changed=true">Devices that still run the change, and the way back</a></p>`;
  if (changed.length === 0)
    return html`<p class="quiet">Nothing to put back: each device that has taken the change has a later one, or is archived.</p>`;
  const isPart = changed.length >= CHANGED_READ_MAX;
  const wayBack = (slug: string, count: number) => {
    const step = {
      job,
      profile: { slug, name: nameOf(slug) },
      devices: isPart ? 'devices' : count.toLocaleString('en'),
    };
    return slug === profileSlug ? restoreHtml(step, latestJobOf(changed, slug)) : backButton(step);
  };
  return html`<h2>Devices that have taken the change</h2>
<p>They stay on <strong>${nameOf(profileSlug)}</strong> until another profile is applied. <a href="/operator/jobs/${id}?state=applied">Their list</a></p>
${table({
  caption: 'Devices that have taken the change, by their earlier profile',
  head: ['Earlier profile', 'Devices', ACTION],
  rows: countBySlug(changed).map(([slug, count]) => [
    slug === null ? NONE_KNOWN : earlierHtml({ slug, name: nameOf(slug) }, profileSlug),
    count.toLocaleString('en'),
    slug === null ? LEFT_OUT : mayChange && wayBack(slug, count),
  ]),
})}
${isPart && html`<p class="quiet">Counted among the first ${CHANGED_READ_MAX.toLocaleString('en')} devices; a preview takes up to ${TARGETS_MAX.toLocaleString('en')} at a time.</p>`}`;
}

/** The most devices first. */
function countBySlug(changed: readonly ChangedDevice[]): Array<[slug: string | null, count: number]> {
  const counts = new Map<string | null, number>();
  for (const { profileSlug } of changed) counts.set(profileSlug, (counts.get(profileSlug) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** The ids of later jobs are higher. */
const latestJobOf = (changed: readonly ChangedDevice[], slug: string): string =>
  changed
    .flatMap(({ profileSlug, earlierJobId }) => (profileSlug === slug ? (earlierJobId ?? []) : []))
    .sort()
    .at(-1) ?? '';

const NONE_KNOWN = html`<span class="quiet">none is known</span>`;
const LEFT_OUT = html`<span class="quiet">left out: they stay on this one</span>`;

interface NamedProfile {
  slug: string;
  name: string;
}

const earlierHtml = ({ slug, name }: NamedProfile, changedTo: string): Html =>
  html`<a href="/operator/profiles/${slug}">${name}</a>${slug === changedTo && html` <span class="quiet">in an earlier version: save its settings again, then apply it</span>`}`;

interface WayBack {
  job: JobView;
  profile: NamedProfile;
  /** In words. */
  devices: string;
}

const backButton = ({ job, profile, devices }: WayBack): Html =>
  button({
    action: APPLY_PATH,
    label: `Put the ${devices} back to ${profile.name}…`,
    fields: { undo: job.id, slug: profile.slug },
    tone: isStopped(job) ? 'main' : 'plain',
  });

/** A profile has one version, so the devices can go back to the last one before the change. */
function restoreHtml({ job, profile: { slug }, devices }: WayBack, earlierJobId: string): Html {
  const edit = toFormUrl('updateProfile', { slug, job: earlierJobId, return: `/operator/jobs/${job.id}` });
  const apply = button({
    action: APPLY_PATH,
    label: `Apply it to the ${devices}…`,
    fields: { undo: job.id, slug },
  });
  return html`<div class="row"><a class="button" href="${edit}">Edit with the earlier settings…</a>${apply}</div>`;
}
