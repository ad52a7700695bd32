/** All alerts of a mail, for its reader, who acknowledges those that are ticked. */
import { ALERT_LINK_PATHS } from '../notifications/alert-link.ts';
import { outcomeOf } from './alert-link-html.ts';
import { alertDetails } from './alerts-html.ts';
import type { Answers } from './answers.ts';
import { type Content, type Html, html } from './html.ts';
import { clock, toWords } from './parts.ts';

type Alert = Answers['getAlert'];

interface AlertsLinkOptions {
  token: string;
  /** Names of assets by id. */
  names: ReadonlyMap<string, string>;
  organizationName: string;
  /** Where the link was sent. */
  address: string;
}

export function alertsLinkHtml(alerts: readonly Alert[], options: AlertsLinkOptions): Html {
  const { token, names, organizationName, address } = options;
  const openCount = alerts.filter(({ status }) => status === 'new').length;
  return html`<section class="one-alert"><p class="quiet">${organizationName}</p>
<h1>${alerts.length} alerts</h1>
<form method="post" action="${ALERT_LINK_PATHS.message}"><input type="hidden" name="token" value="${token}">
<ul>${alerts.map((alert) => html`<li>${alertHtml(alert, names)}</li>`)}</ul>
${openCount > 0 && acknowledgeButton(address)}</form>
<p><a href="/operator/alerts">All alerts</a> <span class="quiet">after you have signed in</span></p></section>`;
}

function alertHtml(alert: Alert, names: ReadonlyMap<string, string>): Html {
  const { id, type, status, assetId, serialNumber, timestamp } = alert;
  const name = html`<strong>${names.get(assetId) ?? serialNumber}</strong> <span class="badge bad">${toWords(type)}</span>`;
  const described = alertDetails(alert);
  const details = html`<p class="quiet">${described && html`${described}, `}since ${clock(timestamp)}</p>`;
  if (status !== 'new') return html`${name}${details}<p>${outcomeOf(alert)}</p>`;
  return html`<label class="check"><input type="checkbox" name="alertId" value="${id}" checked> <span>${name}</span></label>${details}`;
}

const acknowledgeButton = (address: string): Content => html`<div class="thumb">
<button class="main">Acknowledge the ticked ones</button></div>
<p class="quiet">You do this as ${address}. Messages and escalation stop; the alerts stay open until readings are good.</p>`;
