import type { AlertView } from '../alerts/alert.ts';
import type { DeviceConfigView } from '../devices/device.ts';
import type { Layout } from '../devices/device-capabilities.ts';
import { durationText } from '../process/durations.ts';
import { alertsTable } from './alerts-html.ts';
import type { Answers, GroupView } from './answers.ts';
import { applyAgain, applyRow } from './apply-html.ts';
import { boundsText, comparison, driftHtml } from './configuration-html.ts';
import { type CurvePanel, curveHtml, spanTabs } from './curve-html.ts';
import { type CurveSpan, spanQuery } from './curve-span.ts';
import { latestHtml, shownValue } from './devices-table.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { endLabel, muteNotice } from './mute-html.ts';
import { badge, clock, facts, live, quietState, table, tabs, time, toWords } from './parts.ts';
import type { DeviceContact, ShownAsset } from './shown-assets.repository.ts';
import type { DeviceJob } from './shown-jobs.repository.ts';

export const ALERTS_SHOWN = 10;

interface DeviceOptions {
  device: Answers['getAsset'];
  config: DeviceConfigView;
  alerts: readonly AlertView[];
  /** Channels in breach. */
  breached: readonly number[];
  jobs: readonly DeviceJob[];
  layouts: ReadonlyMap<string, ShownAsset>;
  contact: DeviceContact | null;
  profiles: Answers['listProfiles']['profiles'];
  /** Null: in no group. */
  group: GroupView | null;
  hasCertificate: boolean;
  curve: Omit<CurvePanel, 'device'>;
  mayChange: boolean;
  link: FormLink;
  now: Date;
}

