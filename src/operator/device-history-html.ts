import type { StoredAuditEntry } from '../audit/audit.ts';
import { changedFields } from './audit-html.ts';
import { type Content, type Html, html } from './html.ts';
import { live, table, time } from './parts.ts';

/** Entries of each kind. */
export const HISTORY_MAX = 50;

export interface HistoryEntry {
  at: string;
  /** Null: the service, or unknown. */
  by: string | null;
  text: string;
  /** Page of the thing that it is about, beside the device. */
  href: string | null;
  detail: Content;
  /** Shown with the fields that it has changed. */
  audit: Pick<StoredAuditEntry, 'before' | 'after'> | null;
}

export const deviceHistoryHtml = (
  device: { id: string; name: string },
  entries: readonly HistoryEntry[],
): Html => html`
<p class="crumbs"><a href="/operator/fleet">Fleet</a> <a href="/operator/devices/${device.id}">${device.name}</a></p>
<h1>History of ${device.name}</h1>
${live('history', historyTable(entries))}`;

export const historyTable = (entries: readonly HistoryEntry[]): Content => [
  table({
    caption: 'Everything about the device, newest first',
    head: ['When', 'What', 'By', 'Details'],
    rows: entries.map(({ at, by, text, href, detail, audit }) => [
      time(at),
      href === null ? text : html`<a class="name" href="${href}">${text}</a>`,
      by ?? html`<span class="quiet">–</span>`,
      audit ? changedFields(audit) : detail,
    ]),
    empty: 'Nothing is recorded.',
  }),
  html`<p class="quiet">The newest ${HISTORY_MAX} of each kind.</p>`,
];
