/**
 * Fills the outbox, in the transaction of an event, and notifies the dispatchers of all processes. A change of an endpoint is
 * notified by the commit of the change, a queued delivery after the commit (queue-notifier.service.ts). Senders use
 * claims.repository.ts.
 */
import type { Database, Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import { type EndpointRef, endpointKey } from '../endpoints/endpoint.ts';
import type { OutgoingEvent } from '../events/events.service.ts';

export const createOutboxRepository = (sql: Sql) => ({
  /**
   * Stores each event once, and a delivery for every endpoint that subscribes to it; an event without a
   * subscriber stores nothing. Locks no endpoint, so edits of endpoints and events never wait for each
   * other. Returns the endpoints whose dispatchers have something to send now.
   */
  async insert(events: OutgoingEvent[]): Promise<EndpointRef[]> {
    if (sql.isDistributed) return insertByOrganization(sql, events);
    return queryPrepared<EndpointRef>(
      sql,
      'deliveries_insert',
      `with e as materialized (
         select uuidv7() as id, * from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::uuid[], ?::text[])
           as e (organization_id, type, body, serial_number, except_endpoint_id, trace)
       ), subscribed as (
         select e.id as event_id, e.type, ep.id as endpoint_id, ep.organization_id, ep.status
         from e join endpoints ep on ep.organization_id = e.organization_id and e.type = any(ep.events)
         where (ep.status = 'active' or ep.disabled_reason = 'failing')
           and ep.id is distinct from e.except_endpoint_id
         -- Deliveries get their ids, by which they are sent, in the order of the events.
         order by e.id
       ), stored as (
         insert into events (id, organization_id, type, body, serial_number, trace)
         select id, organization_id, type, body, serial_number, trace from e where id in (select event_id from subscribed)
       ), queued as (
         insert into deliveries (endpoint_id, organization_id, event_id, event_type, state)
         select endpoint_id, organization_id, event_id, type, 'pending' from subscribed
       )
       select distinct organization_id as "organizationId", endpoint_id as "endpointId" from subscribed
       where status = 'active'`,
      [
        events.map(({ organizationId }) => organizationId),
        events.map(({ type }) => type),
        events.map(({ body }) => body),
        events.map(({ serialNumber }) => serialNumber ?? null),
        events.map(({ exceptEndpointId }) => exceptEndpointId ?? null),
        // A null array stands for an array of nulls.
        events.some(({ trace }) => trace) ? events.map(({ trace }) => trace ?? null) : null,
      ],
    );
  },
});

interface Subscriber {
  id: string;
  status: string;
  events: string[];
}

interface StoredEvent extends OutgoingEvent {
  id: string;
  subscribers: Subscriber[];
}

/**
 * Where tables are distributed by organization, Citus sends the intermediate results of one statement to all nodes, so one
 * node that is down would stop every organization. Each step of `insert` is therefore a statement of its own, which runs on
 * the node of the organization alone.
 */
async function insertByOrganization(sql: Sql, events: OutgoingEvent[]): Promise<EndpointRef[]> {
  const queued: EndpointRef[] = [];
  const organizationIds = [...new Set(events.map(({ organizationId }) => organizationId))].sort();
  for (const organizationId of organizationIds) {
    const own = events.filter((event) => event.organizationId === organizationId);
    const stored = await withSubscribers(sql, organizationId, own);
    if (stored.length === 0) continue;
    await insertEvents(sql, organizationId, stored);
    await insertDeliveries(sql, organizationId, stored);
    queued.push(...activeOf(stored));
  }
  return queued;
}

/** Leaves out events without a subscriber. */
async function withSubscribers(
  sql: Sql,
  organizationId: string,
  events: OutgoingEvent[],
): Promise<StoredEvent[]> {
  const types = [...new Set(events.map(({ type }) => type))];
  const endpoints = await query<Subscriber>(
    sql,
    `select id, status, events from endpoints
     where organization_id = ? and events && ?::text[] and (status = 'active' or disabled_reason = 'failing')`,
    [organizationId, types],
  );
  const subscribed = events
    .map((event) => ({ ...event, subscribers: endpoints.filter((endpoint) => takes(endpoint, event)) }))
    .filter(({ subscribers }) => subscribers.length > 0);
  // Reads no table: the coordinator generates the ids, in ascending order.
  const ids = await query<{ id: string }>(sql, 'select uuidv7() as id from generate_series(1, ?)', [
    subscribed.length,
  ]);
  return subscribed.map((event, index) => ({ ...event, id: (ids[index] as { id: string }).id }));
}

const takes = ({ id, events }: Subscriber, { type, exceptEndpointId }: OutgoingEvent): boolean =>
  events.includes(type) && id !== exceptEndpointId;

async function insertEvents(sql: Sql, organizationId: string, events: StoredEvent[]): Promise<void> {
  await query(
    sql,
    `insert into events (organization_id, id, type, body, serial_number, trace)
     select organization_id, id, type, body, serial_number, trace
     from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[])
       as e (organization_id, id, type, body, serial_number, trace)`,
    [
      events.map(() => organizationId),
      events.map(({ id }) => id),
      events.map(({ type }) => type),
      events.map(({ body }) => body),
      events.map(({ serialNumber }) => serialNumber ?? null),
      events.map(({ trace }) => trace ?? null),
    ],
  );
}

/** Ids, which decide the order of sending, follow the order of the events. */
async function insertDeliveries(sql: Sql, organizationId: string, events: StoredEvent[]): Promise<void> {
  const deliveries = events.flatMap(({ id, type, subscribers }) =>
    subscribers.map((subscriber) => ({ eventId: id, type, endpointId: subscriber.id })),
  );
  await query(
    sql,
    `insert into deliveries (organization_id, endpoint_id, event_id, event_type, state)
     select organization_id, endpoint_id, event_id, event_type, 'pending'
     from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[]) with ordinality
       as d (organization_id, endpoint_id, event_id, event_type, position)
     order by position`,
    [
      deliveries.map(() => organizationId),
      deliveries.map(({ endpointId }) => endpointId),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ type }) => type),
    ],
  );
}

function activeOf(events: StoredEvent[]): EndpointRef[] {
  const refs = events.flatMap(({ organizationId, subscribers }) =>
    subscribers
      .filter(({ status }) => status === 'active')
      .map(({ id }): [string, EndpointRef] => [id, { organizationId, endpointId: id }]),
  );
  return [...new Map(refs).values()];
}

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
