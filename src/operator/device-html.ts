import type { AlertView } from '../alerts/alert.ts';
import type { DeviceConfigView } from '../devices/device.ts';
import { alertsTable } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import { applyRow } from './apply-html.ts';
import { boundsText, comparison, duration } from './configuration-html.ts';
import { CURVE_SPANS } from './curve.ts';
import type { DeviceContact } from './device-contacts.repository.ts';
import type { DeviceJob } from './device-jobs.repository.ts';
import { latestHtml, shortNumber } from './devices-table.ts';
import { type Content, type Html, html } from './html.ts';
import { muteForm, muteNotice } from './mute-html.ts';
import { badge, confirmed, facts, live, table, tabs, time, toWords } from './parts.ts';

interface DeviceOptions {
  device: Answers['getAsset'];
  config: DeviceConfigView;
  alerts: readonly AlertView[];
  jobs: readonly DeviceJob[];
  contact: DeviceContact | null;
  profiles: Answers['listProfiles']['profiles'];
  /** Name of the span. */
  span: string;
  mayChange: boolean;
  now: Date;
}

export const deviceHtml = ({
  device,
  config,
  alerts,
  jobs,
  contact,
  profiles,
  span,
  mayChange,
  now,
}: DeviceOptions): Html => html`
<p class="crumbs"><a href="/operator">Fleet</a></p>
${live(
  'device',
  html`<h1>${device.name} ${badge(device.status)}</h1>
<p class="now">${latestHtml(device.latest)}<span class="quiet">last reading ${time(device.lastReadingAt)}, ${contactText(contact, now)}</span></p>${muteNotice(device)}`,
)}
${curveHtml(device.id, span)}
<div class="columns">
<section><h2>Configuration ${badge(config.syncStatus)}${contact?.hasHadProfile === false && html` <span class="quiet">never had a profile</span>`}</h2>
${live('configuration', html`${configurationOf(config)}${mayChange && withdrawal(device.id, config)}`)}</section>
<section><h2>Device</h2>${factsOf(device)}</section>
</div>
<h2>Alerts</h2>
${live(
  'alerts',
  alertsTable(alerts, {
    mayChange,
    empty: 'This device has had no alert.',
    isOfDevice: true,
  }),
)}
<h2>Jobs</h2>
${live('jobs', jobsTable(jobs))}
${mayChange && live('maintenance', muteForm(device))}
${mayChange && applyRow(profiles, { id: 'apply', title: 'Apply a profile', serialNumber: device.serialNumber })}`;

function contactText(contact: DeviceContact | null, now: Date): Content {
  const { expectedBy = null } = contact ?? {};
  if (expectedBy === null) return 'next contact not known';
  const by = time(expectedBy.toISOString());
  return expectedBy > now ? html`next contact ${by} at the latest` : html`a contact was due ${by}`;
}

const curveHtml = (id: string, span: string): Html => html`<section class="panel" aria-label="Curve">
<div class="panel-head">${tabs('Span of the curve', spanTabs(`/operator/devices/${id}`, span))}
<a href="/operator/devices/${id}/statistics?span=${span}">Statistics</a>
<a href="/operator/devices/${id}/statistics.pdf?span=${span}">PDF</a></div>
<div class="curves" data-curve="/operator/devices/${id}/curve?span=${span}"><p class="empty">The curve needs JavaScript. The same numbers are under Statistics.</p></div>
</section>`;

const spanTabs = (path: string, current: string) =>
  Object.entries(CURVE_SPANS).map(([name, { label }]) => ({
    href: `${path}?span=${name}`,
    label,
    isCurrent: name === current,
  }));

function configurationOf({
  deviceConfig,
  pendingConfig,
  deviceConfigReceivedAt,
  unconfirmedKeys,
}: DeviceConfigView): Content {
  return html`${comparison(deviceConfig, pendingConfig)}
<p class="quiet">Reported ${time(deviceConfigReceivedAt)}${
    unconfirmedKeys && html`; not part of the report: ${unconfirmedKeys.map(toWords).join(', ')}`
  }</p>`;
}

const withdrawal = (id: string, { pendingConfig }: DeviceConfigView): Content =>
  pendingConfig !== null &&
  confirmed('All that is pending is taken out, also what the device has refused. What it runs stays.', {
    open: 'Withdraw…',
    action: `/operator/devices/${id}/withdraw`,
    label: 'Withdraw all that is pending',
    tone: 'danger',
  });

function factsOf(device: DeviceOptions['device']): Html {
  const { serialNumber, model, batteryStatus, signalStrength, buildingId, floor, spaceId, createdAt } =
    device;
  const places = [buildingId, floor === null ? null : `floor ${floor}`, spaceId].filter(
    (place) => place !== null,
  );
  const earlier = device.replacementHistory;
  return facts([
    ['Serial number', html`<code>${serialNumber}</code>`],
    ['Model', model ?? '–'],
    ['Battery', batteryStatus === 'low' ? badge('low') : batteryStatus],
    ['Signal', signalStrength],
    ['Place', places.join(', ') || '–'],
    ['Registered', time(createdAt)],
    ...(earlier.length > 0
      ? [['Earlier loggers', earlier.map(({ serialNumber: old }) => html`<code>${old}</code> `)] as const]
      : []),
  ]);
}

const jobsTable = (jobs: readonly DeviceJob[]): Html =>
  table({
    caption: 'Jobs of this device',
    head: ['Profile', 'This device', 'Why', 'Since', 'Job'],
    rows: jobs.map(({ jobId, profileSlug, state, reason, updatedAt, jobStatus }) => [
      html`<a class="name" href="/operator/jobs/${jobId}">${profileSlug}</a>`,
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
  device: Answers['getAsset'];
  statistics: Answers['getStatistics'];
  /** Name of the span. */
  span: string;
}

export const statisticsHtml = ({
  device: { id, name },
  statistics: { channels },
  span,
}: StatisticsOptions): Html => html`
<p class="crumbs"><a href="/operator">Fleet</a> <a href="/operator/devices/${id}?span=${span}">${name}</a></p>
<h1>Statistics</h1>
<div class="panel-head">${tabs('Span', spanTabs(`/operator/devices/${id}/statistics`, span))}
<a href="/operator/devices/${id}/statistics.pdf?span=${span}">PDF</a></div>
${table({ caption: 'Statistics per channel', head: HEAD, rows: channels.map(statisticsRow), empty: 'Nothing was measured.' })}`;

function statisticsRow(channel: Answers['getStatistics']['channels'][number]): Content[] {
  const { unit, min, avg, max, meanKineticTemperature, completenessPercent, alerts, gapCount } = channel;
  const number = (value: number | null) => (value === null ? '–' : `${shortNumber(value)} ${unit}`);
  return [
    `${channel.channel} ${toWords(channel.type)}${channel.position ? ` (${channel.position})` : ''}`,
    number(min),
    number(avg),
    number(max),
    number(meanKineticTemperature),
    channel.count.toLocaleString('en'),
    completenessPercent === null ? '–' : `${completenessPercent} %`,
    alerts.map(
      ({ lowC, highC, secondsOutside }) =>
        html`<div>${boundsText({ lowC, highC })}: ${duration(secondsOutside)}</div>`,
    ),
    gapCount.toLocaleString('en'),
  ];
}
