import type { AlertView } from '../alerts/alert.ts';
import type { Acknowledgements } from './acknowledgement.ts';
import type { Answers } from './answers.ts';
import { boundsText } from './configuration-html.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, button, live, nextPage, table, tabs, time, toWords } from './parts.ts';

interface AlertsOptions {
  alerts: Answers['listAlerts'];
  acknowledgements: Acknowledgements;
  filter: Record<string, string>;
  mayChange: boolean;
}

const TABS = [
  ['new', 'New'],
  ['acknowledged', 'Acknowledged'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

export const alertsHtml = ({ alerts, acknowledgements, filter, mayChange }: AlertsOptions): Html => html`
<h1>Alerts</h1>
${tabs(
  'Status',
  TABS.map(([status, label]) => ({
    href: `/operator/alerts?${new URLSearchParams({ ...withoutCursor(filter), status })}`,
    label,
    isCurrent: filter.status === status,
  })),
)}
${live(
  'alerts',
  html`<p class="quiet">${alerts.totalItems.toLocaleString('en')} in all</p>
${alertsTable(alerts.items, { acknowledgements, mayChange, empty: 'There is none.' })}
${nextPage('/operator/alerts', new URLSearchParams(filter), alerts.nextCursor)}`,
)}`;

const withoutCursor = ({ cursor, ...filter }: Record<string, string>) => filter;

interface TableOptions {
  acknowledgements: Acknowledgements;
  mayChange: boolean;
  empty: string;
  /** The page is about the device already. */
  isOfDevice?: boolean;
}

export function alertsTable(
  alerts: readonly AlertView[],
  { acknowledgements, mayChange, empty, isOfDevice }: TableOptions,
): Html {
  const rows = alerts.map((alert): Content[] => [
    html`<strong>${toWords(alert.type)}</strong>`,
    ...(isOfDevice
      ? []
      : [html`<a class="name" href="/operator/devices/${alert.assetId}">${alert.serialNumber}</a>`]),
    detailsOf(alert),
    badge(alert.status, alert.status === 'new' ? 'bad' : undefined),
    time(alert.timestamp),
    time(alert.updatedAt),
    acknowledgedBy(alert.id, acknowledgements),
    mayChange && alert.status === 'new' && acknowledgeButton(alert),
  ]);
  const device = isOfDevice ? [] : ['Device'];
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
  return table({ caption: 'Alerts, newest first', head, rows, empty });
}

function acknowledgedBy(alertId: string, acknowledgements: Acknowledgements): Content {
  const { name, at } = acknowledgements.get(alertId) ?? {};
  return at && html`${name} <span class="quiet">${time(at.toISOString())}</span>`;
}

const acknowledgeButton = ({ id, type, serialNumber }: AlertView): Html =>
  button({
    action: `/operator/alerts/${id}/acknowledge`,
    label: 'Acknowledge',
    about: `${toWords(type)} of ${serialNumber}`,
  });

function detailsOf({ details }: AlertView): Content {
  if ('bounds' in details) {
    const ended = details.resolution === 'outside_schedule' ? '; ended by its schedule' : '';
    return `${details.value} °C on channel ${details.channel}, allowed ${boundsText(details.bounds)}${ended}`;
  }
  if ('expectedBy' in details) return html`expected by ${time(details.expectedBy)}`;
  return 'error' in details ? `error ${details.error} on channel ${details.channel}` : '';
}