export function deviceHtml({
  device,
  config,
  alerts,
  breached,
  jobs,
  layouts,
  contact,
  profiles,
  group,
  hasCertificate,
  curve,
  mayChange,
  link,
  now,
}: DeviceOptions): Html {
  const replaced = findReplaced(device, contact, config);
  /** The last profile that the device has confirmed. */
  const profile = jobs.find(({ state }) => state === 'applied') ?? null;
  const wanted = group?.profileSlug ?? profile?.profileSlug;
  const wantedName = profiles.find(({ slug }) => slug === wanted)?.name;
  return html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
${live(
  'device',
  html`<h1>${device.name} ${replaced === null ? badge(device.status) : html`<span class="badge info">not heard yet</span>`}</h1>
${replaced && html`<p>The logger ${device.serialNumber} replaced ${replaced.serialNumber} ${time(replaced.replacedAt)} and has not been in contact since: the values below are of ${replaced.serialNumber}.</p>`}
<p class="now">${latestHtml(device.latest, breached)}<span class="quiet">last reading ${time(device.lastReadingAt)}, ${contactText(contact, now)}</span></p>${muteNotice(device, now)}`,
)}
${live('actions', actionsOf(device, link, { hasCertificate, now }))}
${curveHtml({ device, ...curve })}
<div class="columns">
<section>${live(
    'configuration',
    html`<h2>Configuration ${badge(contact?.hasHadProfile === false ? 'no_profile' : config.syncStatus)}</h2>
${configurationOf(config, device, contact, layouts.get(device.id))}${config.syncStatus === 'drifted' && mayChange && wanted && applyAgain({ slug: wanted, profileName: wantedName ?? wanted }, device)}${config.pendingConfig !== null && link('withdrawDeviceConfig', { serial: device.serialNumber }, { label: 'Withdraw…' })}`,
  )}</section>
<section><h2>Device</h2>${live('facts', factsOf(device, group, profile))}</section>
</div>
<h2>Alerts</h2>
${live(
  'alerts',
  alertsTable(alerts, {
    mayChange,
    devices: layouts,
    empty: 'This device has had no alert.',
  }),
)}${alerts.length === ALERTS_SHOWN && html`<p class="pager"><a href="/operator/alerts?status=all&amp;assetId=${device.id}">All its alerts</a></p>`}
<h2>Jobs</h2>
${live('jobs', jobsTable(jobs))}
${mayChange && applyRow(profiles, { id: 'apply', title: 'Apply a profile', serialNumber: device.serialNumber, chosen: wanted })}`;
}

/** The logger before the present one, while the present one has not been in contact; else null. */
function findReplaced(
  { replacementHistory }: DeviceOptions['device'],
  contact: DeviceContact | null,
  { deviceConfigReceivedAt }: DeviceConfigView,
) {
  const last = replacementHistory.at(-1);
  const heardAt = [contact?.lastContactAt?.toISOString(), deviceConfigReceivedAt];
  const isHeard = heardAt.some((at) => at && last && at > last.replacedAt);
  return last && !isHeard ? last : null;
}

function contactText(contact: DeviceContact | null, now: Date): Content {
  const { expectedBy = null } = contact ?? {};
  if (expectedBy === null) return 'next contact not known';
  const by = time(expectedBy.toISOString());
  return expectedBy > now ? html`next contact ${by} at the latest` : html`a contact was due ${by}`;
}

function configurationOf(
  { deviceConfig, deviceConfigReceivedAt, unconfirmedKeys, syncStatus }: DeviceConfigView,
  { replacementHistory }: DeviceOptions['device'],
  contact: DeviceContact | null,
  layout: Layout | undefined,
): Content {
  const { confirmed = null, pending = null } = contact ?? {};
  const reporter = replacementHistory.find(({ replacedAt }) => (deviceConfigReceivedAt ?? '') < replacedAt);
  return html`${confirmed && syncStatus === 'drifted' ? driftHtml(deviceConfig, confirmed, layout) : comparison(deviceConfig, { confirmed, pending }, layout)}
<p class="quiet">Reported ${time(deviceConfigReceivedAt)}${deviceConfigReceivedAt && reporter && html` by the earlier logger ${reporter.serialNumber}, which was replaced ${time(reporter.replacedAt)}`}${
    unconfirmedKeys && html`; not part of the report: ${unconfirmedKeys.map(toWords).join(', ')}`
  }</p>`;
}

function actionsOf(
  { id, groupId, mute }: DeviceOptions['device'],
  link: FormLink,
  { hasCertificate, now }: Pick<DeviceOptions, 'hasCertificate' | 'now'>,
): Html {
  const params = { assetId: id };
  // A mute of the group is ended there.
  const isMuted = mute !== null && mute.groupId === null;
  const more = [
    groupId !== null && link(mute?.groupId ? 'unmuteGroup' : 'muteGroup', { groupId }),
    link('replaceHardware', params),
    link('issueDeviceToken', params),
    link('deleteDeviceToken', params),
    link('uploadCalibrationCertificate', params),
    hasCertificate &&
      html`<a class="button" href="/operator/devices/${id}/certificate.pdf">Calibration certificate</a>`,
    link('archiveAsset', params),
  ].filter(Boolean);
  return html`<div class="actions" id="maintenance">
${link('changeAsset', params)}
${isMuted ? link('unmuteAsset', params, { label: endLabel(mute, now) }) : link('muteAsset', params)}
<a class="button" href="/operator/exports?assetIds=${id}">Export readings</a>
<a class="button" href="/operator/devices/${id}/history">History</a>
${more.length > 0 && html`<details class="confirm"><summary>More…</summary><div class="question actions">${more}</div></details>`}</div>`;
}

/** Empty: unknown. */
export const placeOf = ({
  buildingId,
  floor,
  spaceId,
}: Pick<DeviceOptions['device'], 'buildingId' | 'floor' | 'spaceId'>): string =>
  [buildingId, floor === null ? null : `floor ${floor}`, spaceId]
    .filter((place) => place !== null)
    .join(', ');

function factsOf(device: DeviceOptions['device'], group: GroupView | null, profile: DeviceJob | null): Html {
  const { serialNumber, model, batteryStatus, signalStrength, createdAt } = device;
  const earlier = device.replacementHistory;
  return facts([
    ['Serial number', html`<code>${serialNumber}</code>`],
    ['Model', model ?? '–'],
    ['Battery', batteryStatus === 'low' ? badge('low') : quietState(batteryStatus)],
    ['Signal', quietState(signalStrength)],
    ['Group', group ? html`<a href="/operator/groups/${group.id}">${group.name}</a>` : '–'],
    [
      'Profile',
      profile ? html`<a href="/operator/profiles/${profile.profileSlug}">${profile.profileName}</a>` : '–',
    ],
    ['Place', placeOf(device) || '–'],
    ['Registered', time(createdAt)],
    earlier.length > 0 && [
      'Earlier loggers',
      earlier.map(({ serialNumber: old }) => html`<code>${old}</code> `),
    ],
  ]);
}

const jobsTable = (jobs: readonly DeviceJob[]): Html =>
  table({
    caption: 'Jobs of this device',
    head: ['Profile', 'This device', 'Why', 'Since', 'Job'],
    rows: jobs.map(({ jobId, profileName, state, reason, updatedAt, jobStatus }) => [
      html`<a class="name" href="/operator/jobs/${jobId}">${profileName}</a>`,
      badge(state),
      reason ?? '',
      time(updatedAt.toISOString()),
      badge(jobStatus),
    ]),
    empty: 'No profile was applied to this device.',
  });

const HEAD = [
  'Channel',
  'Min',
  'Average',
  'Max',
  'Mean kinetic',
  'Readings',
  'Complete',
  'Outside its bounds',
  'Gaps',
];

interface StatisticsOptions {
  device: { id: string; name: string };
  /** Then it has measured nothing until now. */
  isArchived: boolean;
  statistics: Answers['getStatistics'];
  span: CurveSpan;
}

export const statisticsHtml = ({
  device: { id, name },
  isArchived,
  statistics: { channels },
  span,
}: StatisticsOptions): Html => {
  const path = `/operator/devices/${id}`;
  const query = String(new URLSearchParams(spanQuery(span)));
  return html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a> <a href="${path}?${query}">${name}</a></p>
<h1>Statistics</h1>
${span.fault !== null && html`<p class="problem" role="alert">${span.fault}</p>`}
<div class="panel-head">${!isArchived && tabs('Span', spanTabs(`${path}/statistics`, span))}
<span class="exports"><a href="${path}/readings.csv?${query}">CSV</a>
<a data-zoned href="${path}/statistics.pdf?${query}">PDF</a></span></div>
<p class="quiet">${clock(span.from.toISOString())} to ${clock(span.to.toISOString())}</p>
${table({ caption: 'Statistics per channel', head: HEAD, rows: channels.map((channel) => statisticsRow(channel, span)), empty: 'Nothing was measured.' })}`;
};

