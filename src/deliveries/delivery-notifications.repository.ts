/**
 * Notifications for the dispatchers of all processes. A change of an endpoint is notified by the commit of
 * the change, a queued delivery after the commit (queue-notifier.service.ts).
 */
import type { Database, Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';

export const DELIVERIES_CHANNEL = 'deliveries_queued';
/** A payload of NOTIFY must be shorter than 8,000 bytes; an endpoint with its organization and a comma takes 74. */
export const ENDPOINTS_PER_NOTIFICATION = 100;
const CHANGED_PREFIX = 'changed ';

interface DeliveryNotification {
  /** queued: there are new deliveries. changed: claims for the endpoint are out of date. */
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

/**
 * Uses a transaction of its own that does not wait for the disk; dispatchers find lost notifications by
 * polling.
 */
export async function notifyQueued(sql: Sql, endpoints: EndpointRef[]): Promise<void> {
  const keys = endpoints.map(endpointKey);
  const payloads = Array.from({ length: Math.ceil(keys.length / ENDPOINTS_PER_NOTIFICATION) }, (_, index) =>
    keys.slice(index * ENDPOINTS_PER_NOTIFICATION, (index + 1) * ENDPOINTS_PER_NOTIFICATION).join(),
  );
  if (payloads.length === 0) return;
  await queryPrepared(
    sql,
    'deliveries_notify',
    `select set_config('synchronous_commit', 'off', true), pg_notify(?, payload) from unnest(?::text[]) as payload`,
    [DELIVERIES_CHANNEL, payloads],
  );
}

export async function notifyChanged(sql: Database, endpoint: EndpointRef): Promise<void> {
  const payload = CHANGED_PREFIX + endpointKey(endpoint);
  await sql.select(sql.raw('pg_notify(?, ?)', [DELIVERIES_CHANNEL, payload]));
}
