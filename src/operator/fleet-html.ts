import { COUNTED_MAX } from '../assets/asset-filter.ts';
import type { AssetOrder } from '../assets/asset-order.ts';
import { BATTERY_STATUSES } from '../devices/device-status.ts';
import { SYNC_STATUSES } from '../devices/device-sync.ts';
import type { FleetView } from '../fleet/fleet.ts';
import { DEVICE_STATUSES } from '../presence/presence.ts';
import type { Answers } from './answers.ts';
import { applyRow, matchText, TARGETS_MAX, TOO_MANY_MATCH } from './apply-html.ts';
import { type PastDevices, pastHtml } from './archived-html.ts';
import { sum } from './counts.ts';
import { CHOSEN, devicesTable, type ListedDevice } from './devices-table.ts';
import { FILTER_LABELS, type FleetFilter, NO_PROFILE } from './fleet-filter.ts';
import type { Option } from './form-layout.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { typedHtml } from './input-html.ts';
import { given } from './page-deps.ts';
import { counted, counter, filterSelect, live, nextPage, nounFor, stateCounter, tabs } from './parts.ts';
import type { State } from './states.ts';
import { areTyped } from './typed-groups.ts';

export interface FleetOptions {
  counts: FleetView;
  /** The total is left out where it is the number of all devices. */
  page: Pick<Answers['listAssets'], 'items' | 'nextCursor'> & { totalItems?: number | undefined };
  listed: readonly ListedDevice[];
  filter: FleetFilter;
  /** Null: by registration, with a filter. */
  order: AssetOrder | null;
  profiles: Answers['listProfiles']['profiles'];
  /** Options of the filter by group. */
  groups: readonly Option[];
  /** Devices outside of the fleet, where a search finds none within. */
  past: PastDevices | null;
  link: FormLink;
  mayChange: boolean;
  now: Date;
}

export function fleetHtml(options: FleetOptions): Html {
  const { counts, page, listed, filter, order, profiles, groups, link, mayChange, now } = options;
  const { totalItems = sum(counts.status) } = page;
  const countedMax = page.totalItems === undefined ? Infinity : COUNTED_MAX;
  const isChoosing = mayChange && profiles.length > 0;
  const query = toQuery(order === null ? filter : { ...filter, order });
  return html`
<h1>Fleet</h1>
${live('counts', countsHtml(counts, filter))}
<div class="tools">${filterForm(options)}<span class="row">${link('registerAsset')}${mayChange && html`<a href="/operator/import">Import devices from a file</a>`} <a href="/operator/exports">Export readings</a></span></div>
${live(
  'devices',
  html`<h2>${counted(totalItems, 'device', countedMax)}${isFiltered(filter) && ' found'}</h2>
${isFiltered(filter) ? order === 'urgency' && html`<p class="quiet">Most urgent first.</p>` : orderTabs(order)}
${devicesTable(listed, { now, isChoosing, empty: isFiltered(filter) ? 'No device matches.' : 'No device is registered yet.' })}${nextPage('/operator/fleet', query, page.nextCursor)}${options.past && pastHtml(options.past)}`,
)}
<p class="quiet"><a href="/operator/archived${filter.q && `?${new URLSearchParams({ q: filter.q })}`}">Archived devices</a></p>
${live('matching', isFiltered(filter) && totalItems > 0 && html`<div class="actions">${applyToMatching(options, totalItems, countedMax)}</div>`)}
${live('ticked', isChoosing && listed.length > 0 && applyRow(profiles, { id: CHOSEN, title: 'The ticked devices', groups: areTyped(groups) ? [] : groups, back: `/operator/fleet${query.size > 0 ? `?${query}` : ''}` }))}`;
}

const ORDERS: ReadonlyArray<readonly [AssetOrder, string]> = [
  ['urgency', 'Most urgent'],
  ['newest', 'Newest'],
  ['name', 'Name'],
  ['serial', 'Serial number'],
  ['oldest-reading', 'Oldest reading'],
];

const orderTabs = (current: AssetOrder | null): Html =>
  tabs(
    'Order',
    ORDERS.map(([order, label]) => ({
      href: order === 'urgency' ? '/operator/fleet' : `/operator/fleet?order=${order}`,
      label,
      isCurrent: order === current,
    })),
  );

