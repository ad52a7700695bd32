/** Groups of devices: the list, and one of them. */
import type { ListedAssetView } from '../assets/asset.ts';
import type { Answers, GroupView } from './answers.ts';
import { type AskedAgain, askedAgainHtml } from './form-html.ts';
import type { FormLink } from './form-links.ts';
import { toActionUrl } from './forms.ts';
import type { AbortedRollout } from './group-rollout.ts';
import { type Content, type Html, html } from './html.ts';
import { type ProfileNames, profileNameOf } from './jobs-html.ts';
import { endLabel, muteNotice, muteState } from './mute-html.ts';
import {
  badge,
  button,
  counted,
  type FormOptions,
  facts,
  hiddenInputs,
  live,
  nameLink,
  nextPage,
  table,
  time,
} from './parts.ts';
import type { LeavingDevice } from './shown-groups.repository.ts';

const PATH = '/operator/groups';

export const groupsHtml = (
  { items, nextCursor }: Answers['listGroups'],
  { profileNames, now, link }: Pick<GroupOptions, 'profileNames' | 'now' | 'link'>,
): Html => html`
<h1>Groups</h1>
${live(
  'groups',
  html`${table({
    caption: 'Groups, newest first',
    head: ['Group', 'Profile', 'Members', 'Maintenance', 'Changed'],
    rows: items.map((group) => [
      html`<a class="name" href="${PATH}/${group.id}">${group.name}</a>`,
      profileLink(group, profileNames),
      group.memberCount.toLocaleString('en'),
      group.mute && muteState(group.mute, now),
      time(group.updatedAt),
    ]),
    empty: 'There is no group yet. A group gives its profile to each device that joins.',
  })}${nextPage(PATH, new URLSearchParams(), nextCursor)}`,
)}
<div class="actions">${link('createGroup', {}, { tone: 'main' })}</div>`;

const profileLink = ({ profileSlug }: GroupView, names: ProfileNames): Content =>
  profileSlug === null
    ? html`<span class="quiet">none</span>`
    : html`<a href="/operator/profiles/${profileSlug}">${profileNameOf(profileSlug, names)}</a>`;

interface GroupOptions {
  /** Null: the latest rollout did not end itself. */
  aborted: AbortedRollout | null;
  /** The first ones. */
  members: readonly ListedAssetView[];
  /** Ids of members that have had no profile. */
  withoutProfile: ReadonlySet<string>;
  profileNames: ProfileNames;
  now: Date;
  mayChange: boolean;
  link: FormLink;
}

export function groupHtml(
  group: GroupView,
  { aborted, members, withoutProfile, profileNames, now, mayChange, link }: GroupOptions,
): Html {
  const params = { groupId: group.id };
  const content = html`<h1>${group.name}</h1>
${muteNotice(group, now)}${aborted && abortedHtml(group, aborted, { profileNames, mayChange })}
${facts([
  [
    'Members',
    html`<a href="/operator/fleet?groupId=${group.id}">${group.memberCount.toLocaleString('en')}</a>`,
  ],
  ['Profile', profileLink(group, profileNames)],
  ['Created', time(group.createdAt)],
  ['Changed', time(group.updatedAt)],
])}
<div class="actions">
${mayChange && group.profileSlug && giveButton(group, group.profileSlug, { label: `Bring ${profileNameOf(group.profileSlug, profileNames)} to all members…`, tone: 'main' })}
${link('applyProfile', params, { label: 'Apply a profile to its members' })}
${link('updateGroup', params, { label: 'Edit' })}
${link('addGroupMembers', params)}
${link('removeGroupMembers', params)}
${group.mute ? link('unmuteGroup', params, { label: endLabel(group.mute, now) }) : link('muteGroup', params, { label: 'Maintenance' })}
${link('deleteGroup', params, { label: 'Delete' })}
<a class="button" href="/operator/audit?subject=${group.id}">History</a></div>
<h2>Members</h2>
${table({
  caption: 'Members, by registration',
  head: ['Device', 'Contact', 'Configuration', 'Last reading'],
  rows: members.map(({ id, name, serialNumber, status, syncStatus, lastReadingAt }) => [
    nameLink(id, name, serialNumber),
    badge(status),
    badge(withoutProfile.has(id) ? 'no_profile' : syncStatus),
    time(lastReadingAt),
  ]),
  empty: 'The group has no member yet.',
})}
${group.memberCount > members.length && html`<p class="pager"><a href="/operator/fleet?groupId=${group.id}">All ${group.memberCount.toLocaleString('en')}</a></p>`}`;
  return html`<p class="crumbs"><a href="${PATH}">Groups</a></p>
${live('group', content)}`;
}

