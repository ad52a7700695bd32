/** Escalations: who is notified step by step. */
import type { Answers, ChannelView, EscalationView } from './answers.ts';
import type { Option } from './form-layout.ts';
import type { FormLink } from './form-links.ts';
import { type Html, html } from './html.ts';
import { ACTION, badge, live, nextPage, table, toWords } from './parts.ts';
import { inGroups, labelsOf } from './shown-channels.ts';

const PATH = '/operator/escalations';

export interface EscalationsPage {
  escalations: Answers['listEscalations'];
  channels: readonly ChannelView[];
  groups: readonly Option[];
  link: FormLink;
}

export const escalationsHtml = ({ escalations, channels, groups, link }: EscalationsPage): Html => html`
<p class="crumbs"><a href="/operator/channels">Notifications</a></p>
<h1>Escalations</h1>
${live(
  'escalations',
  html`${table({
    caption: 'Escalations, newest first; the oldest that matches an alert counts',
    head: ['Name', 'Alerts', 'Steps', 'Repeated', 'Status', ACTION],
    rows: escalations.items.map((each) => [
      each.name,
      `${each.alertTypes.map(toWords).join(', ')}: ${each.severities.join(', ')}${inGroups(each.groupIds, groups)}`,
      html`<ol>${each.steps.map((step) => html`<li>${describeStep(step, channels)}</li>`)}</ol>`,
      each.repeatMinutes === null ? 'no' : `every ${each.repeatMinutes} min`,
      badge(each.status),
      html`<div class="row">${link('updateEscalation', { escalationId: each.id }, { label: 'Edit', about: each.name })}${link('deleteEscalation', { escalationId: each.id }, { label: 'Delete', about: each.name })}</div>`,
    ]),
    empty: 'No alert escalates yet.',
  })}${nextPage(PATH, new URLSearchParams(), escalations.nextCursor)}`,
)}
<div class="actions">${link('createEscalation', {}, { tone: 'main' })}</div>`;

function describeStep(
  { afterMinutes, channelIds }: EscalationView['steps'][number],
  channels: readonly ChannelView[],
): string {
  return `${afterMinutes === 0 ? 'at once' : `after ${afterMinutes} min`}: ${labelsOf(channels, channelIds).join(', ')}`;
}
