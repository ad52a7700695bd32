import { DELIVERY_STATES } from '../deliveries/delivery.ts';
import type { HealthState } from '../endpoints/shown-health.ts';
import type { Answers, DeliveryDetailView, DeliveryView, WebhookView } from './answers.ts';
import { failuresHtml, nextAttempt, resendButton } from './delivery-html.ts';
import type { FormLink } from './form-links.ts';
import { type Content, type Html, html } from './html.ts';
import { given } from './page-deps.ts';
import {
  ACTION,
  badge,
  button,
  dueTime,
  type Fact,
  facts,
  filterSelect,
  live,
  nameLink,
  nextPage,
  table,
  tabs,
  time,
  toWords,
} from './parts.ts';
import type { HourOfAttempts } from './webhook-hours.ts';
import { hoursHtml } from './webhook-hours-html.ts';

export const webhooksHtml = (webhooks: readonly WebhookView[], link: FormLink): Html => html`
<h1>Webhooks</h1>
${live(
  'webhooks',
  table({
    caption: 'Webhooks of both collections',
    head: ['Webhook', 'Receives', 'Health', 'Waiting', 'Oldest', 'Last attempt', 'Outcome'],
    rows: inTroubleFirst(webhooks).map(webhookRow),
    empty: 'There is no webhook yet.',
  }),
)}
<div class="actions">${link('createWebhook', {}, { tone: 'main' })}${link('createCellularWebhook')}</div>`;

const URGENCY: readonly HealthState[] = ['failing', 'recovering', 'disabled', 'healthy'];

const inTroubleFirst = (webhooks: readonly WebhookView[]) =>
  [...webhooks].sort((a, b) => URGENCY.indexOf(a.health.state) - URGENCY.indexOf(b.health.state));

/** Before the first delivery nothing shows that the receiver works. */
function healthBadge(webhook: WebhookView): Html {
  const { state, backlog } = webhook.health;
  if (state !== 'healthy' || webhook.delivery.lastAttemptAt !== null) return badge(state);
  return backlog > 0 ? badge('not_sent_yet') : html`<span class="quiet">nothing to send yet</span>`;
}

export const pathOf = ({ id, recType }: WebhookView) =>
  `/operator/webhooks/${recType === 'webhook' ? 'events' : 'cellular'}/${id}`;

const webhookRow = (webhook: WebhookView): Content[] => [
  html`<a class="name" href="${pathOf(webhook)}">${webhook.name ?? hostOf(webhook.url)}</a> <span class="quiet">${webhook.url}</span>`,
  receives(webhook),
  healthBadge(webhook),
  webhook.health.backlog.toLocaleString('en'),
  webhook.health.oldestPendingAt ? time(webhook.health.oldestPendingAt) : '',
  time(webhook.delivery.lastAttemptAt),
  outcomeOf(webhook),
];

export const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url);

const receives = ({ events, deliverConfigApplied }: WebhookView): string =>
  events ? eventsText(events) : `data.measurement${deliverConfigApplied ? ', config.applied' : ''}`;

/** More names are a column of their own; the form lists them. */
const EVENTS_NAMED_MAX = 4;

const eventsText = (events: readonly string[]): string =>
  events.length > EVENTS_NAMED_MAX ? `${events.length} kinds of events` : events.join(', ');

function outcomeOf({ delivery }: WebhookView): Content {
  if (delivery.lastStatus === null) return '';
  const text =
    delivery.lastError ?? (delivery.lastStatusCode === null ? '' : `status ${delivery.lastStatusCode}`);
  return html`${badge(delivery.lastStatus)} <span class="quiet">${text}</span>`;
}

interface WebhookOptions {
  webhook: WebhookView;
  deliveries: Answers['listWebhookDeliveries'];
  /** The last failures, shown without a filter. */
  failures: readonly DeliveryDetailView[];
  hours: readonly HourOfAttempts[];
  /** By serial number in lower case. */
  devices: ReadonlyMap<string, { id: string; name: string }>;
  /** Types of events to filter by. */
  eventTypes: readonly string[];
  filter: Record<string, string>;
  path: string;
  mayChange: boolean;
  /** Whether it has a secret. */
  isSigned: boolean;
  link: FormLink;
  now: Date;
}

export const webhookHtml = ({
  webhook,
  deliveries,
  filter,
  path,
  mayChange,
  ...more
}: WebhookOptions): Html => html`
<p class="crumbs"><a href="/operator/webhooks">Webhooks</a></p>
${live(
  'webhook',
  html`<h1>${webhook.name ?? hostOf(webhook.url)} ${healthBadge(webhook)}</h1>
