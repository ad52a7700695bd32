/** Devices outside of the fleet: their list, one of them, and the ones that a search of the fleet finds. */
import { DAY_MS, MINUTE_MS } from '../process/durations.ts';
import { timeField } from './curve-html.ts';
import { type HistoryEntry, historyTable } from './device-history-html.ts';
import { type Content, type Html, html } from './html.ts';
import { facts, live, nextPage, table, time } from './parts.ts';
import type { ArchivedDevice, ReplacedLogger } from './past-devices.repository.ts';
import { registerForm } from './unregistered-html.ts';

export const ARCHIVED_PATH = '/operator/archived';

interface ArchivedOptions {
  devices: readonly ArchivedDevice[];
  nextCursor: string | null;
  q: string;
}

export const archivedHtml = ({ devices, nextCursor, q }: ArchivedOptions): Html => html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a></p>
<h1>Archived devices</h1>
<form class="filter" method="get" action="${ARCHIVED_PATH}" role="search">
<label>Search <input type="search" name="q" value="${q}" maxlength="128" placeholder="serial or name"></label>
<button class="main">Show</button></form>
${live(
  'devices',
  html`${archivedTable(devices, q === '' ? 'No device is archived.' : 'No archived device matches.')}${nextPage(ARCHIVED_PATH, new URLSearchParams(q === '' ? {} : { q }), nextCursor)}`,
)}`;

const archivedTable = (devices: readonly ArchivedDevice[], empty: string): Html =>
  table({
    caption: 'Archived devices, the latest registered first',
    head: ['Device', 'Serial number', 'Registered', 'Archived'],
    rows: devices.map(({ id, name, serialNumber, createdAt, archivedAt }) => [
      html`<a class="name" href="${ARCHIVED_PATH}/${id}">${name}</a>`,
      html`<code>${serialNumber}</code>`,
      time(createdAt.toISOString()),
      time(archivedAt.toISOString()),
    ]),
    empty,
  });

export interface PastDevices {
  archived: readonly ArchivedDevice[];
  replaced: readonly ReplacedLogger[];
}

/** Below a search that finds nothing in the fleet. */
export const pastHtml = ({ archived, replaced }: PastDevices): Content => [
  replaced.length > 0 && [
    html`<h2>Loggers that were replaced</h2>`,
    table({
      caption: 'Loggers that were replaced, the latest first',
      head: ['Serial number', 'Device', 'Replaced'],
      rows: replaced.map(({ serialNumber, assetId, name, replacedAt }) => [
        html`<code>${serialNumber}</code>`,
        html`<a class="name" href="/operator/devices/${assetId}">${name}</a>`,
        time(replacedAt.toISOString()),
      ]),
    }),
  ],
  archived.length > 0 && [html`<h2>Archived devices</h2>`, archivedTable(archived, '')],
];

interface ArchivedDeviceOptions {
  entries: readonly HistoryEntry[];
  /** The device that has the logger now; null: none. */
  successor: { id: string; name: string } | null;
  mayChange: boolean;
}

/** An archived device has no state, only its past; its logger can be registered again. */
export const archivedDeviceHtml = (
  device: ArchivedDevice,
  { entries, successor, mayChange }: ArchivedDeviceOptions,
): Html => {
  const { id, name, serialNumber, model, createdAt, archivedAt } = device;
  return html`<p class="crumbs"><a href="/operator/fleet">Fleet</a> <a href="${ARCHIVED_PATH}">Archived</a></p>
<h1>${name}</h1>
<p>Archived ${time(archivedAt.toISOString())}: it takes no readings any more. An archived device cannot be put back; its logger can be registered again, as a new device without this history.</p>
${
  successor
    ? html`<p>The logger belongs to <a href="/operator/devices/${successor.id}">${successor.name}</a> now.</p>`
    : mayChange &&
      html`<section class="panel"><h2>Register the logger again</h2>${registerForm(serialNumber, { name })}</section>`
}
${facts([
  ['Serial number', html`<code>${serialNumber}</code>`],
  ['Model', model ?? '–'],
  ['Registered', time(createdAt.toISOString())],
])}
<div class="actions"><a class="button" href="/operator/alerts?status=all&amp;assetId=${id}">Alerts</a>
<a class="button" href="/operator/exports?assetIds=${id}">Export readings</a></div>
<section class="panel"><h2>Statistics, with a record as PDF</h2><form class="filter" method="get" action="/operator/devices/${id}/statistics">
${timeField('from', 'From', new Date(archivedAt.getTime() - 365 * DAY_MS))}
${timeField('to', 'To', new Date(archivedAt.getTime() + MINUTE_MS))}
<button>Show</button></form></section>
<h2>History</h2>
${live('history', historyTable(entries))}`;
};
