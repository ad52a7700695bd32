/** One alert: what it is about, what was done about it, and forms for whoever takes it in hand. */
import { alertDetails } from './alerts-html.ts';
import type { Answers, ChannelView, EscalationView } from './answers.ts';
import { type Html, html } from './html.ts';
import { badge, facts, live, table, time, toWords } from './parts.ts';

type Alert = Answers['getAlert'];

/** Hours from now. */
export const SNOOZES = ['1', '2', '4', '8', '24'];

export interface AlertOptions {
  /** That of the alert; null: it has none, or it was deleted. */
  escalation: EscalationView | null;
  channels: readonly ChannelView[];
  mayChange: boolean;
}

export const alertHtml = (alert: Alert, { escalation, channels, mayChange }: AlertOptions): Html => html`
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
<h2>History</h2>
${table({ caption: 'History, oldest first', head: ['When', 'What', 'By', 'Comment'], rows: alert.history.map(toRow), empty: '' })}`,
)}
${mayChange && alert.status !== 'resolved' && handlingForm(alert)}
${mayChange && commentForm(alert)}`;

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

const handlingForm = ({ id, assetId, status, assignee }: Alert): Html => html`
<section class="panel"><h2>${status === 'new' ? 'Acknowledge' : 'Assign or snooze'}</h2>
<form method="post" action="/operator/alerts/${id}/acknowledge" class="filter">
<input type="hidden" name="back" value="alert">
<label>Assigned to <input name="assignee" maxlength="128" value="${assignee}"></label>
<label>Snooze <select name="snoozeHours"><option value="">no</option>${SNOOZES.map(
  (hours) => html`<option value="${hours}">for ${hours} h</option>`,
)}</select></label>
<label>Comment <input name="comment" maxlength="2000"></label>
<button class="main">${status === 'new' ? 'Acknowledge' : 'Save'}</button></form>
<p class="quiet">Planned work: <a href="/operator/devices/${assetId}#maintenance">mute the device</a>.</p></section>`;

const commentForm = ({ id }: Alert): Html => html`
<section class="panel"><h2>Comment</h2>
<form method="post" action="/operator/alerts/${id}/comments" class="stacked">
<label>Comment <textarea name="comment" rows="3" required maxlength="2000"></textarea></label>
<button class="main">Add</button></form></section>`;
