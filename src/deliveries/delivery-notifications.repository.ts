/** Notifications for the dispatchers. PostgreSQL sends them when the transaction that changes an endpoint's queue commits. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';

export const DELIVERIES_CHANNEL = 'deliveries_queued';
/** A payload of NOTIFY must be shorter than 8,000 bytes; an endpoint with its organization and a comma takes 74. */
export const ENDPOINTS_PER_NOTIFICATION = 100;
const CHANGED_PREFIX = 'changed ';

export interface DeliveryNotification {
  /** queued: there is something new to send. changed: what was claimed for the endpoint is out of date. */
  kind: 'queued' | 'changed';
  endpoints: EndpointRef[];
}

export function parseNotification(payload: string): DeliveryNotification {
  const isChange = payload.startsWith(CHANGED_PREFIX);
  const keys = isChange ? payload.slice(CHANGED_PREFIX.length) : payload;
  return { kind: isChange ? 'changed' : 'queued', endpoints: keys.split(',').map(parseEndpointKey) };
}

function parseEndpointKey(key: string): EndpointRef {
  const [organizationId = '', endpointId = ''] = key.split(':');
  return { organizationId, endpointId };
}

export async function notifyQueued(sql: Sql, endpoints: EndpointRef[]): Promise<void> {
  for (let at = 0; at < endpoints.length; at += ENDPOINTS_PER_NOTIFICATION) {
    const keys = endpoints.slice(at, at + ENDPOINTS_PER_NOTIFICATION).map(endpointKey);
    await query(sql, 'select pg_notify(?, ?)', [DELIVERIES_CHANNEL, keys.join()]);
  }
}

export async function notifyChanged(sql: Sql, endpoint: EndpointRef): Promise<void> {
  await query(sql, 'select pg_notify(?, ?)', [DELIVERIES_CHANNEL, CHANGED_PREFIX + endpointKey(endpoint)]);
}