${facts([
  ['URL', html`<code>${webhook.url}</code>`],
  ['Receives', receives(webhook)],
  sinceFact(webhook),
  ['Waiting', webhook.health.backlog.toLocaleString('en')],
  ['Next attempt', dueTime(webhook.health.nextAttemptAt, more.now)],
  ['Last delivered, tests aside', time(webhook.delivery.lastDeliveredAt)],
  ['Last attempt', html`${time(webhook.delivery.lastAttemptAt)} ${outcomeOf(webhook)}`],
  webhook.disabledReason && ['Disabled by', webhook.disabledReason],
])}`,
)}
${mayChange && live('actions', actionsOf(webhook, { path, isSigned: more.isSigned, link: more.link }))}
${live('hours', hoursHtml(more.hours, more.now))}
${live('failures', more.failures.length > 0 && failuresHtml(more.failures, path))}
<h2>Deliveries</h2>
${tabs('State', [
  {
    href: withFilter(path, { ...filter, state: undefined }),
    label: 'All',
    isCurrent: filter.state === undefined,
  },
  ...DELIVERY_STATES.map((state) => ({
    href: withFilter(path, { ...filter, state }),
    label: toWords(state),
    isCurrent: filter.state === state,
    state,
  })),
])}
<form method="get" action="${path}" class="filter" role="search">${filter.state !== undefined && html`<input type="hidden" name="state" value="${filter.state}">`}${filterSelect('eventType', 'Event', { values: more.eventTypes, current: filter.eventType })}<button class="main">Show</button></form>
${live(
  'deliveries',
  html`${table({
    caption: 'Deliveries, newest first',
    head: ['Event', 'Device', 'Created', 'State', 'Attempts', 'Last attempt', 'Next attempt', ACTION],
    rows: deliveries.items.map((delivery) => deliveryRow(delivery, { ...more, path, mayChange, webhook })),
    empty: deliveries.nextCursor === null ? 'No delivery.' : 'No delivery among the latest ones.',
  })}${nextPage(path, new URLSearchParams(filter), deliveries.nextCursor)}`,
)}`;

const SINCE: Partial<Record<HealthState, string>> = {
  failing: 'Trouble since',
  recovering: 'Recovering since',
  disabled: 'Paused since',
};

/** The beginning of its state, which none has that is healthy. */
function sinceFact({ health: { state, since } }: WebhookView): Fact {
  const label = SINCE[state];
  return label && since && [label, time(since)];
}

const nounOf = ({ recType }: WebhookView) => (recType === 'webhook' ? 'Webhook' : 'CellularWebhook');

/** The action that sends what waits. */
export function sendingLink(webhook: WebhookView, link: FormLink, about?: string): Content {
  const params = { webhookId: webhook.id };
  return webhook.status === 'active'
    ? link(`retry${nounOf(webhook)}`, params, { about })
    : link(`resume${nounOf(webhook)}`, params, { label: 'Resume', tone: 'main', about });
}

function actionsOf(
  webhook: WebhookView,
  { path, isSigned, link }: Pick<WebhookOptions, 'path' | 'isSigned' | 'link'>,
): Html {
  const params = { webhookId: webhook.id };
  const noun = nounOf(webhook);
  const isActive = webhook.status === 'active';
  return html`<div class="actions">
${button({ action: `${path}/test`, label: 'Send a test' })}
${isActive && link(`pause${noun}`, params, { label: 'Pause…' })}
${sendingLink(webhook, link)}
${isActive && link(`replay${noun}`, params, { label: 'Send again…' })}
${link(`update${noun}`, params, { label: 'Edit' })}
${isSigned ? [link(`rotate${noun}Secret`, params), link(`remove${noun}Secret`, params)] : link(`sign${noun}`, params)}
${link(`delete${noun}`, params, { label: 'Delete' })}</div>`;
}

const deliveryRow = (
  delivery: DeliveryView,
  {
    path,
    mayChange,
    devices,
    now,
    webhook,
  }: Pick<WebhookOptions, 'path' | 'mayChange' | 'devices' | 'now' | 'webhook'>,
): Content[] => [
  html`<a class="name" href="${path}/deliveries/${delivery.id}">${delivery.eventType}</a>`,
  deviceOf(delivery, devices),
  time(delivery.createdAt),
  html`${stateBadge(delivery)}${delivery.reason && html` <span class="quiet">${delivery.reason}</span>`}`,
  delivery.attemptCount,
  delivery.lastAttemptAt &&
    html`${delivery.lastError ?? (delivery.lastStatusCode !== null && `status ${delivery.lastStatusCode}`)} ${time(delivery.lastAttemptAt)}`,
  delivery.nextAttemptAt && nextAttempt(delivery.nextAttemptAt, webhook, now),
  mayChange && resendButton(delivery, path),
];

/** The first page of the deliveries that a filter lets through. */
function withFilter(path: string, { state, eventType }: Record<string, string | undefined>): string {
  const query = new URLSearchParams(given({ state, eventType })).toString();
  return query === '' ? path : `${path}?${query}`;
}

function deviceOf({ serialNumber }: DeliveryView, devices: WebhookOptions['devices']): Content {
  if (serialNumber === null) return null;
  const device = devices.get(serialNumber.toLowerCase());
  return device ? nameLink(device.id, device.name, serialNumber) : html`<code>${serialNumber}</code>`;
}

/** A delivery that arrived, and is sent once more on request, has no error that it is retried for. */
const stateBadge = ({ state, lastError }: DeliveryView): Html =>
  state === 'retrying' && lastError === null ? badge('sent_again') : badge(state);
