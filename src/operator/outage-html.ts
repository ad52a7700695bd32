/** An outage of many devices at once, for which one alert escalates. */
import type { AlertView } from '../alerts/alert.ts';
import { IN_CONTACT_MAX } from './counts.ts';
import { type Content, type Html, html } from './html.ts';
import { atLeast, clockAndAge } from './parts.ts';
import type { Outage } from './start.repository.ts';

/** `alert` is the subject on the page of what escalates for all; null: somebody has it in hand. */
export const outageHtml = ({ since, overdue, total, alertId }: Outage, alert: Content): Html =>
  html`<p><strong>${atLeast(overdue, IN_CONTACT_MAX)} of ${total.toLocaleString('en')} loggers have missed their contact</strong>, since ${clockAndAge(since.toISOString())}: that is one outage.${alertId !== null && alert && html` ${alert} escalates for all, and acknowledging it acknowledges the others.`}</p>`;

/** Where the alert is shown that escalates for all, and nothing for other alerts. */
export const outageOf = ({ id, status }: AlertView, outage: Outage | null): Content =>
  outage?.alertId === id && status !== 'resolved' && outageHtml(outage, status === 'new' && 'This alert');
