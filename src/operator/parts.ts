/** Shared parts of the pages: tables, badges, times, buttons. */
import { ALERT_NAMES, type AlertType } from '../alerts/alert.ts';
import { toMinute } from '../process/iso-time.ts';
import { type Content, type Html, html } from './html.ts';
import { meaningOf, type State, type Tone, toneOf } from './states.ts';

/** `timed_out` and `timedOut` as people write them; types of alerts by their names. */
export const toWords = (name: string): string =>
  Object.hasOwn(ALERT_NAMES, name)
    ? ALERT_NAMES[name as AlertType]
    : name
        .replaceAll('_', ' ')
        .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        .trim();

export const badge = (state: State, tone: Tone = toneOf(state)): Html =>
  html`<span class="badge ${tone}"${titleOf(state)}>${toWords(state)}</span>`;

/** A state without a badge, because no action follows from it. */
export const quietState = (state: State): Html =>
  html`<span class="quiet"${titleOf(state)}>${toWords(state)}</span>`;

const titleOf = (state: State): Html => html` title="${meaningOf(state)}"`;

/** In UTC; the script of the page shows the age, or the time in the zone of the reader. */
export const time = (iso: string | null | undefined): Html =>
  iso ? html`<time datetime="${iso}">${toMinute(iso)}</time>` : NEVER;

/** A time that is never shown as an age, as in "until 14:30". */
export const clock = (iso: string): Html => html`<time datetime="${iso}" data-clock>${toMinute(iso)}</time>`;

/** The time with its age, where it has to be read without a pointer. */
export const clockAndAge = (iso: string | null | undefined): Html =>
  iso ? html`<time datetime="${iso}" data-clock="age">${toMinute(iso)}</time>` : NEVER;

const NEVER = html`<span class="quiet">never</span>`;

/** Head of a column of buttons. */
export const ACTION = html`<span class="hidden">Action</span>`;

/** Head of a column of boxes to tick. */
export const TICK_HEAD = html`<span class="hidden">Choose</span>`;

/** The key tells an open page which row it is, where the first link does not: what is typed and ticked stays in its row. */
export interface KeyedRow {
  key: string;
  cells: readonly Content[];
}

export interface TableOptions {
  caption: string;
  head: readonly Content[];
  rows: ReadonlyArray<readonly Content[] | KeyedRow>;
  /** Shown instead of rows; left out where there is always one. */
  empty?: Content;
}

