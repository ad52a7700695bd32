import type { Answers, DeviceView, FleetView } from './answers.ts';
import { type BucketView, byImportance } from './curve.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, counter, live, nextPage, type Tone, table, time, toWords } from './parts.ts';
import { sparkline } from './sparkline.ts';

export type FleetFilter = Partial<Record<string, string>>;

export interface ListedDevice {
  device: DeviceView;
  /** Of one channel, hour by hour. */
  buckets: readonly BucketView[];
}

export interface FleetOptions {
  counts: FleetView;
  page: Answers['listAssets'];
  listed: readonly ListedDevice[];
  /** Shown first. */
  overdue: readonly ListedDevice[];
  filter: FleetFilter;
  now: Date;
}

export const fleetView = ({ counts, page, listed, overdue, filter, now }: FleetOptions): Html => html`
<h1>Fleet</h1>
${live('counts', countsView(counts))}
${filterForm(filter)}
${live(
  'devices',
  html`${overdue.length > 0 && html`<h2>Missing contact</h2>${devicesTable('Devices whose contact is overdue', overdue, now)}`}
<h2>${page.totalItems.toLocaleString('en')} ${page.totalItems === 1 ? 'device' : 'devices'}${isFiltered(filter) && ' found'}</h2>
${devicesTable('Devices', listed, now)}${nextPage('/operator', toQuery(filter), page.nextCursor)}`,
)}`;

const isFiltered = ({ cursor, ...filter }: FleetFilter) => Object.keys(filter).length > 0;

const toQuery = (filter: FleetFilter) => new URLSearchParams(filter as Record<string, string>);

const TONE_OF: Record<string, Tone> = {
  online: 'good',
  offline: 'bad',
  low: 'bad',
  failed: 'bad',
  drifted: 'warn',
  pending: 'info',
  sent: 'info',
  failing: 'bad',
  recovering: 'warn',
};

function countsView({
  status,
  syncStatus,
  batteryStatus,
  openAlerts,
  endpoints,
  unregisteredDevices,
}: FleetView): Html {
  const alerts = Object.values(openAlerts).reduce((sum, count) => sum + count, 0);
  const group = (label: string, content: Content) =>
    html`<section class="counts" aria-label="${label}"><h2>${label}</h2><div>${content}</div></section>`;
  const each = (counts: Record<string, number>, name: string) =>
    Object.entries(counts).map(([state, count]) =>
      counter(count, toWords(state), `/operator?${name}=${state}`, TONE_OF[state] ?? 'quiet'),
    );
  return html`<div class="overview">
${group('Contact', each(status, 'status'))}
${group('Configuration', each(syncStatus, 'syncStatus'))}
${group('Battery', each(batteryStatus, 'batteryStatus'))}
${group('Attention', [
  counter(alerts, 'open alerts', '/operator/alerts', 'bad'),
  counter(
    (endpoints.failing ?? 0) + (endpoints.recovering ?? 0),
    'webhooks in trouble',
    '/operator/webhooks',
    'bad',
  ),
  counter(unregisteredDevices, 'unregistered', '/operator/unregistered', 'warn'),
])}
</div>`;
}

const CHOICES: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  ['status', 'Contact', ['new', 'online', 'offline']],
  ['syncStatus', 'Configuration', ['no_device_report', 'pending', 'sent', 'failed', 'applied', 'drifted']],
  ['batteryStatus', 'Battery', ['ok', 'low', 'unknown']],
];

const filterForm = (
  filter: FleetFilter,
): Html => html`<form class="filter" method="get" action="/operator" role="search">
<label>Search <input type="search" name="q" value="${filter.q ?? ''}" maxlength="128" placeholder="serial or name"></label>
${CHOICES.map(
  ([name, label, values]) =>
    html`<label>${label} <select name="${name}"><option value="">any</option>${values.map(
      (value) =>
        html`<option value="${value}"${filter[name] === value && html` selected`}>${toWords(value)}</option>`,
    )}</select></label>`,
)}
<button class="main">Show</button>${isFiltered(filter) && html` <a href="/operator">Show all</a>`}</form>`;

const HEAD = [
  'Device',
  'Contact',
  'Now',
  'Last 24 hours',
  'Battery',
  'Signal',
  'Configuration',
  'Last reading',
];

const devicesTable = (caption: string, listed: readonly ListedDevice[], now: Date): Html =>
  table({
    caption,
    head: HEAD,
    rows: listed.map((each) => deviceRow(each, now)),
    empty: 'No device matches. Devices are registered with POST /assets.',
  });

function deviceRow({ device, buckets }: ListedDevice, now: Date): Content[] {
  const {
    id,
    name,
    serialNumber,
    status,
    batteryStatus,
    signalStrength,
    lastReadingAt,
    syncStatus,
    openAlerts,
  } = device;
  return [
    html`<a class="name" href="/operator/devices/${id}">${name}</a>${name !== serialNumber && html` <code>${serialNumber}</code>`}`,
    html`${badge(status)}${openAlerts !== undefined && openAlerts > 0 && html` <a class="badge bad" href="/operator/alerts?assetId=${id}">${openAlerts} open</a>`}`,
    latestView(device.latest),
    curveOf(name, buckets, now),
    batteryStatus === 'low' ? badge('low') : html`<span class="quiet">${batteryStatus}</span>`,
    html`<span class="quiet">${signalStrength}</span>`,
    syncStatus === undefined ? '' : badge(syncStatus),
    time(lastReadingAt),
  ];
}

const DAY_MS = 86_400_000;
const GAP_MS = 2 * 3_600_000;

function curveOf(name: string, buckets: readonly BucketView[], now: Date): Html {
  const points = buckets
    .map(({ from, avg }) => ({ at: Date.parse(from), value: avg }))
    .sort((a, b) => a.at - b.at);
  const to = now.getTime();
  return sparkline(points, { label: `The last 24 hours of ${name}`, from: to - DAY_MS, to, gapMs: GAP_MS });
}

export const latestView = (latest: DeviceView['latest']): Content =>
  latest.length === 0
    ? html`<span class="quiet">–</span>`
    : [...latest]
        .sort(byImportance)
        .map(({ value, unit, type }) =>
          value === null
            ? html`<span class="value">${badge('sensor error', 'bad')}</span> `
            : html`<span class="value" title="${toWords(type)}">${shortNumber(value)} ${unit}</span> `,
        );

export const shortNumber = (value: number): string =>
  Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(Math.abs(value) < 100 ? 1 : 0);
