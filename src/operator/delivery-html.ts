import type { DeliveryDetailView, WebhookView } from './answers.ts';
import { toFormUrl } from './forms.ts';
import { type Content, type Html, html } from './html.ts';
import { badge, button, dueTime, facts, live, table, time } from './parts.ts';

interface DeliveryOptions {
  webhook: WebhookView;
  delivery: DeliveryDetailView;
  path: string;
  mayChange: boolean;
  now: Date;
}

export const deliveryHtml = ({ webhook, delivery, path, mayChange, now }: DeliveryOptions): Html => html`
<p class="crumbs"><a href="/operator/webhooks">Webhooks</a> <a href="${path}">Webhook</a></p>
${live(
  'delivery',
  html`<h1>${delivery.eventType} ${badge(delivery.state)}</h1>
${facts([
  ['webhook-id', html`<code>${delivery.eventId}</code>`],
  ['Attempts', String(delivery.attemptCount)],
  ['Delivered', delivery.deliveredAt ? time(delivery.deliveredAt) : '–'],
  ['Next attempt', delivery.nextAttemptAt ? nextAttempt(delivery.nextAttemptAt, webhook, now) : '–'],
])}`,
)}
${mayChange && html`<div class="actions">${resendButton(delivery, path)}</div>`}
<h2>Attempts</h2>
${live(
  'attempts',
  table({
    caption: 'Attempts, oldest first',
    head: ['No.', 'At', 'Took', 'Status', 'Outcome', 'Answer'],
    rows: delivery.attempts.map(attemptRow),
    empty: 'None yet.',
  }),
)}
<h2>Payload</h2>
${payloadHtml(delivery.payload)}`;

/** A delivery that is due waits for the next attempt of a webhook that is failing, and for its turn while that recovers. */
export function nextAttempt(at: string, webhook: WebhookView, now: Date): Content {
  if (new Date(at) > now) return time(at);
  if (webhook.health.state === 'recovering') return html`<span class="quiet">in its turn</span>`;
  return dueTime(webhook.health.nextAttemptAt ?? at, now);
}

const attemptRow = ({
  number,
  at,
  durationMs,
  statusCode,
  error,
  responseExcerpt,
}: DeliveryDetailView['attempts'][number]): Content[] => [
  number,
  time(at),
  `${durationMs} ms`,
  statusCode,
  error ? html`<span class="problem">${error}</span>` : badge('delivered'),
  responseExcerpt && html`<code>${responseExcerpt}</code>`,
];

export const failuresHtml = (
  failures: readonly DeliveryDetailView[],
  path: string,
): Html => html`<h2>Last failures</h2>
${failures.map((delivery) => failureHtml(delivery, path))}`;

function failureHtml({ id, eventType, state, attempts, payload }: DeliveryDetailView, path: string): Html {
  const last = attempts.at(-1);
  return html`<section class="panel failure"><p><a class="name" href="${path}/deliveries/${id}">${eventType}</a> ${badge(state)}
${time(last?.at)} <span class="problem">${last?.error}</span></p>
${last?.responseExcerpt && html`<p>Answer <code>${last.responseExcerpt}</code></p>`}
<details><summary>Payload</summary>${payloadHtml(payload)}</details></section>`;
}

const payloadHtml = (payload: unknown): Html =>
  html`<pre tabindex="0"><code>${JSON.stringify(payload, null, 2)}</code></pre>`;

export const resendButton = ({ id, eventType }: { id: string; eventType: string }, path: string): Html =>
  button({ action: resendUrl(id, path), label: 'Send again', about: eventType });

function resendUrl(deliveryId: string, path: string): string {
  const [collection, webhookId = ''] = path.split('/').slice(-2);
  const name = collection === 'events' ? 'resendWebhookDelivery' : 'resendCellularWebhookDelivery';
  return toFormUrl(name, { webhookId, deliveryId });
}
