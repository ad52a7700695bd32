import { ALERT_TYPES, type AlertView } from '../alerts/alert.ts';
import { SEVERITIES } from '../devices/alert-terms.ts';
import type { Answers } from './answers.ts';
import { boundsText } from './configuration-html.ts';
import { shortNumber } from './devices-table.ts';
import { toFormUrl } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import {
  badge,
  button,
  clock,
  filterSelect,
  live,
  nameLink,
  nextPage,
  table,
  tabs,
  time,
  toWords,
} from './parts.ts';
import { acknowledgeTicked, TICK_HEAD, tickOf } from './ticked-alerts-html.ts';

interface AlertsOptions {
  alerts: Answers['listAlerts'];
  /** Names of assets by id. */
  names: ReadonlyMap<string, string>;
  filter: Record<string, string>;
  mayChange: boolean;
}

const PATH = '/operator/alerts';

const TABS = [
  ['new', 'New'],
  ['acknowledged', 'Acknowledged'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

export const alertsHtml = ({ alerts, names, filter, mayChange }: AlertsOptions): Html => html`
<h1>Alerts</h1>
${tabs(
  'Status',
  TABS.map(([status, label]) => ({
    href: `/operator/alerts?${new URLSearchParams({ ...withoutCursor(filter), status })}`,
    label,
    isCurrent: filter.status === status,
  })),
)}
<form method="get" action="${PATH}" class="filter" role="search"><input type="hidden" name="status" value="${filter.status ?? ''}">${filterSelect('type', 'Type', { values: ALERT_TYPES, current: filter.type })}${filterSelect('severity', 'Severity', { values: SEVERITIES, current: filter.severity })}<button class="main">Show</button></form>
${live(
  'alerts',
  html`<p class="quiet">${alerts.totalItems.toLocaleString('en')} in all</p>
${alertsTable(alerts.items, { mayChange, names, empty: 'There is none.' })}
${nextPage('/operator/alerts', new URLSearchParams(filter), alerts.nextCursor)}`,
)}
${mayChange && acknowledgeTicked(alerts.items, `${PATH}?${new URLSearchParams(filter)}`)}`;

const withoutCursor = ({ cursor, ...filter }: Record<string, string>) => filter;

interface TableOptions {
  mayChange: boolean;
  empty: string;
  /** Names of assets by id; left out on the page of a device. */
  names?: ReadonlyMap<string, string>;
}

export function alertsTable(alerts: readonly AlertView[], { mayChange, empty, names }: TableOptions): Html {
  const rows = alerts.map((alert): Content[] => [
    html`<a href="/operator/alerts/${alert.id}"><strong>${toWords(alert.type)}</strong></a>${alert.severity === 'warning' && html` ${badge('warning')}`}${alert.late && html` ${badge('late')}`}${alert.muted && html` ${badge('muted')}`}`,
    ...(names ? [deviceLink(alert, names)] : []),
    alertDetails(alert),
    badge(alert.status, alert.status === 'new' ? 'bad' : undefined),
    time(alert.timestamp),
    time(alert.updatedAt),
    acknowledgedBy(alert),
    mayChange && alert.status === 'new' && acknowledgeButton(alert, names ? { return: PATH } : {}),
  ]);
  const device = names ? ['Device'] : [];
  const head = [
    'Alert',
    ...device,
    'Details',
    'Status',
    'Since',
    'Changed',
    'Acknowledged',
    html`<span class="hidden">Action</span>`,
  ];
  if (!names || !mayChange) return table({ caption: 'Alerts, newest first', head, rows, empty });
  const ticked = alerts.map((alert, index) => [
    tickOf(alert, names.get(alert.assetId) ?? alert.serialNumber),
    ...(rows[index] ?? []),
  ]);
  return table({ caption: 'Alerts, newest first', head: [TICK_HEAD, ...head], rows: ticked, empty });
}

const deviceLink = ({ assetId, serialNumber }: AlertView, names: ReadonlyMap<string, string>): Html =>
  nameLink(assetId, names.get(assetId) ?? serialNumber, serialNumber);

const acknowledgedBy = ({ acknowledgedAt, acknowledgedBy: by, snoozeUntil }: AlertView): Content =>
  acknowledgedAt &&
  html`${by?.name} <span class="quiet">${time(acknowledgedAt)}${snoozeUntil && html`, until ${clock(snoozeUntil)}`}</span>`;

const acknowledgeButton = ({ id, type, serialNumber }: AlertView, fields: Record<string, string>): Html =>
  button({
    action: toFormUrl('acknowledgeAlert', { alertId: id }),
    label: 'Acknowledge',
    fields,
    about: `${toWords(type)} of ${serialNumber}`,
  });

export function alertDetails({ details, extreme }: Pick<AlertView, 'details' | 'extreme'>): Content {
  if ('bounds' in details) {
    const farthest = extreme ? `; farthest ${shortNumber(extreme.value)} °C` : '';
    const ended = details.resolution === 'outside_schedule' ? '; ended by its schedule' : '';
    return `${shortNumber(details.value)} °C on channel ${details.channel}, allowed ${boundsText(details.bounds)}${farthest}${ended}`;
  }
  if ('expectedBy' in details) return html`expected by ${time(details.expectedBy)}`;
  return 'error' in details ? `error ${details.error} on channel ${details.channel}` : '';
}
