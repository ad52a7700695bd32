/** The audit trail, with the fields that each change has changed. */
import { cutText } from '../process/cut-text.ts';
import { accessTabs } from './access-html.ts';
import type { Answers, AuditEntryView } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { nextPage, table, time, toWords } from './parts.ts';

const PATH = '/operator/audit';
const VALUE_LENGTH_MAX = 200;
const ADDRESS_LENGTH_MAX = 60;
/** Fields that the row shows already. */
const SAID_BESIDE = ['id', 'recType', 'createdAt', 'updatedAt'];

export const auditHtml = (
  { items, nextCursor }: Answers['listAudit'],
  search: Content,
  { query, isAdmin }: { query: URLSearchParams; isAdmin: boolean },
): Html => html`
<h1>Audit trail</h1>
${isAdmin && accessTabs(PATH)}
<form method="get" action="${PATH}" class="filter" role="search">${search}<button class="main">Search</button></form>
<h2>Changes</h2>
${table({
  caption: 'Changes, newest first',
  head: ['When', 'By', 'Action', 'Subject', 'Change'],
  rows: items.map((entry) => [
    time(entry.at),
    html`<a href="${PATH}?${new URLSearchParams({ actor: entry.actor.name }).toString()}">${entry.actor.name}</a>`,
    toWords(entry.action),
    subjectHtml(entry),
    changedFields(entry),
  ]),
  empty: 'No change matches.',
})}
${nextPage(PATH, query, nextCursor)}`;

/** By its name where it has one, and a link to all changes of it. */
function subjectHtml(entry: AuditEntryView): Content {
  const { subject, subjectName, serialNumber } = entry;
  const href = `${PATH}?${new URLSearchParams({ subject }).toString()}`;
  const name = subjectName ?? serialNumber ?? addressOf(entry);
  if (name === null) return html`<a href="${href}"><code>${subject}</code></a>`;
  const isSerialBeside = serialNumber !== null && serialNumber !== name;
  return html`<a href="${href}" title="${subject}">${name}</a>${isSerialBeside && html` <code>${serialNumber}</code>`}`;
}

/** Webhooks and channels without a name are known by their address. */
function addressOf({ before, after }: AuditEntryView): string | null {
  const { url, target } = { ...(after ?? before) } as { url?: unknown; target?: unknown };
  const address = url ?? target;
  return typeof address === 'string' ? cutText(address, ADDRESS_LENGTH_MAX, '…') : null;
}

type Shown = Record<string, unknown> | null;

export function changedFields(entry: AuditEntryView): Content {
  const [before, after] = [entry.before as Shown, entry.after as Shown];
  if (before === null && after === null) return null;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => !SAID_BESIDE.includes(name),
  );
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
  const title = before === null ? 'Created' : after === null ? 'Deleted' : `${changed.length} changed`;
  return html`<details><summary>${title}</summary><dl class="changes">${changed.map(
    (name) =>
      html`<dt>${toWords(name)}</dt><dd>${shownValue(before?.[name])} → ${shownValue(after?.[name])}</dd>`,
  )}</dl></details>`;
}

function shownValue(value: unknown): Html {
  if (value === undefined || value === null) return html`<span class="quiet">–</span>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return html`<code>${cutText(text, VALUE_LENGTH_MAX, '…')}</code>`;
}
