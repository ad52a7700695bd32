/** The devices that a stopped job has changed, with the way back to their earlier profiles. */
import type { JobView } from '../config-jobs/config-job.ts';
import { APPLY_PATH } from './apply-fields.ts';
import { type Content, type Html, html } from './html.ts';
import { ACTION, button, table } from './parts.ts';
import type { ChangedDevice } from './shown-jobs.repository.ts';

/** Changed devices that the page of a job groups by their earlier profile. */
export const CHANGED_READ_MAX = 1_000;

interface UndoOptions {
  changed: readonly ChangedDevice[];
  profileNames: ReadonlyMap<string, string>;
  mayChange: boolean;
}

export function undoHtml(
  { id, profileSlug }: JobView,
  { changed, profileNames, mayChange }: UndoOptions,
): Content {
  const nameOf = (slug: string) => profileNames.get(slug) ?? slug;
  if (changed.length === 0) return null;
  return html`<h2>Devices that have taken the change</h2>
<p>They stay on <strong>${nameOf(profileSlug)}</strong> until another profile is applied. <a href="/operator/jobs/${id}?state=applied">Their list</a></p>
${table({
  caption: 'Devices that have taken the change, by their earlier profile',
  head: ['Earlier profile', 'Devices', ACTION],
  rows: countBySlug(changed).map(([slug, count]) => [
    slug === null ? NONE_KNOWN : earlierHtml({ slug, name: nameOf(slug) }, profileSlug),
    count.toLocaleString('en'),
    mayChange && slug !== null && slug !== profileSlug && backButton(id, { slug, name: nameOf(slug) }, count),
  ]),
  empty: '',
})}
${changed.length >= CHANGED_READ_MAX && html`<p class="quiet">Counted among the first ${CHANGED_READ_MAX.toLocaleString('en')} devices; the preview counts all.</p>`}`;
}

/** The most devices first. */
function countBySlug(changed: readonly ChangedDevice[]): Array<[slug: string | null, count: number]> {
  const counts = new Map<string | null, number>();
  for (const { profileSlug } of changed) counts.set(profileSlug, (counts.get(profileSlug) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

const NONE_KNOWN = html`<span class="quiet">none is known</span>`;

interface NamedProfile {
  slug: string;
  name: string;
}

const earlierHtml = ({ slug, name }: NamedProfile, changedTo: string): Html =>
  html`<a href="/operator/profiles/${slug}">${name}</a>${slug === changedTo && html` <span class="quiet">in an earlier version: edit the profile, and apply it again</span>`}`;

const backButton = (jobId: string, { slug, name }: NamedProfile, count: number): Html =>
  button({
    action: APPLY_PATH,
    label: `Put the ${count < CHANGED_READ_MAX ? count.toLocaleString('en') : 'devices'} back to ${name}…`,
    fields: { undo: jobId, slug },
    tone: 'main',
  });
