import type { AlertView } from '../alerts/alert.ts';
import type { DeviceConfigView } from '../devices/device.ts';
import { alertsTable } from './alerts-view.ts';
import type { Answers, StatisticsView } from './answers.ts';
import { boundsText, comparison, duration } from './configuration-view.ts';
import { CURVE_SPANS, type CurveSpan } from './curve.ts';
import type { DeviceJob } from './device-jobs.repository.ts';
import { latestView, shortNumber } from './fleet-view.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, facts, live, table, tabs, time, toWords } from './parts.ts';

interface DeviceOptions {
  device: Answers['getAsset'];
  config: DeviceConfigView;
  alerts: readonly AlertView[];
  jobs: readonly DeviceJob[];
  /** Its name. */
  span: string;
  mayChange: boolean;
}

export const deviceView = ({ device, config, alerts, jobs, span, mayChange }: DeviceOptions): Html => html`
<p class="crumbs"><a href="/operator">Fleet</a></p>
${live(
  'device',
  html`<h1>${device.name} ${badge(device.status)}</h1>
<p class="now">${latestView(device.latest)}<span class="quiet">last reading ${time(device.lastReadingAt)}</span></p>`,
)}
${curveView(device.id, span)}
<div class="columns">
<section><h2>Configuration ${badge(config.syncStatus)}</h2>
${live('configuration', configurationOf(config))}</section>
<section><h2>Device</h2>${factsOf(device)}</section>
</div>
<h2>Alerts</h2>
${live('alerts', alertsTable(alerts, { mayChange, empty: 'This device has had no alert.', isOfDevice: true }))}
<h2>Jobs</h2>
${live('jobs', jobsTable(jobs))}`;

const curveView = (id: string, span: string): Html => html`<section class="panel" aria-label="Curve">
<div class="panel-head">${tabs('Span of the curve', spanTabs(id, span))}
<a href="/operator/devices/${id}/statistics?span=${span}">Statistics</a>
<a href="/operator/devices/${id}/statistics.pdf?span=${span}">PDF</a></div>
<div class="curves" data-curve="/operator/devices/${id}/curve?span=${span}"><p class="empty">The curve needs JavaScript. The same numbers are under Statistics.</p></div>
</section>`;

const spanTabs = (id: string, current: string) =>
  Object.entries(CURVE_SPANS).map(([name, { label }]) => ({
    href: `/operator/devices/${id}?span=${name}`,
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

const HEAD = ['Channel', 'Min', 'Average', 'Max', 'Mean kinetic', 'Readings', 'Outside its bounds', 'Gaps'];

export const statisticsView = (
  { channels }: StatisticsView,
  { label }: CurveSpan,
): Html => html`<h1>Statistics: ${label.toLowerCase()}</h1>
${table({ caption: 'Statistics per channel', head: HEAD, rows: channels.map(statisticsRow), empty: 'Nothing was measured.' })}`;

function statisticsRow(channel: StatisticsView['channels'][number]): Content[] {
  const { unit, min, avg, max, meanKineticTemperature, count, alerts, gapCount } = channel;
  const number = (value: number | null) => (value === null ? '–' : `${shortNumber(value)} ${unit}`);
  return [
    `${channel.channel} ${toWords(channel.type)}${channel.position ? ` (${channel.position})` : ''}`,
    number(min),
    number(avg),
    number(max),
    number(meanKineticTemperature),
    count.toLocaleString('en'),
    alerts.map(
      ({ lowC, highC, secondsOutside }) =>
        html`<div>${boundsText({ lowC, highC })}: ${duration(secondsOutside)}</div>`,
    ),
    gapCount.toLocaleString('en'),
  ];
}
