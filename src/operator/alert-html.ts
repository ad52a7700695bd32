/** One alert with its history. */
import type { Layout } from '../devices/device-capabilities.ts';
import { DAY_MS, HOUR_MS } from '../process/durations.ts';
import { alertDetails } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import { CURVE_DAYS_MAX } from './curve-span.ts';
import { placeOf } from './device-html.ts';
import { latestHtml } from './devices-table.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { outageOf } from './outage-html.ts';
import { STEP_MS } from './page-fingerprint.ts';
import {
  badge,
  clock,
  clockAndAge,
  facts,
  live,
  nameLink,
  table,
  textOfLines,
  time,
  toWords,
} from './parts.ts';
import type { Outage } from './start.repository.ts';
import type { StepTrouble } from './step-outcomes.ts';

type Alert = Answers['getAlert'];

export interface AlertOptions {
  assetName: string;
  layout: Layout | undefined;
  /** The recipients of the next step of its escalation; null: none follows. */
  next: string | null;
  /** Names or addresses of channels that were notified of its beginning. */
  notified: readonly string[];
  /** Messages of an entry of the history that have not arrived. */
  troublesOf(entry: Alert['history'][number]): readonly StepTrouble[];
  /** Rounded down. */
  now: Date;
  /** Null: it is archived. */
  device: Answers['getAsset'] | null;
  outage: Outage | null;
  link: FormLink;
}

export const alertHtml = (
  alert: Alert,
  { assetName, layout, next, notified, troublesOf, now, device, outage, link }: AlertOptions,
): Html => html`
<p class="crumbs"><a href="/operator/alerts">Alerts</a></p>
${live(
  'alert',
  html`<h1>${assetName}: ${toWords(alert.type)} ${badge(alert.status, alert.status === 'new' ? 'bad' : undefined)}${alert.late && html` ${badge('late')}`}${alert.muted && html` ${badge('under_maintenance')}`}</h1>
${outageOf(alert, outage)}
${facts([
  ['Device', nameLink(alert.assetId, assetName, alert.serialNumber)],
  device && placeOf(device) !== '' && ['Place', placeOf(device)],
  ['Details', alertDetails(alert, layout)],
  device &&
    alert.endedAt === null && [
      'Latest readings',
      html`${latestHtml(device.latest, [])} ${time(device.lastReadingAt)}`,
    ],
  ['Severity', alert.severity],
  ['Since', clockAndAge(alert.timestamp)],
  ['Until', alert.endedAt ? clockAndAge(alert.endedAt) : html`<span class="quiet">it is open</span>`],
  alert.late && ['Found', 'In late data: it was over by then'],
  ['Assigned to', alert.assignee ?? html`<span class="quiet">nobody</span>`],
  [
    'Snoozed until',
    alert.snoozeUntil ? clock(alert.snoozeUntil) : html`<span class="quiet">not snoozed</span>`,
  ],
  ['Notified', notified.join(', ') || html`<span class="quiet">no channel</span>`],
  alert.escalation && ['Escalation', escalationOf(alert.escalation, next)],
])}
${actionsOf(alert, now, link)}
<h2>History</h2>
${table({ caption: 'History, oldest first', head: ['When', 'What', 'By', 'Comment'], rows: alert.history.map((entry) => toRow(entry, troublesOf(entry))) })}`,
)}`;

type Escalation = Exclude<Alert['escalation'], null>;

export const stepsMade = ({ step }: Pick<Escalation, 'step'>): string =>
  step === 0 ? 'no step was made yet' : `step ${step} was made`;

const escalationOf = (escalation: Escalation, next: string | null): Html =>
  html`${stepsMade(escalation)}, ${escalation.nextStepAt === null ? 'none follows' : html`${next} is next, ${time(escalation.nextStepAt)}`}`;

const toRow = (
  { at, action, by, comment }: Alert['history'][number],
  troubles: readonly StepTrouble[],
): Content[] => [
  clock(at),
  toWords(action),
  by?.name ?? html`<span class="quiet">the service</span>`,
  html`${action === 'snoozed' && comment ? html`until ${clock(comment)}` : textOfLines(comment)}${troubles.map((each) => html`<br>${troubleHtml(each)}`)}`,
];

function troubleHtml({ channel, state, error, nextAttemptAt }: StepTrouble): Html {
  if (error === null) return html`<span class="quiet">${channel}: waiting to be sent</span>`;
  const again =
    state === 'failed' ? 'not tried again' : html`tried again ${time(nextAttemptAt?.toISOString())}`;
  return html`<span class="problem">${channel}: failed, ${error}, ${again}</span>`;
}

const AROUND_MS = 2 * HOUR_MS;

/** The curve from some time before the alert, which a fast clock may date ahead, until some time after it. */
function curveUrl({ assetId, timestamp, endedAt }: Alert, now: Date): string {
  const end = Math.min(
    endedAt === null ? Infinity : new Date(endedAt).getTime() + AROUND_MS,
    now.getTime() + STEP_MS,
  );
  const start = Math.min(new Date(timestamp).getTime(), end) - AROUND_MS;
  const [from = '', to = ''] = [start, Math.min(end, start + CURVE_DAYS_MAX * DAY_MS)].map((ms) =>
    new Date(ms).toISOString(),
  );
  return `/operator/devices/${assetId}?${new URLSearchParams({ from, to })}#curve`;
}

const actionsOf = (alert: Alert, now: Date, link: FormLink): Html => {
  const { id: alertId, assetId, status } = alert;
  return html`<div class="actions">
${status !== 'resolved' && link(status === 'new' ? 'acknowledgeAlert' : 'assignAlert', { alertId }, { tone: 'main' })}
${status !== 'resolved' && alert.snoozeUntil && link('endSnooze', { alertId })}
${link('commentAlert', { alertId })}
${status !== 'resolved' && link('muteAsset', { assetId }, { label: 'Maintenance' })}
<a class="button" href="${curveUrl(alert, now)}">Curve</a></div>`;
};
