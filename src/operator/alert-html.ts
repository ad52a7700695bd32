/** One alert: what it is about, what was done about it, and forms for whoever takes it in hand. */
import { alertDetails } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import { type Html, html } from './html.ts';
import { badge, facts, live, table, time, toWords } from './parts.ts';

type Alert = Answers['getAlert'];

/** Hours from now. */
export const SNOOZES = ['1', '2', '4', '8', '24'];

export const alertHtml = (alert: Alert, { mayChange }: { mayChange: boolean }): Html => html`
<p class="crumbs"><a href="/operator/alerts">Alerts</a></p>
${live(
  'alert',
  html`<h1>${toWords(alert.type)} ${badge(alert.status, alert.status === 'new' ? 'bad' : undefined)}${alert.late && html` ${badge('late')}`}</h1>
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
  ...(alert.escalation === null ? [] : [['Escalation', escalationOf(alert.escalation)] as const]),
])}
<h2>History</h2>
${table({ caption: 'History, oldest first', head: ['When', 'What', 'By', 'Comment'], rows: alert.history.map(toRow), empty: '' })}`,
)}
${mayChange && alert.status !== 'resolved' && handlingForm(alert)}
${mayChange && commentForm(alert)}`;

const escalationOf = ({ step, nextStepAt }: Exclude<Alert['escalation'], null>): Html =>
  html`${step === 0 ? 'no step was made yet' : `step ${step} was made`}, ${nextStepAt === null ? 'none follows' : html`the next one follows ${time(nextStepAt)}`}`;

const toRow = ({ at, action, by, comment }: Alert['history'][number]) => [
  time(at),
  toWords(action),
  by?.name ?? html`<span class="quiet">the service</span>`,
  action === 'snoozed' ? time(comment) : comment,
];

const handlingForm = ({ id, status, assignee }: Alert): Html => html`
<section class="panel"><h2>${status === 'new' ? 'Acknowledge' : 'Assign or snooze'}</h2>
<form method="post" action="/operator/alerts/${id}/acknowledge" class="filter">
<input type="hidden" name="back" value="alert">
<label>Assigned to <input name="assignee" maxlength="128" value="${assignee}"></label>
<label>Snooze <select name="snoozeHours"><option value="">no</option>${SNOOZES.map(
  (hours) => html`<option value="${hours}">for ${hours} h</option>`,
)}</select></label>
<button class="main">${status === 'new' ? 'Acknowledge' : 'Save'}</button></form></section>`;

const commentForm = ({ id }: Alert): Html => html`
<section class="panel"><h2>Comment</h2>
<form method="post" action="/operator/alerts/${id}/comments" class="stacked">
<label>Comment <textarea name="comment" rows="3" required maxlength="2000"></textarea></label>
<button class="main">Add</button></form></section>`;
