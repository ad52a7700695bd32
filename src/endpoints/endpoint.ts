/**
 * A customer's URL that receives events. The public API calls it a webhook and shows it in two collections: a
 * cellular webhook receives every measurement (and, if asked, confirmed configurations); an event webhook
 * receives the types that it names. Both keep their types in `events`, so that publishing an event looks up
 * one list.
 *
 * The secret is not part of it: it is written with the endpoint, and read only to sign deliveries.
 */

import type { PublishedType, SubscribableType } from '../events/event-catalogue.schemas.ts';
import { cutText } from '../process/cut-text.ts';
import type { Breaker } from './endpoint-health.ts';
import { healthView, type ShownHealth } from './shown-health.ts';

export const ENDPOINT_STATUSES = ['active', 'disabled'] as const;
/** customer: through the API; failing: no delivery succeeded for days; gone: the endpoint answered 410. */
export const DISABLED_REASONS = ['customer', 'failing', 'gone'] as const;
export const LAST_STATUSES = ['delivered', 'retrying', 'failed', 'blocked'] as const;

export const ENDPOINTS_MAX = 100;
export const NAME_LENGTH_MAX = 128;

export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];
type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Identifies an endpoint in statements and in its workflow. */
export interface EndpointRef {
  organizationId: string;
  endpointId: string;
}

/** An endpoint with the URL that a request went to: its outcome says nothing about another one. */
export interface RequestTarget extends EndpointRef {
  url: string;
}

/** The same as text, for keys of maps. */
export const endpointKey = ({ organizationId, endpointId }: EndpointRef) => `${organizationId}:${endpointId}`;

/** The last attempt, whatever event it was for; all null before the first one. */
export interface LastDelivery {
  lastDeliveredAt: Date | null;
  lastAttemptAt: Date | null;
  lastStatus: (typeof LAST_STATUSES)[number] | null;
  lastStatusCode: number | null;
  lastError: string | null;
}

/** Counts of attempts in an hour. */
export interface AttemptCounts {
  delivered: number;
  failed: number;
  /** Total of all attempts. */
  durationMs: number;
  durationMaxMs: number;
}

export function countAttempt(status: (typeof LAST_STATUSES)[number], durationMs: number): AttemptCounts {
  const isDelivered = status === 'delivered';
  return {
    delivered: isDelivered ? 1 : 0,
    failed: isDelivered ? 0 : 1,
    durationMs,
    durationMaxMs: durationMs,
  };
}

export const addCounts = (a: AttemptCounts, b: AttemptCounts): AttemptCounts => ({
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  durationMs: a.durationMs + b.durationMs,
  durationMaxMs: Math.max(a.durationMaxMs, b.durationMaxMs),
});

/** The customer's settings of an endpoint, and the fields derived from them. */
export interface EndpointSettings {
  name: string;
  url: string;
  status: EndpointStatus;
  /** Null while active. */
  disabledReason: DisabledReason | null;
  events: PublishedType[];
}

export interface Endpoint extends EndpointSettings {
  id: string;
  breaker: Breaker;
  delivery: LastDelivery;
  createdAt: Date;
  updatedAt: Date;
}

/** Event webhooks name types; cellular webhooks receive measurements and choose whether to receive `config.applied`. */
type Subscription = { events: SubscribableType[] } | { deliverConfigApplied: boolean };

/** The bodies of both collections; the schema of each accepts its own fields only. */
export type CreateEndpoint = Subscription & {
  url: string;
  name?: string;
  status?: EndpointStatus;
  secret?: string;
};

export type ChangeEndpoint = Partial<Subscription> & {
  url?: string;
  name?: string;
  status?: EndpointStatus;
  secret?: string | null;
};

export function newEndpoint(request: CreateEndpoint): EndpointSettings {
  const { url, name, status = 'active' } = request;
  return {
    name: name ?? hostNameOf(url),
    url,
    status,
    disabledReason: toDisabledReason(status),
    events: subscribedTypes(request),
  };
}

/**
 * Absent fields stay. A status in the request counts as the customer's decision, whatever disabled the
 * endpoint before.
 */
export function changedEndpoint(endpoint: Endpoint, change: ChangeEndpoint): EndpointSettings {
  const { url, name, status } = change;
  return {
    name: name ?? endpoint.name,
    url: url ?? endpoint.url,
    status: status ?? endpoint.status,
    disabledReason: status === undefined ? endpoint.disabledReason : toDisabledReason(status),
    events: isSubscription(change) ? subscribedTypes(change) : endpoint.events,
  };
}

/** The name of an endpoint that was given none. */
export const hostNameOf = (url: string): string => cutText(new URL(url).host, NAME_LENGTH_MAX);

const toDisabledReason = (status: EndpointStatus): DisabledReason | null =>
  status === 'active' ? null : 'customer';

const isSubscription = (change: Partial<Subscription>): change is Subscription =>
  'events' in change || 'deliverConfigApplied' in change;

function subscribedTypes(subscription: Subscription): PublishedType[] {
  if ('events' in subscription) return subscription.events;
  return subscription.deliverConfigApplied ? ['data.measurement', 'config.applied'] : ['data.measurement'];
}

export function cellularWebhookView(endpoint: Endpoint, health: ShownHealth) {
  const { id, name, url, status, disabledReason, events, delivery } = endpoint;
  return {
    id,
    recType: 'cellular-webhook',
    name,
    url,
    status,
    disabledReason,
    deliverConfigApplied: events.includes('config.applied'),
    ...timesView(endpoint),
    delivery: lastDeliveryView(delivery),
    health: healthView(health),
  };
}

const lastDeliveryView = (delivery: LastDelivery) => ({
  ...delivery,
  lastDeliveredAt: delivery.lastDeliveredAt?.toISOString() ?? null,
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
});

export function eventWebhookView(endpoint: Endpoint, health: ShownHealth) {
  const { id, url, status, disabledReason, events, delivery } = endpoint;
  return {
    id,
    recType: 'webhook',
    url,
    status,
    disabledReason,
    events,
    ...timesView(endpoint),
    delivery: lastDeliveryView(delivery),
    health: healthView(health),
  };
}

const timesView = ({ createdAt, updatedAt }: Endpoint) => ({
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const ENABLE_FIRST = 'The webhook is disabled: enable it first';
export const NO_SUCH_ENDPOINT = 'No webhook of this collection has this id';
