/** One alert with its history. */
import { alertDetails } from './alerts-html.ts';
import type { Answers, ChannelView, EscalationView } from './answers.ts';
import type { FormLink } from './form-links.ts';
import { type Html, html } from './html.ts';
import { badge, facts, live, table, time, toWords } from './parts.ts';

type Alert = Answers['getAlert'];

export interface AlertOptions {
  /** Null: the alert has no policy, or it was deleted. */
  escalation: EscalationView | null;
  channels: readonly ChannelView[];
  link: FormLink;
}

export const alertHtml = (alert: Alert, { escalation, channels, link }: AlertOptions): Html => html`
<p class="crumbs"><a href="/operator/alerts">Alerts</a></p>
${live(
  'alert',
  html`<h1>${toWords(alert.type)} ${badge(alert.status, alert.status === 'new' ? 'bad' : undefined)}${alert.late && html` ${badge('late')}`}${alert.muted && html` ${badge('muted')}`}</h1>
${facts([
  ['Device', html`<a href="/operator/devices/${alert.assetId}">${alert.serialNumber}</a>`],
  ['Details', alertDetails(alert)],
  ['Since', time(alert.timestamp)],
  ['Until', alert.endedAt ? time(alert.endedAt) : html`<span class="quiet">it is open</span>`],
  ...(alert.late ? [['Found', 'In late data: it was over by then'] as const] : []),
  ['Assigned to', alert.assignee ?? html`<span class="quiet">nobody</span>`],
  [
    'Snoozed until',
    alert.snoozeUntil ? time(alert.snoozeUntil) : html`<span class="quiet">not snoozed</span>`,
  ],
  ...(alert.escalation === null
    ? []
    : [
        [
          'Escalation',
          escalationOf(alert.escalation, nextOf(alert.escalation, escalation, channels)),
        ] as const,
      ]),
])}
${actionsOf(alert, link)}
<h2>History</h2>
${table({ caption: 'History, oldest first', head: ['When', 'What', 'By', 'Comment'], rows: alert.history.map(toRow), empty: '' })}`,
)}`;

type Escalation = Exclude<Alert['escalation'], null>;

const escalationOf = ({ step, nextStepAt }: Escalation, next: string): Html =>
  html`${step === 0 ? 'no step was made yet' : `step ${step} was made`}, ${nextStepAt === null ? 'none follows' : html`${next} is next, ${time(nextStepAt)}`}`;

/** The recipients of the next step, or of the last one again. */
function nextOf(
  { step }: Escalation,
  escalation: EscalationView | null,
  channels: readonly ChannelView[],
): string {
  const { channelIds = [] } = escalation?.steps[step] ?? escalation?.steps.at(-1) ?? {};
  const names = channelIds.flatMap((id) => channels.find((each) => each.id === id)?.target ?? []);
  return names.join(', ') || 'another channel';
}

const toRow = ({ at, action, by, comment }: Alert['history'][number]) => [
  time(at),
  toWords(action),
  by?.name ?? html`<span class="quiet">the service</span>`,
  action === 'snoozed' ? time(comment) : comment,
];

const actionsOf = (
  { id: alertId, assetId, status }: Alert,
  link: FormLink,
): Html => html`<div class="actions">
${status !== 'resolved' && link('acknowledgeAlert', { alertId }, { label: status === 'new' ? 'Acknowledge' : 'Assign or snooze', tone: 'main' })}
${link('commentAlert', { alertId })}
${status !== 'resolved' && link('muteAsset', { assetId }, { label: 'Planned work' })}</div>`;
