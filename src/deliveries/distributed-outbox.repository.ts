/**
 * Fills the outbox where tables are distributed by organization. Citus sends the intermediate results of one
 * statement to all nodes, so one node that is down would stop every organization. Each step of `insert` is
 * therefore a statement of its own, which runs on the node of the organization alone.
 */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { OutgoingEvent } from '../events/events.service.ts';

interface Subscriber {
  id: string;
  status: string;
  events: string[];
}

interface StoredEvent extends OutgoingEvent {
  id: string;
  subscribers: Subscriber[];
}

export async function insertByOrganization(sql: Sql, events: OutgoingEvent[]): Promise<EndpointRef[]> {
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
