/** The audit trail, with the fields that each change has changed. */
import { cutText } from '../process/cut-text.ts';
import { accessTabs } from './access-html.ts';
import type { Answers, AuditEntryView, ProfileView } from './answers.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { clockAndAge, live, nextPage, table, textOfLines, toWords } from './parts.ts';
import { alertsHtml, scheduleText } from './profile-parts-html.ts';

const PATH = '/operator/audit';
const VALUE_LENGTH_MAX = 200;
/** A list, such as serial numbers. */
const LIST_LENGTH_MAX = 2_000;
/** A name may be an address. */
const NAME_LENGTH_MAX = 60;
/** Fields that the row shows already. */
const SAID_BESIDE = ['id', 'recType', 'createdAt', 'updatedAt'];

export const auditHtml = (
  { items, nextCursor }: Answers['listAudit'],
  search: Content,
  { query, isAdmin, link }: { query: URLSearchParams; isAdmin: boolean; link: FormLink },
): Html => html`
<h1>Audit trail</h1>
${isAdmin ? accessTabs(PATH) : link('createOperatorLink')}
<form method="get" action="${PATH}" class="filter" role="search">${search}<button class="main">Search</button></form>
<h2>Changes</h2>
${live(
  'changes',
  html`${table({
    caption: 'Changes, newest first',
    head: ['When', 'By', 'Action', 'Subject', 'Change'],
    rows: items.map((entry) => ({
      key: entry.id,
      cells: [
        clockAndAge(entry.at),
        html`<a href="${PATH}?${new URLSearchParams({ actor: entry.actor.name }).toString()}">${entry.actor.name}</a>`,
        toWords(entry.action),
        subjectHtml(entry),
        changedFields(entry),
      ],
    })),
    empty: 'No change matches.',
  })}
${nextPage(PATH, query, nextCursor)}`,
)}`;

/** By its name where it has one, and a link to all changes of it. */
function subjectHtml({ subject, subjectName, serialNumber }: AuditEntryView): Content {
  const href = `${PATH}?${new URLSearchParams({ subject }).toString()}`;
  const name = subjectName ?? serialNumber;
  if (name === null) return html`<a href="${href}"><code>${subject}</code></a>`;
  const isSerialBeside = serialNumber !== null && serialNumber !== name;
  return html`<a href="${href}" title="${subject}">${cutText(name, NAME_LENGTH_MAX, '…')}</a>${isSerialBeside && html` <code>${serialNumber}</code>`}`;
}

type Shown = Record<string, unknown> | null;

export function changedFields(entry: Pick<AuditEntryView, 'before' | 'after'>): Content {
  const [before, after] = [entry.before as Shown, entry.after as Shown];
  if (before === null && after === null) return null;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => !SAID_BESIDE.includes(name),
  );
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
  return html`<details><summary>${titleOf(before, after, changed.length)}</summary><dl class="changes">${changed.map(
    (name) =>
      html`<dt>${toWords(name)}</dt><dd>${before !== null && html`${shownField(name, before[name])} → `}${shownField(name, after?.[name])}</dd>`,
  )}</dl></details>`;
}

/** An entry without both sides of a thing shows the request. */
function titleOf(before: Shown, after: Shown, changedCount: number): string {
  if (before === null) return after?.recType === undefined ? 'Details' : 'Created';
  return after === null ? 'Deleted' : `${changedCount} changed`;
}

/** Parts of a profile have the words of its page. */
function shownField(name: string, value: unknown): Content {
  const isObject = typeof value === 'object' && value !== null;
  if (name === 'temperatureAlerts' && Array.isArray(value))
    return value.length === 0 ? 'none' : alertsHtml(value);
  if (name === 'schedule' && isObject) return scheduleText(value as ProfileView['schedule']);
  return shownValue(value);
}

function shownValue(value: unknown): Html {
  if (value === undefined || value === null) return html`<span class="quiet">–</span>`;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return html`<code>${cutText(value.join(', '), LIST_LENGTH_MAX, '…')}</code>`;
  if (Array.isArray(value))
    return html`${value.map((row) => html`<div><code>${cutText(JSON.stringify(row), LIST_LENGTH_MAX, '…')}</code></div>`)}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return html`<code>${textOfLines(cutText(text, VALUE_LENGTH_MAX, '…'))}</code>`;
}
