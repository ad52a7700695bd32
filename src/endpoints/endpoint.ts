/**
 * An endpoint of a customer that receives events. Two collections of the API show the same thing: a cellular webhook
 * receives every measurement (and, if asked, confirmed configurations); an event webhook receives the types that it
 * names. Both keep their types in `events`, so that publishing an event looks up one list.
 *
 * The secret is not part of it: it is written here, and read only by the sender of deliveries.
 */
import type { PublishedType, SubscribableType } from '../events/event-catalogue.schemas.ts';

export const WEBHOOK_STATUSES = ['active', 'disabled'] as const;
/** customer: through the API; failing: nothing got through for days; gone: the endpoint answered 410. */
export const DISABLED_REASONS = ['customer', 'failing', 'gone'] as const;
export const LAST_STATUSES = ['delivered', 'retrying', 'failed', 'blocked'] as const;

export const ENDPOINTS_MAX = 100;
export const NAME_LENGTH_MAX = 128;

export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];
export type DisabledReason = (typeof DISABLED_REASONS)[number];

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
  events: PublishedType[];
}

export interface Webhook extends WebhookSettings {
  id: string;
  delivery: LastDelivery;
  createdAt: Date;
  updatedAt: Date;
}

/** Event webhooks name types; cellular webhooks receive measurements and choose whether to receive `config.applied`. */
type Subscription = { events: SubscribableType[] } | { deliverConfigApplied: boolean };

/** The bodies of both collections; the schema of each accepts its own fields only. */
export type CreateWebhook = Subscription & {
  url: string;
  name?: string;
  status?: WebhookStatus;
  secret?: string;
};

export type ChangeWebhook = Partial<Subscription> & {
  url?: string;
  name?: string;
  status?: WebhookStatus;
  secret?: string | null;
};

export function newWebhook(asked: CreateWebhook): WebhookSettings {
  const { url, name, status = 'active' } = asked;
  return {
    name: name ?? new URL(url).host.slice(0, NAME_LENGTH_MAX),
    url,
    status,
    disabledReason: reasonOf(status),
    events: subscribedTypes(asked),
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
    events: isSubscription(change) ? subscribedTypes(change) : webhook.events,
  };
}

const reasonOf = (status: WebhookStatus): DisabledReason | null => (status === 'active' ? null : 'customer');

const isSubscription = (change: Partial<Subscription>): change is Subscription =>
  'events' in change || 'deliverConfigApplied' in change;

function subscribedTypes(subscription: Subscription): PublishedType[] {
  if ('events' in subscription) return subscription.events;
  return subscription.deliverConfigApplied ? ['data.measurement', 'config.applied'] : ['data.measurement'];
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
