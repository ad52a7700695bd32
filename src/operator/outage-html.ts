/** An outage of many devices at once, for which one alert escalates. */
import { type Content, type Html, html } from './html.ts';
import { clockAndAge } from './parts.ts';
import type { Outage } from './start.repository.ts';

/** `alert` is its subject on the page. */
export const outageHtml = ({ since, overdue, total, alertId }: Outage, alert: Content): Html =>
  html`<p><strong>${overdue.toLocaleString('en')} of ${total.toLocaleString('en')} loggers have missed their contact</strong>, since ${clockAndAge(since.toISOString())}: that is one outage.${alertId !== null && html` ${alert} escalates for all, and acknowledging it acknowledges the others.`}</p>`;

/** Where the alert is shown that escalates for all, and nothing for other alerts. */
export const outageOf = (alertId: string, outage: Outage | null): Content =>
  outage?.alertId === alertId && outageHtml(outage, 'This alert');
