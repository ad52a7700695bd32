/** Profiles: the list, and one of them with its groups and its history. */
import { COUNTED_MAX } from '../assets/asset-filter.ts';
import type { StoredAuditEntry } from '../audit/audit.ts';
import { type Intervals, type Profile, profileView } from '../profiles/profile.ts';
import type { Answers, ProfileView } from './answers.ts';
import { changedFields } from './audit-html.ts';
import { duration } from './configuration-html.ts';
import { askedAgainHtml } from './form-html.ts';
import type { FormLink } from './form-links.ts';
import { giveButton } from './groups-html.ts';
import { type Content, type Html, html, toText } from './html.ts';
import { ACTION, counted, facts, live, table, time, toWords } from './parts.ts';
import { alertsHtml, scheduleText } from './profile-parts-html.ts';
import type { GroupWithProfile } from './shown-groups.repository.ts';

const PATH = '/operator/profiles';

export const profilesHtml = ({ profiles }: Answers['listProfiles'], link: FormLink): Html => html`
<h1>Profiles</h1>
${live(
  'profiles',
  table({
    caption: 'Profiles, by short name',
    head: ['Profile', 'Alerts', 'When'],
    rows: profiles.map((profile) => [
      html`<a class="name" href="${PATH}/${profile.slug}">${profile.name}</a> <code>${profile.slug}</code>`,
      alertsHtml(profile.temperatureAlerts),
      scheduleText(profile.schedule),
    ]),
    empty:
      'There is no profile yet. A profile says which temperatures are allowed and how often loggers measure.',
  }),
)}
<div class="actions">${link('createProfile', {}, { tone: 'main' })}</div>`;

function intervalsText(intervals: Intervals | null): string {
  const { measurementIntervalMinutes: minutes, transmissionIntervalSeconds: seconds } = intervals ?? {};
  const texts = [
    minutes !== undefined && `measures every ${duration(minutes * 60)}`,
    seconds !== undefined && `transmits every ${duration(seconds)}`,
  ];
  return texts.filter((text) => text !== false).join(', ') || 'as each device has them';
}

/** The settings of a profile for people, by their labels. */
const settingsOf = (profile: ProfileView, intervals: Intervals | null): Array<readonly [string, Content]> => [
  ['Alerts', profile.temperatureAlerts.length === 0 ? 'none' : alertsHtml(profile.temperatureAlerts)],
  ['When', scheduleText(profile.schedule)],
  ['Intervals', intervalsText(intervals)],
];

/** What a change of a profile changes, as rows: the setting, now, and then. */
export function changedSettings(before: Profile, after: Profile): Content[][] {
  const rowsOf = (profile: Profile) => [
    ['Name', profile.name] as const,
    ...settingsOf(profileView(profile), profile.intervals),
  ];
  const now = rowsOf(before);
  return rowsOf(after).flatMap(([label, then], index) => {
    const [, earlier] = now[index] ?? [];
    return toText(earlier) === toText(then) ? [] : [[label, earlier, then]];
  });
}

/** Groups of a profile that its page names, and the question before it is saved. One more is read. */
export const GROUPS_SHOWN = 500;
export const GROUPS_ASKED_ABOUT = 100;

const groupsTable = (
  groups: readonly GroupWithProfile[],
  shownMax: number,
  actionOf?: (group: GroupWithProfile) => Content,
): Html =>
  html`${table({
    caption: 'Groups with this profile',
    head: ['Group', 'Members', ...(actionOf ? [ACTION] : [])],
    rows: groups
      .slice(0, shownMax)
      .map((group) => [
        html`<a class="name" href="/operator/groups/${group.id}">${group.name}</a>`,
        group.memberCount.toLocaleString('en'),
        ...(actionOf ? [actionOf(group)] : []),
      ]),
    empty: 'No group has this profile.',
  })}${groups.length > shownMax && html`<p class="quiet">More groups have it.</p>`}`;

interface SaveOptions {
  name: string;
  slug: string;
  /** Devices that have it as their latest one; `COUNTED_MAX` at most. */
  deviceCount: number;
  changed: Content[][];
  /** Groups that have the profile. */
  groups: readonly GroupWithProfile[];
  /** The form that asked, to be sent again. */
  inputs: Iterable<[string, string]>;
  action: string;
  back: string;
}

/** What a change of a profile changes, and for whom, before it is saved. */
export const saveHtml = ({
  name,
  slug,
  deviceCount,
  changed,
  groups,
  inputs,
  action,
  back,
}: SaveOptions): Html => html`
<p class="crumbs"><a href="${back}">${name}</a></p>
<h1>Save the changes of ${name}?</h1>
${table({ caption: 'Changed settings', head: ['Setting', 'Now', 'Then'], rows: changed, empty: 'Nothing changes.' })}
<h2>For whom</h2>
<p>Nothing is sent to a device now: each keeps its settings until the profile is applied to it. A device that joins one of these groups gets the changed profile at once.</p>
${groupsTable(groups, GROUPS_ASKED_ABOUT)}
<p>It is the latest profile of <a href="${devicesPath(slug)}">${counted(deviceCount, 'device', COUNTED_MAX)}</a>, in these groups and outside of them. Devices that have taken another one since keep what that one left alone.</p>
${askedAgainHtml({ action, inputs, submit: 'Save', back })}`;

/** Devices that have taken the profile and no other one since, whichever way they got it. */
const devicesPath = (slug: string): string => `/operator/fleet?profileSlug=${slug}`;

export interface ProfilePage {
  profile: ProfileView;
  /** Groups that have it. */
  groups: readonly GroupWithProfile[];
  history: readonly StoredAuditEntry[];
  /** Null: the profile leaves the intervals of a device alone. */
  intervals: Intervals | null;
}

export function profileHtml(
  { profile, groups, history, intervals }: ProfilePage,
  { link, mayChange }: { link: FormLink; mayChange: boolean },
): Html {
  const params = { slug: profile.slug };
  const content = html`<h1>${profile.name}</h1>
${facts([
  ['Short name', html`<code>${profile.slug}</code>`],
  ...settingsOf(profile, intervals),
  ['Devices', html`<a href="${devicesPath(profile.slug)}">Those with it as their latest profile</a>`],
])}
<div class="actions">
${link('applyProfile', params, { label: 'Apply…', tone: 'main' })}
${link('updateProfile', params, { label: 'Edit' })}</div>
<h2>Groups that run it</h2>
<p class="quiet">The preview of an apply shows how many devices a change is for.</p>
${groupsTable(
  groups,
  GROUPS_SHOWN,
  ({ id, name }) =>
    mayChange &&
    giveButton({ id, name, profileSlug: profile.slug }, profile.slug, {
      label: 'Bring it to all members…',
      about: name,
    }),
)}
<h2>History</h2>
${table({
  caption: 'Changes of the profile, newest first',
  head: ['When', 'By', 'Action', 'Change'],
  rows: history.map((entry) => ({
    key: entry.id,
    cells: [time(entry.at.toISOString()), entry.actorName, toWords(entry.action), changedFields(entry)],
  })),
  empty: 'No change is recorded.',
})}`;
  return html`<p class="crumbs"><a href="${PATH}">Profiles</a></p>
${live('profile', content)}`;
}
