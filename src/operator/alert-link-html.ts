/** Alerts of a mail, for its reader: one with its details, or all of a message, who acknowledges one or all of them. */
import type { Layout } from '../devices/device-capabilities.ts';
import { ALERT_LINK_HOURS, ALERT_LINK_PATHS } from '../notifications/alert-link.ts';
import { stepsMade } from './alert-html.ts';
import { alertDetails } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import { shownValue } from './devices-table.ts';
import { type Content, type Html, html } from './html.ts';
import { outageOf } from './outage-html.ts';
import { button, clock, clockAndAge, dueTime, facts, time, toWords } from './parts.ts';
import type { ShownAsset } from './shown-assets.repository.ts';
import type { Outage } from './start.repository.ts';
import type { Notified } from './start.ts';

type Alert = Answers['getAlert'];

interface LinkOptions {
  token: string;
  organizationName: string;
  /** Where the link was sent. */
  address: string;
  outage: Outage | null;
}

interface AlertLinkOptions extends LinkOptions {
  assetName: string;
  layout: Layout | undefined;
  /** Empty: unknown. */
  place: string;
  /** Of the device; empty: it is archived. */
  latest: Answers['getAsset']['latest'];
  /** Name of the group of the device; null: it is in none. */
  group: string | null;
  next: Notified['next'];
  now: Date;
}

interface AlertsLinkOptions extends LinkOptions {
  /** By asset id. */
  devices: ReadonlyMap<string, ShownAsset>;
}

export const alertLinkHtml = (alert: Alert, options: AlertLinkOptions): Html => {
  const { assetName, layout, latest, place, group, organizationName, next, now, outage, address, token } =
    options;
  return html`<section class="one-alert"><p class="quiet">${organizationName}</p>
<h1>${assetName} <span class="badge bad">${toWords(alert.type)}</span></h1>
${outageOf(alert, outage)}
${presentValue(alert, latest)}
${facts([
  ['Device', alert.serialNumber],
  place !== '' && ['Place', place],
  group !== null && ['Group', group],
  ['Details', alertDetails(alert, layout)],
  ['Since', clockAndAge(alert.timestamp)],
  alert.escalation && ['Escalation', stepsMade(alert.escalation)],
  alert.status === 'new' && ['Next', nextOf(next, now)],
])}
${alert.status === 'new' ? acknowledgeForm(alert, token, address) : html`<p class="notice" role="status">${outcomeOf(alert)}</p>`}
<p><a href="/operator/alerts/${alert.id}">Its history, curve and device</a> <span class="quiet">after you have signed in</span></p></section>`;
};

const nextOf = (next: Notified['next'], now: Date): Content =>
  next
    ? html`${next.targets.join(', ') || 'another channel'}, ${dueTime(next.at, now)}`
    : html`<span class="quiet">nobody</span>`;

/** The latest reading of an open alert, legible at arm's length, and the one that began it. */
function presentValue({ details, timestamp, endedAt }: Alert, latest: AlertLinkOptions['latest']): Content {
  if (!('bounds' in details)) return false;
  const first = `${shownValue(details.value)} °C`;
  const now = latest.find(({ channel, type }) => channel === details.channel && type === 'temperature');
  if (!now || endedAt !== null || now.measuredAt <= timestamp)
    return html`<p class="now">${bigValue(first)}</p>`;
  const value = now.value === null ? 'sensor error' : `${shownValue(now.value)} °C`;
  return html`<p class="now">${bigValue(value)}<span class="quiet">measured ${clockAndAge(now.measuredAt)}; ${first} when it began</span></p>`;
}

const bigValue = (value: string): Html => html`<strong class="value problem">${value}</strong>`;

const acknowledgeForm = (
  { type }: Alert,
  token: string,
  address: string,
): Html => html`<form method="post" action="${ALERT_LINK_PATHS.alert}" class="thumb"><input type="hidden" name="token" value="${token}">
<button class="main">Acknowledge<span class="hidden"> ${toWords(type)}</span></button></form>
<p class="quiet">You do this as ${address}. Messages and escalation stop; the alert stays open until readings are good.</p>`;

function outcomeOf({ status, endedAt, acknowledgedAt, acknowledgedBy, snoozeUntil }: Alert): Content {
  if (status === 'resolved') return html`This alert is over, ${time(endedAt)}.`;
  return html`Acknowledged by ${acknowledgedBy?.name}, ${time(acknowledgedAt)}${snoozeUntil && html`. It is snoozed until ${clock(snoozeUntil)}`}.`;
}

export function alertsLinkHtml(alerts: readonly Alert[], options: AlertsLinkOptions): Html {
  const newIds = alerts.filter(({ status }) => status === 'new').map(({ id }) => id);
  return html`<section class="one-alert"><p class="quiet">${options.organizationName}</p>
<h1>${alerts.length} alerts</h1>
<ul>${alerts.map((alert) => html`<li>${alertHtml(alert, options)}</li>`)}</ul>
${newIds.length > 1 && acknowledgeAllForm(newIds, options)}
${newIds.length > 0 && html`<p class="quiet">You do this as ${options.address}. Messages and escalation stop; the alerts stay open until readings are good.</p>`}
<p><a href="/operator/alerts">All alerts</a> <span class="quiet">after you have signed in</span></p></section>`;
}

function alertHtml(alert: Alert, { token, devices, outage }: AlertsLinkOptions): Html {
  const { id: alertId, type, status, serialNumber, timestamp } = alert;
  const device = devices.get(alert.assetId);
  const name = device?.name ?? serialNumber;
  const described = alertDetails(alert, device);
  return html`<strong>${name}</strong> <span class="badge bad">${toWords(type)}</span><p class="quiet">${described && html`${described}, `}since ${clock(timestamp)}</p>
${outageOf(alert, outage)}${
  status === 'new'
    ? button({
        action: ALERT_LINK_PATHS.message,
        label: 'Acknowledge',
        fields: { token, alertId },
        about: `${toWords(type)} of ${name}`,
      })
    : html`<p>${outcomeOf(alert)}</p>`
}`;
}

const acknowledgeAllForm = (alertIds: readonly string[], { token }: LinkOptions): Html =>
  html`<form method="post" action="${ALERT_LINK_PATHS.message}" class="thumb"><input type="hidden" name="token" value="${token}">${alertIds.map(
    (id) => html`<input type="hidden" name="alertId" value="${id}">`,
  )}<button class="main">Acknowledge all ${alertIds.length}</button></form>`;

export const deadAlertLinkHtml: Html = html`<section class="sign-in"><h1>This link does not work</h1>
<p>It is older than ${ALERT_LINK_HOURS} hours, is not complete, or its notification channel was changed.</p>
<p>The next message about an open alert has a new one. Or <a href="/operator/alerts">open the alerts</a> after you have signed in.</p></section>`;
