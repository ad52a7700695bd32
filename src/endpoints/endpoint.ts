/**
 * An endpoint of a customer that is told of events. Two collections of the API show the same thing: a cellular webhook
 * takes every measurement (and, if asked, confirmed configurations); an event webhook takes the kinds that it names.
 * What an endpoint is told of is `events` for both, so whoever has an event looks up one list.
 *
 * The secret is no part of it: it goes in, and only the sender of deliveries takes it out again.
 */
export const COLLECTIONS = ['cellular', 'event'] as const;
export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
/** customer: through the API; failing: nothing got through for days; gone: the endpoint answered 410. */
export const DISABLED_REASONS = ['customer', 'failing', 'gone'] as const;
export const LAST_STATUSES = ['delivered', 'retrying', 'failed', 'blocked'] as const;
/** What an event webhook may subscribe to. */
export const EVENT_KINDS = [
  'data.measurement.alert',
  'alert.created',
  'alert.resolved',
  'config.applied',
  'config.failed',
  'config.job.finished',
  'device.offline',
  'device.online',
] as const;

export const ENDPOINTS_MAX = 100;
export const NAME_LENGTH_MAX = 128;

export type Collection = (typeof COLLECTIONS)[number];
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];
export type DisabledReason = (typeof DISABLED_REASONS)[number];
export type EventKind = (typeof EVENT_KINDS)[number];
/** Whole frames of measurements are for cellular webhooks alone. */
export type EventType = EventKind | 'data.measurement';

/** Identifies an endpoint, to statements and to its workflow. */
export interface EndpointRef {
  organizationId: string;
  endpointId: string;
}

/** The last attempt, whatever event it was for; all null before the first one. */
export interface LastDelivery {
  lastDeliveredAt: Date | null;
  lastAttemptAt: Date | null;
  lastStatus: (typeof LAST_STATUSES)[number] | null;
  lastStatusCode: number | null;
  lastError: string | null;
}

/** What the customer decides, and what follows from it. */
export interface WebhookSettings {
  name: string;
  url: string;
  status: WebhookStatus;
  /** null while active. */
  disabledReason: DisabledReason | null;
  events: EventType[];
}

export interface Webhook extends WebhookSettings {
  id: string;
  delivery: LastDelivery;
  createdAt: Date;
  updatedAt: Date;
}

/** The bodies of both collections; each collection's schema lets its own fields through. */
export interface CreateWebhook {
  url: string;
  name?: string;
  status?: WebhookStatus;
  events?: EventKind[];
  deliverConfigApplied?: boolean;
  secret?: string;
}

export type ChangeWebhook = Partial<Omit<CreateWebhook, 'secret'>> & { secret?: string | null };

export function newWebhook(collection: Collection, asked: CreateWebhook): WebhookSettings {
  const { url, name, status = 'active' } = asked;
  return {
    name: name ?? new URL(url).host.slice(0, NAME_LENGTH_MAX),
    url,
    status,
    disabledReason: reasonOf(status),
    events: askedEvents(asked) ?? DEFAULT_EVENTS[collection],
  };
}

/** What is absent stays; a status that is sent is the customer's own word, whatever disabled the endpoint before. */
export function changedWebhook(webhook: Webhook, change: ChangeWebhook): WebhookSettings {
  const { url, name, status } = change;
  return {
    name: name ?? webhook.name,
    url: url ?? webhook.url,
    status: status ?? webhook.status,
    disabledReason: status === undefined ? webhook.disabledReason : reasonOf(status),
    events: askedEvents(change) ?? webhook.events,
  };
}

const reasonOf = (status: WebhookStatus): DisabledReason | null => (status === 'active' ? null : 'customer');

const measurementEvents = (deliverConfigApplied: boolean): EventType[] =>
  deliverConfigApplied ? ['data.measurement', 'config.applied'] : ['data.measurement'];

const DEFAULT_EVENTS: Record<Collection, EventType[]> = {
  cellular: measurementEvents(false),
  event: [...EVENT_KINDS],
};

function askedEvents({ events, deliverConfigApplied }: ChangeWebhook): EventType[] | undefined {
  return deliverConfigApplied === undefined ? events : measurementEvents(deliverConfigApplied);
}

export function cellularWebhookView(webhook: Webhook) {
  const { id, name, url, status, disabledReason, events, delivery } = webhook;
  return {
    id,
    recType: 'cellular-webhook',
    name,
    url,
    status,
    disabledReason,
    deliverConfigApplied: events.includes('config.applied'),
    ...timesView(webhook),
    delivery: {
      ...delivery,
      lastDeliveredAt: delivery.lastDeliveredAt?.toISOString() ?? null,
      lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    },
  };
}

export function eventWebhookView(webhook: Webhook) {
  const { id, url, status, disabledReason, events } = webhook;
  return { id, recType: 'webhook', url, status, disabledReason, events, ...timesView(webhook) };
}

const timesView = ({ createdAt, updatedAt }: Webhook) => ({
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const NO_SUCH_WEBHOOK = 'No webhook of this collection has this id';
