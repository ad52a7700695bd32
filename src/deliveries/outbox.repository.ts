/** Fills the outbox, in the transaction of an event. Senders use claims.repository.ts. */
import type { Sql } from '../db/database.ts';
import { queryPrepared } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { OutgoingEvent } from '../events/events.service.ts';
import { insertByOrganization } from './distributed-outbox.repository.ts';

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