/**
 * Previews the job that brings a profile to the members as that of their group: by contrast to an apply to the group,
 * members that leave it take it no more.
 */
export const giveButton = (
  { id, name, profileSlug: present }: Pick<GroupView, 'id' | 'name' | 'profileSlug'>,
  profileSlug: string,
  look: Pick<FormOptions, 'label' | 'tone' | 'about'>,
): Html =>
  button({
    action: toActionUrl('updateGroup', { groupId: id }),
    fields: {
      shown: JSON.stringify({ name, profileSlug: present }),
      unchanged: 'profileSlug',
      name,
      profileSlug,
    },
    ...look,
  });

/** The group keeps the profile, so that each device that joins gets it. */
function abortedHtml(
  group: GroupView,
  { job, earlierSlug }: AbortedRollout,
  { profileNames, mayChange }: Pick<GroupOptions, 'profileNames' | 'mayChange'>,
): Html {
  return html`<section class="panel"><p><strong>The <a href="/operator/jobs/${job.id}">rollout of ${profileNameOf(job.profileSlug, profileNames)}</a> ended itself</strong> ${time(job.finishedAt?.toISOString())}${job.reason && html`: ${job.reason}`}. The group keeps this profile: each device that joins gets it.</p>
${
  mayChange &&
  earlierSlug !== null &&
  html`<div class="actions">${giveButton(group, earlierSlug, {
    label: `Put the group back to ${profileNameOf(earlierSlug, profileNames)}…`,
    tone: 'main',
  })}</div>`
}</section>`;
}

/** The effect of taking its profile away from a group, before it is done. */
export const takeAwayHtml = (
  group: GroupView,
  { profileNames, ...asked }: Pick<GroupOptions, 'profileNames'> & AskedAgain,
): Html => html`
<p class="crumbs"><a href="${PATH}">Groups</a> <a href="${PATH}/${group.id}">${group.name}</a></p>
<h1>Take the profile away from ${group.name}?</h1>
<p>Open changes of ${profileLink(group, profileNames)} are withdrawn from its ${counted(group.memberCount, 'member')}. Members that run it keep it, and a device that joins is offered none.</p>
${askedAgainHtml(asked)}`;

interface JoinOptions {
  group: GroupView;
  profileNames: ProfileNames;
  /** Devices that leave another group. */
  leaving: readonly LeavingDevice[];
  count: number;
  /** The form that asked, to be sent again. */
  inputs: Iterable<[string, string]>;
  action: string;
}

const LEAVING_SHOWN = 100;

/** What joining does to the devices, before it is done. */
export const joinHtml = ({ group, profileNames, leaving, count, inputs, action }: JoinOptions): Html => html`
<p class="crumbs"><a href="${PATH}">Groups</a> <a href="${PATH}/${group.id}">${group.name}</a></p>
<h1>Add ${counted(count, 'device')} to ${group.name}?</h1>
${group.profileSlug !== null && html`<p>A device that does not run ${profileLink(group, profileNames)} gets a job that offers it.</p>`}
${
  leaving.length > 0 &&
  html`<h2>${counted(leaving.length, 'device')} ${leaving.length === 1 ? 'leaves its' : 'leave their'} group</h2>
<p>A device is in one group at most. Open changes of the profile of the former group are withdrawn.</p>
${table({
  caption: 'Devices that leave their group',
  head: ['Device', 'Leaves'],
  rows: leaving
    .slice(0, LEAVING_SHOWN)
    .map((each) => [
      nameLink(each.id, each.name, each.serialNumber),
      html`<a href="${PATH}/${each.groupId}">${each.groupName}</a>`,
    ]),
})}
${leaving.length > LEAVING_SHOWN && html`<p class="quiet">and ${counted(leaving.length - LEAVING_SHOWN, 'device')} more</p>`}`
}
<form method="post" action="${action}" class="form">${hiddenInputs(inputs)}
<div class="actions"><button class="main" name="step" value="apply">Add them</button> <a class="button" href="${PATH}/${group.id}">Cancel</a></div></form>`;
