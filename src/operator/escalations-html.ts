/** Escalations: who is notified step by step, and forms that change them. */
import type { Answers, ChannelView, EscalationView } from './answers.ts';
import { escalationForm } from './escalation-form.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, button, confirmed, nextPage, table, toWords } from './parts.ts';

const PATH = '/operator/escalations';

export interface EscalationsPage {
  escalations: Answers['listEscalations'];
  channels: readonly ChannelView[];
  mayChange: boolean;
}

export const escalationsHtml = ({ escalations, channels, mayChange }: EscalationsPage): Html => html`
<p class="crumbs"><a href="/operator/channels">Notifications</a></p>
<h1>Escalations</h1>
${table({
  caption: 'Escalations, newest first; the oldest that matches an alert counts',
  head: [
    'Name',
    'Alerts',
    'Steps',
    'Repeated',
    'Status',
    ...(mayChange ? [html`<span class="hidden">Action</span>`] : []),
  ],
  rows: escalations.items.map((each) => [
    mayChange ? html`<a href="${PATH}/${each.id}">${each.name}</a>` : each.name,
    `${each.alertTypes.map(toWords).join(', ')}: ${each.severities.join(', ')}`,
    html`<ol>${each.steps.map((step) => html`<li>${describeStep(step, channels)}</li>`)}</ol>`,
    each.repeatMinutes === null ? 'no' : `every ${each.repeatMinutes} min`,
    badge(each.status),
    ...(mayChange ? [actionsOf(each)] : []),
  ]),
  empty: 'No alert escalates yet.',
})}
${nextPage(PATH, new URLSearchParams(), escalations.nextCursor)}
${mayChange && html`<section class="panel"><h2>New escalation</h2>${escalationForm(PATH, channels)}</section>`}`;

export const escalationHtml = (escalation: EscalationView, channels: readonly ChannelView[]): Html => html`
<p class="crumbs"><a href="${PATH}">Escalations</a></p>
<h1>${escalation.name} ${badge(escalation.status)}</h1>
<p>Steps that are not made yet follow a change at once.</p>
<section class="panel">${escalationForm(`${PATH}/${escalation.id}`, channels, escalation)}</section>`;

function describeStep(
  { afterMinutes, channelIds }: EscalationView['steps'][number],
  channels: readonly ChannelView[],
): string {
  const names = channelIds.map((id) => channels.find((channel) => channel.id === id)?.target ?? id);
  return `${afterMinutes === 0 ? 'at once' : `after ${afterMinutes} min`}: ${names.join(', ')}`;
}

const actionsOf = ({ id, name, status }: EscalationView): Content => {
  const isActive = status === 'active';
  return html`${button({
    action: `${PATH}/${id}/status`,
    label: isActive ? 'Disable' : 'Enable',
    fields: { status: isActive ? 'disabled' : 'active' },
    about: name,
  })} ${confirmed(`Delete ${name}? Steps that are not made yet are not made.`, {
    open: 'Delete',
    action: `${PATH}/${id}/delete`,
    label: 'Delete',
    tone: 'danger',
    about: name,
  })}`;
};
