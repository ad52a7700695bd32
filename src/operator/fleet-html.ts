import type { AssetOrder } from '../assets/asset-order.ts';
import { BATTERY_STATUSES } from '../devices/device-status.ts';
import { SYNC_STATUSES } from '../devices/device-sync.ts';
import { DEVICE_STATUSES } from '../presence/presence.ts';
import type { Answers, FleetView } from './answers.ts';
import { applyRow } from './apply-html.ts';
import { CHOSEN, devicesTable, type ListedDevice } from './devices-table.ts';
import { type Content, type Html, html } from './html.ts';
import { counter, live, nextPage, type Tone, tabs, toWords } from './parts.ts';

export type FleetFilter = Partial<Record<string, string>>;

export interface FleetOptions {
  counts: FleetView;
  /** Its total is there where it is not that of all devices. */
  page: Pick<Answers['listAssets'], 'items' | 'nextCursor'> & { totalItems?: number };
  listed: readonly ListedDevice[];
  /** Shown first. */
  overdue: readonly ListedDevice[];
  filter: FleetFilter;
  /** Null: in that of registration. */
  order: AssetOrder | null;
  profiles: Answers['listProfiles']['profiles'];
  mayChange: boolean;
  now: Date;
}

export function fleetHtml(options: FleetOptions): Html {
  const { counts, page, listed, overdue, filter, order, profiles, mayChange, now } = options;
  const { totalItems = sum(counts.status) } = page;
  const isChoosing = mayChange && profiles.length > 0;
  const query = toQuery(order === null ? filter : { ...filter, order });
  return html`
<h1>Fleet</h1>
${live('counts', countsHtml(counts))}
<div class="tools">${filterForm(filter)}${mayChange && html`<a href="/operator/import">Import devices from a file</a>`}</div>
${live(
  'devices',
  html`${overdue.length > 0 && html`<h2>Missing contact</h2>${devicesTable(overdue, { caption: 'Devices whose contact is overdue', now })}`}
<h2>${totalItems.toLocaleString('en')} ${totalItems === 1 ? 'device' : 'devices'}${isFiltered(filter) && ' found'}</h2>
${!isFiltered(filter) && orderTabs(order)}
${devicesTable(listed, { caption: 'Devices', now, isChoosing })}${nextPage('/operator', query, page.nextCursor)}`,
)}
${isChoosing && listed.length > 0 && applyRow(profiles, { id: CHOSEN, title: 'Apply a profile to the ticked devices' })}`;
}

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const ORDERS: ReadonlyArray<readonly [AssetOrder | null, string]> = [
  [null, 'Oldest first'],
  ['newest', 'Newest first'],
  ['name', 'Name'],
  ['serial', 'Serial number'],
  ['oldest-reading', 'Oldest reading'],
];

const orderTabs = (current: AssetOrder | null): Html =>
  tabs(
    'Order',
    ORDERS.map(([order, label]) => ({
      href: order === null ? '/operator' : `/operator?order=${order}`,
      label,
      isCurrent: order === current,
    })),
  );

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

function countsHtml({
  status,
  syncStatus,
  noProfile,
  batteryStatus,
  openAlerts,
  endpoints,
  unregisteredDevices,
}: FleetView): Html {
  const alerts = sum(openAlerts);
  const group = (label: string, content: Content) =>
    html`<section class="counts" aria-label="${label}"><h2>${label}</h2><div>${content}</div></section>`;
  const each = (counts: Record<string, number>, name: string) =>
    Object.entries(counts).map(([state, count]) =>
      counter(count, toWords(state), `/operator?${name}=${state}`, TONE_OF[state] ?? 'quiet'),
    );
  return html`<div class="overview">
${group('Contact', each(status, 'status'))}
${group('Configuration', [...each(syncStatus, 'syncStatus'), counter(noProfile, 'never had a profile', null)])}
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
  ['status', 'Contact', DEVICE_STATUSES],
  ['syncStatus', 'Configuration', SYNC_STATUSES],
  ['batteryStatus', 'Battery', BATTERY_STATUSES],
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