function statisticsRow(channel: Answers['getStatistics']['channels'][number], span: CurveSpan): Content[] {
  const { unit, min, avg, max, meanKineticTemperature, alerts, gapCount } = channel;
  const number = (value: number | null) => (value === null ? '–' : `${shownValue(value)} ${unit}`);
  return [
    `${channel.channel} ${toWords(channel.type)}${channel.position ? ` (${channel.position})` : ''}`,
    number(min),
    number(avg),
    number(max),
    number(meanKineticTemperature),
    channel.count.toLocaleString('en'),
    completeness(channel, span.from),
    alerts.map(
      ({ lowC, highC, secondsOutside, from, to }) =>
        html`<div>${boundsText({ lowC, highC })}: ${durationText(secondsOutside)}${isPart({ from, to }, span) && html` <span class="quiet">${clock(from)} to ${clock(to)}</span>`}</div>`,
    ),
    gapCount.toLocaleString('en'),
  ];
}

const isPart = ({ from, to }: { from: string; to: string }, span: CurveSpan): boolean =>
  new Date(from) > span.from || new Date(to) < span.to;

/** With its beginning where the device has measured for a part of the span. */
const completeness = (
  { completenessPercent: percent, expectedFrom }: Answers['getStatistics']['channels'][number],
  from: Date,
): Content =>
  percent === null
    ? '–'
    : html`${percent} %${new Date(expectedFrom) > from && html` <span class="quiet">since ${clock(expectedFrom)}</span>`}`;
