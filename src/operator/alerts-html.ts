import { ALERT_TYPES, type AlertView, COUNTED_MAX } from '../alerts/alert.ts';
import { SEVERITIES } from '../devices/alert-terms.ts';
import { channelText, type Layout } from '../devices/device-capabilities.ts';
import type { Answers } from './answers.ts';
import { boundsText } from './configuration-html.ts';
import { shownValue } from './devices-table.ts';
import { groupFilter } from './fleet-html.ts';
import type { Option } from './form-layout.ts';
import { toFormUrl } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import {
  ACTION,
  atLeast,
  badge,
  button,
  clock,
  clockAndAge,
  type FormOptions,
  filterSelect,
  live,
  nameLink,
  nextPage,
  TICK_HEAD,
  table,
  tabs,
  toWords,
} from './parts.ts';
import type { ShownAsset } from './shown-assets.repository.ts';
import { acknowledgeTicked, tickOf } from './ticked-alerts-html.ts';

interface AlertsOptions {
  alerts: Answers['listAlerts'];
  /** Numbers of alerts with the same filters, by status. */
  counts: Record<string, number>;
  /** Options of the filter by group. */
  groups: readonly Option[];
  /** By asset id. */
  devices: ReadonlyMap<string, ShownAsset>;
  filter: Record<string, string>;
  /** For the ticked alerts, as typed. */
  note: string | null;
  mayChange: boolean;
}

const PATH = '/operator/alerts';
export const MAINTENANCE_PATH = '/operator/maintenance';

const TABS = [
  ['new', 'New'],
  ['acknowledged', 'Acknowledged'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

/** The lists of alerts, with a tab for the devices under maintenance. */
export const alertTabs = (filter: Record<string, string>, counts: Record<string, number> = {}): Html =>
  tabs('Status', [
    ...TABS.map(([status, label]) => ({
      href: `${PATH}?${new URLSearchParams({ ...withoutCursor(filter), status })}`,
      label: counts[status] === undefined ? label : `${label} ${atLeast(counts[status], COUNTED_MAX)}`,
      isCurrent: filter.status === status,
      ...(status !== 'all' && { state: status }),
    })),
    { href: MAINTENANCE_PATH, label: 'Maintenance', isCurrent: filter.status === undefined },
  ]);

export const alertsHtml = ({
  alerts,
  counts,
  groups,
  devices,
  filter,
  note,
  mayChange,
}: AlertsOptions): Html => html`
<h1>Alerts</h1>
${live('tabs', alertTabs(filter, counts))}
<form method="get" action="${PATH}" class="filter" role="search"><input type="hidden" name="status" value="${filter.status ?? ''}">${filterSelect('type', 'Type', { values: ALERT_TYPES, current: filter.type })}${filterSelect('severity', 'Severity', { values: SEVERITIES, current: filter.severity })}${groupFilter(filter.groupId, groups)}<label class="check"><input type="checkbox" name="late" value="true"${filter.late === 'true' && html` checked`}> Late</label>${filter.assetId && html`<input type="hidden" name="assetId" value="${filter.assetId}">`}<button class="main">Show</button></form>
${filter.assetId && html`<p>Of one device. <a href="${PATH}?status=${filter.status}">Of all devices</a></p>`}
${live(
  'alerts',
  html`<p class="quiet">${atLeast(alerts.totalItems, COUNTED_MAX)} in all</p>
${alertsTable(alerts.items, { mayChange, devices, back: `${PATH}?${new URLSearchParams(filter)}`, empty: 'There is none.' })}
${nextPage('/operator/alerts', new URLSearchParams(filter), alerts.nextCursor)}`,
)}
${mayChange && live('ticked', acknowledgeTicked(alerts.items, { back: `${PATH}?${new URLSearchParams(filter)}`, note }))}`;

const withoutCursor = ({ cursor, ...filter }: Record<string, string>) => filter;

interface TableOptions {
  mayChange: boolean;
  empty: string;
  /** By asset id. */
  devices: ReadonlyMap<string, ShownAsset>;
  /** The page that follows an acknowledgement; left out on the page of a device, which that is. */
  back?: string;
}

export function alertsTable(
  alerts: readonly AlertView[],
  { mayChange, empty, devices, back }: TableOptions,
): Html {
  const isOfAll = back !== undefined;
  const rows = alerts.map((alert): Content[] => [
    html`<a href="/operator/alerts/${alert.id}"><strong>${toWords(alert.type)}</strong></a>${alert.severity === 'warning' && html` ${badge('warning')}`}${alert.late && html` ${badge('late')}`}${alert.muted && html` ${badge('under_maintenance')}`}`,
    ...(isOfAll ? [nameLink(alert.assetId, nameIn(devices, alert), alert.serialNumber)] : []),
    alertDetails(alert, devices.get(alert.assetId)),
    badge(alert.status, alert.status === 'new' ? 'bad' : undefined),
    html`${clockAndAge(alert.timestamp)}${alert.endedAt && html` <span class="quiet">to ${clockAndAge(alert.endedAt)}</span>`}`,
    acknowledgedBy(alert),
    mayChange &&
      alert.status === 'new' &&
      acknowledgeButton(alert, nameIn(devices, alert), isOfAll ? { fields: { return: back } } : {}),
  ]);
  const device = isOfAll ? ['Device'] : [];
  const head = ['Alert', ...device, 'Details', 'Status', 'Since', 'Acknowledged', ACTION];
  if (!isOfAll || !mayChange) return table({ caption: 'Alerts, newest first', head, rows, empty });
  const ticked = alerts.map((alert, index) => [
    tickOf(alert, nameIn(devices, alert)),
    ...(rows[index] ?? []),
  ]);
  return table({ caption: 'Alerts, newest first', head: [TICK_HEAD, ...head], rows: ticked, empty });
}

const nameIn = (devices: TableOptions['devices'], { assetId, serialNumber }: AlertView): string =>
  devices.get(assetId)?.name ?? serialNumber;

const acknowledgedBy = ({ acknowledgedAt, acknowledgedBy: by, snoozeUntil }: AlertView): Content =>
  acknowledgedAt &&
  html`${by?.name} <span class="quiet">${clockAndAge(acknowledgedAt)}${snoozeUntil && html`, until ${clock(snoozeUntil)}`}</span>`;

export const acknowledgeButton = (
  { id, type }: AlertView,
  deviceName: string,
  look: Pick<FormOptions, 'fields' | 'tone'>,
): Html =>
  button({
    action: toFormUrl('acknowledgeAlert', { alertId: id }),
    label: 'Acknowledge',
    about: `${toWords(type)} of ${deviceName}`,
    ...look,
  });

export function alertDetails(
  { details, extreme }: Pick<AlertView, 'details' | 'extreme'>,
  layout: Layout | undefined,
): Content {
  if ('bounds' in details) {
    const farthest = extreme ? `; farthest ${shownValue(extreme.value)} °C` : '';
    const ended = details.resolution === 'outside_schedule' ? '; ended by its schedule' : '';
    return `${shownValue(details.value)} °C on ${channelText(details.channel, layout)}, allowed ${boundsText(details.bounds)}${farthest}${ended}`;
  }
  if ('expectedBy' in details) return html`expected by ${clockAndAge(details.expectedBy)}`;
  return 'error' in details ? `error ${details.error} on ${channelText(details.channel, layout)}` : '';
}