function applyToMatching(
  { filter, link, mayChange }: FleetOptions,
  count: number,
  countedMax: number,
): Content {
  if (count > TARGETS_MAX) return mayChange && html`<p class="quiet">${TOO_MANY_MATCH}.</p>`;
  const params = { filter: toQuery(withoutCursor(filter)).toString() };
  return link('applyProfile', params, { label: `Apply a profile to ${matchText(count, countedMax)}` });
}

const withoutCursor = ({ cursor, ...filter }: FleetFilter) => filter;
const isFiltered = (filter: FleetFilter) => Object.keys(withoutCursor(filter)).length > 0;

const toQuery = (filter: FleetFilter) => new URLSearchParams(filter as Record<string, string>);

/** With a group, of its members alone. */
function countsHtml(
  { status, syncStatus, noProfile, batteryStatus, openAlerts, endpoints, unregisteredDevices }: FleetView,
  { groupId }: FleetFilter,
): Html {
  const alerts = sum(openAlerts);
  const troubled = endpoints.failing + endpoints.recovering;
  const group = (label: string, content: Content) =>
    html`<section class="counts" aria-label="${label}"><h2>${label}</h2><div>${content}</div></section>`;
  const listOf = (page: string, wanted: Record<string, string> = {}) => {
    const query = new URLSearchParams(given({ groupId, ...wanted })).toString();
    return `/operator/${page}${query && `?${query}`}`;
  };
  const each = <Name extends State>(counts: Record<Name, number>, name: string) =>
    (Object.keys(counts) as Name[]).map((state) =>
      stateCounter(counts[state], state, listOf('fleet', { [name]: state })),
    );
  return html`<div class="overview">
${group('Contact', each(status, 'status'))}
${group('Configuration', [...each(syncStatus, 'syncStatus'), stateCounter(noProfile, NO_PROFILE, listOf('fleet', { syncStatus: NO_PROFILE }))])}
${group('Battery', each(batteryStatus, 'batteryStatus'))}
${group('Attention', [
  counter(alerts, { label: nounFor(alerts, 'open alert'), href: listOf('alerts'), tone: 'bad' }),
  ...(groupId === undefined
    ? [
        counter(troubled, {
          label: `${nounFor(troubled, 'webhook')} in trouble`,
          href: '/operator/webhooks',
          tone: 'bad',
        }),
        counter(unregisteredDevices, {
          label: 'unregistered',
          href: '/operator/unregistered',
          tone: 'warn',
          title: html` title="Loggers that send, and are not registered."`,
        }),
      ]
    : []),
])}
</div>`;
}

const CHOICES: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['status', DEVICE_STATUSES],
  ['syncStatus', [...SYNC_STATUSES, NO_PROFILE]],
  ['batteryStatus', BATTERY_STATUSES],
];

const groupSelect = (groupId: string | undefined, groups: readonly Option[]): Html =>
  areTyped(groups)
    ? typedHtml('groupId', groupId === undefined ? [] : [groupId], {
        options: groups,
        attributes: html`placeholder="any"`,
      })
    : html`<select name="groupId"><option value="">any</option>${groups.map(({ value, label }) => html`<option value="${value}"${groupId === value && html` selected`}>${label}</option>`)}</select>`;

/** Nothing without groups. */
export const groupFilter = (groupId: string | undefined, groups: readonly Option[]): Content =>
  groups.length > 0 && html`<label>Group ${groupSelect(groupId, groups)}</label>`;

const filterForm = ({
  filter,
  profiles,
  groups,
}: Pick<
  FleetOptions,
  'filter' | 'profiles' | 'groups'
>): Html => html`<form class="filter" method="get" action="/operator/fleet" role="search">
<label>Search <input type="search" name="q" value="${filter.q ?? ''}" maxlength="128" placeholder="serial or name"></label>
${CHOICES.map(([name, values]) => filterSelect(name, FILTER_LABELS[name] ?? name, { values, current: filter[name] }))}
<label>Model <input name="model" value="${filter.model ?? ''}" maxlength="64" placeholder="any"></label>
${profiles.length > 0 && html`<label>Profile <select name="profileSlug"><option value="">any</option>${profiles.map(({ slug, name }) => html`<option value="${slug}"${slug === filter.profileSlug && html` selected`}>${name} (${slug})</option>`)}</select></label>`}
${groupFilter(filter.groupId, groups)}
<button class="main">Show</button>${isFiltered(filter) && html` <a href="/operator/fleet">Show all</a>`}</form>`;