/** On a phone each row is a card, whose lines name their column. */
export function table({ caption, head, rows, empty }: TableOptions): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="hidden">${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => ('cells' in row ? rowHtml(head, row.cells, html` id="row-${row.key}"`) : rowHtml(head, row)))}</tbody>
</table></div>`;
}

const rowHtml = (head: readonly Content[], cells: readonly Content[], id: Content = null): Html =>
  html`<tr${id}>${cells.map((cell, index) => html`<td${labelOf(head[index])}>${cell}</td>`)}</tr>`;

const labelOf = (head: Content): Content => typeof head === 'string' && html` data-label="${head}"`;

/** "1,200", or "1,000 or more" where the count ends there. */
export const atLeast = (count: number, countedMax: number): string =>
  `${count.toLocaleString('en')}${count === countedMax ? ' or more' : ''}`;

/** "device" or "devices". */
export const nounFor = (count: number, noun: string): string => (count === 1 ? noun : `${noun}s`);

/** "1 device" or "1,200 devices". */
export const counted = (count: number, noun: string, countedMax = Infinity): string =>
  `${atLeast(count, countedMax)} ${nounFor(count, noun)}`;

export interface FormOptions {
  action: string;
  label: string;
  fields?: Record<string, string>;
  tone?: 'main' | 'danger' | 'plain';
  /** A description for people who do not see the position of the button. */
  about?: string;
}

export const button = ({ action, label, fields = {}, tone = 'plain', about }: FormOptions): Html =>
  html`<form method="post" action="${action}" class="inline">${hiddenInputs(Object.entries(fields))}<button class="${tone}">${label}${about && html`<span class="hidden"> ${about}</span>`}</button></form>`;

/** Values that a form sends along. */
export const hiddenInputs = (inputs: Iterable<[string, string]>): Content =>
  [...inputs].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** A device by its name, with the serial number where that is not the name. */
export const nameLink = (id: string, name: string, serialNumber: string): Html =>
  html`<a class="name" href="/operator/devices/${id}">${name}</a>${name !== serialNumber && html` <code>${serialNumber}</code>`}`;

/** A time in the past reads as now, because the work that is due then is under way. */
export const dueTime = (at: string | null | undefined, now: Date): Content => {
  if (!at) return '–';
  return new Date(at) <= now ? 'now' : clockAndAge(at);
};

/** A list to filter by. */
export const filterSelect = (
  name: string,
  label: string,
  { values, current }: { values: readonly string[]; current: string | undefined },
): Html =>
  html`<label>${label} <select name="${name}"><option value="">any</option>${values.map(
    (value) =>
      html`<option value="${value}"${current === value && html` selected`}>${toWords(value)}</option>`,
  )}</select></label>`;

/** Keeps the line breaks of a text that a person wrote. */
export const textOfLines = (text: string | null): Content =>
  text?.includes('\n') ? html`<span class="breaks">${text}</span>` : text;

/** A button behind a question. Works without a script. */
export const confirmed = (question: string, options: FormOptions & { open: string }): Html =>
  html`<details class="confirm"><summary>${options.open}</summary><div class="question"><p>${question}</p>${button(options)}</div></details>`;

/** Its name and its value; one that is empty is left out. */
export type Fact = readonly [string, Content] | '' | null | undefined | false;

export const facts = (entries: readonly Fact[]): Html =>
  html`<dl class="facts">${entries.map((entry) => entry && html`<div><dt>${entry[0]}</dt><dd>${entry[1]}</dd></div>`)}</dl>`;

export interface CounterOptions {
  label: string;
  /** The list that shows the same. */
  href: string;
  tone: Tone;
  title?: Html;
}

/** A number above its label. */
export function counter(count: number, { label, href, tone, title }: CounterOptions): Html {
  return html`<a class="counter ${count > 0 ? tone : 'quiet'}" href="${href}"${title}><span class="number">${count.toLocaleString('en')}</span> <span>${label}</span></a>`;
}

export const stateCounter = (count: number, state: State, href: string): Html =>
  counter(count, { label: toWords(state), href, tone: toneOf(state), title: titleOf(state) });

/** The link to the next page of a list, with the filters in the address. */
export function nextPage(path: string, query: URLSearchParams, nextCursor: string | null): Content {
  if (nextCursor === null) return null;
  const next = new URLSearchParams(query);
  next.set('cursor', nextCursor);
  return html`<p class="pager"><a href="${path}?${next.toString()}" rel="next">Next page</a></p>`;
}

/** A part of the page that changes in place while the page is open. */
export const live = (id: string, content: Content): Html => html`<div data-live="${id}">${content}</div>`;

export interface Tab {
  href: string;
  label: string;
  isCurrent: boolean;
  state?: State;
}

export const tabs = (label: string, all: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${all.map(
    ({ href, label: text, isCurrent, state }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="page"`}${state && titleOf(state)}>${text}</a>`,
  )}</nav>`;

export interface Share {
  state: State;
  count: number;
}

/** A bar of shares of devices. Numbers stand beside it, so that colour is never the only information. */
export function bar(shares: readonly Share[]): Html {
  const total = shares.reduce((sum, { count }) => sum + count, 0) || 1;
  const shown = shares.filter(({ count }) => count > 0);
  let before = 0;
  const rects = shown.map(({ state, count }) => {
    const x = (before / total) * 100;
    before += count;
    return html`<rect class="${toneOf(state)} ${state}" x="${x.toFixed(3)}" width="${((count / total) * 100).toFixed(3)}" y="0" height="1"/>`;
  });
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="Devices: ${
    shown.map(({ state, count }) => `${count} ${toWords(state)}`).join(', ') || 'none'
  }">${rects}</svg>`;
}

export const legend = (shares: readonly Share[]): Html =>
  html`<ul class="legend">${shares
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => html`<li>${badge(state)} ${count.toLocaleString('en')}</li>`)}</ul>`;
