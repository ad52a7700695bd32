/** Groups of devices: the list, and one of them. */
import type { Answers, GroupView } from './answers.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { muteNotice } from './mute-html.ts';
import { facts, nextPage, table, time } from './parts.ts';

const PATH = '/operator/groups';

export const groupsHtml = ({ items, nextCursor }: Answers['listGroups'], link: FormLink): Html => html`
<h1>Groups</h1>
${table({
  caption: 'Groups, newest first',
  head: ['Group', 'Profile', 'Members', 'Maintenance', 'Changed'],
  rows: items.map((group) => [
    html`<a class="name" href="${PATH}/${group.id}">${group.name}</a>`,
    profileLink(group),
    group.memberCount.toLocaleString('en'),
    group.mute && html`until ${time(group.mute.until)}`,
    time(group.updatedAt),
  ]),
  empty: 'There is no group yet. A group gives its profile to each device that joins.',
})}
<div class="actions">${link('createGroup', {}, { tone: 'main' })}</div>
${nextPage(PATH, new URLSearchParams(), nextCursor)}`;

const profileLink = ({ profileSlug }: GroupView): Content =>
  profileSlug === null
    ? html`<span class="quiet">none</span>`
    : html`<a href="/operator/profiles/${profileSlug}">${profileSlug}</a>`;

export function groupHtml(group: GroupView, link: FormLink): Html {
  const params = { groupId: group.id };
  return html`<p class="crumbs"><a href="${PATH}">Groups</a></p>
<h1>${group.name}</h1>
${muteNotice(group)}
${facts([
  [
    'Members',
    html`<a href="/operator/fleet?groupId=${group.id}">${group.memberCount.toLocaleString('en')}</a>`,
  ],
  ['Profile', profileLink(group)],
  ['Created', time(group.createdAt)],
  ['Changed', time(group.updatedAt)],
])}
<div class="actions">
${link('applyProfile', { ...params, ...(group.profileSlug && { slug: group.profileSlug }) }, { label: 'Apply a profile to its members', tone: 'main' })}
${link('updateGroup', params, { label: 'Edit' })}
${link('addGroupMembers', params)}
${link('removeGroupMembers', params)}
${group.mute ? link('unmuteGroup', params, { label: 'End the maintenance' }) : link('muteGroup', params, { label: 'Maintenance' })}
${link('deleteGroup', params, { label: 'Delete' })}
<a class="button" href="/operator/audit?subject=${group.id}">History</a></div>`;
}
