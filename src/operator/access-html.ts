/** API keys and sessions, for admins. */
import { HOUR_MS } from '../process/durations.ts';
import type { Answers } from './answers.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { ACTION, clockAndAge, live, nextPage, table, tabs, time } from './parts.ts';

const TABS = [
  ['/operator/keys', 'API keys'],
  ['/operator/sessions', 'Sessions'],
  ['/operator/audit', 'Audit trail'],
] as const;

export const accessTabs = (current: string): Html =>
  tabs(
    'Access',
    TABS.map(([href, label]) => ({ href, label, isCurrent: href === current })),
  );

export const keysHtml = (
  { items, nextCursor }: Answers['listKeys'],
  { link, now }: { link: FormLink; now: Date },
): Html => html`
<h1>API keys</h1>
${accessTabs('/operator/keys')}
${live(
  'keys',
  html`${table({
    caption: 'API keys, newest first',
    head: ['Name', 'Kind', 'Role', 'Begins with', 'Created', 'Expires', 'Last used', ACTION],
    rows: items.map(({ id, name, kind, role, preview, createdAt, expiresAt, lastUsedAt }) => [
      html`<span class="name">${name}</span>`,
      kind,
      role ?? html`<span class="quiet">–</span>`,
      html`<code>${preview}</code>`,
      time(createdAt),
      time(expiresAt),
      lastUse(lastUsedAt, now),
      link('deleteKey', { keyId: id }, { label: 'Revoke', about: name }),
    ]),
    empty: 'There is no key.',
  })}
${nextPage('/operator/keys', new URLSearchParams(), nextCursor)}`,
)}
<div class="actions">${link('createKey', {}, { tone: 'main' })}</div>`;

/** Uses within an hour after the time are not written. */
const lastUse = (lastUsedAt: string | null, now: Date): Content =>
  lastUsedAt !== null && now.getTime() - new Date(lastUsedAt).getTime() < HOUR_MS
    ? 'in the last hour'
    : clockAndAge(lastUsedAt);

export const sessionsHtml = (
  { items, nextCursor }: Answers['listOperatorSessions'],
  { link, ownId }: { link: FormLink; ownId: string },
): Html => html`
<h1>Sessions</h1>
${accessTabs('/operator/sessions')}
${table({
  caption: 'Signed in to this page, newest first',
  head: ['Name', 'Role', 'Since', 'Until', ACTION],
  rows: items.map(({ id, name, role, startedAt, expiresAt }) => [
    html`<span class="name">${name}</span>${id === ownId && html` <span class="quiet">yours</span>`}`,
    role,
    time(startedAt),
    time(expiresAt),
    link('endOperatorSession', { sessionId: id }, { label: 'End', about: name }),
  ]),
  empty: 'There is no session.',
})}
<div class="actions">${link('createOperatorLink', {}, { tone: 'main' })}</div>
${nextPage('/operator/sessions', new URLSearchParams(), nextCursor)}`;
