/**
 * The two collections of endpoints in the public API, as used by the routes of endpoints and of deliveries.
 */
import type { Collection } from '../events/event.ts';

export interface EndpointCollection {
  collection: Collection;
  path: string;
  tag: string;
  /** Part of operation ids, such as list…s and replay…. */
  operationName: string;
  /** Used in summaries. */
  noun: { one: string; many: string };
  listRecType: string;
}

export const CELLULAR_WEBHOOKS: EndpointCollection = {
  collection: 'cellular',
  path: '/cellular-webhooks',
  tag: 'Cellular measurement webhooks',
  operationName: 'CellularWebhook',
  noun: { one: 'a cellular webhook', many: 'cellular webhooks' },
  listRecType: 'cellular-webhook-collection',
};

export const EVENT_WEBHOOKS: EndpointCollection = {
  collection: 'event',
  path: '/webhooks',
  tag: 'Event webhooks',
  operationName: 'Webhook',
  noun: { one: 'an event webhook', many: 'event webhooks' },
  listRecType: 'webhook-collection',
};

export const ENDPOINT_COLLECTIONS = [CELLULAR_WEBHOOKS, EVENT_WEBHOOKS] as const;
