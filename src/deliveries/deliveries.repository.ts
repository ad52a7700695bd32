/** The outbox: filled in the transaction of an event, and read and changed by customers. Senders use claims instead. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { OutgoingEvent } from '../events/events.service.ts';
import type { Attempt, Delivery } from './delivery.ts';
import {
  DELIVERIES_CHANNEL,
  ENDPOINTS_PER_NOTIFICATION,
  notifyChanged,
} from './delivery-notifications.repository.ts';

const COLUMNS = `id, event_id as "eventId", event_type as "eventType", state, attempt_count as "attemptCount",
  next_attempt_at as "nextAttemptAt", last_status_code as "lastStatusCode", last_error as "lastError"`;
const OF_ENDPOINT = 'organization_id = ? and endpoint_id = ?';
const toBindings = ({ organizationId, endpointId }: EndpointRef) => [organizationId, endpointId];

export type DeliveriesRepository = ReturnType<typeof createDeliveriesRepository>;

export function createDeliveriesRepository(sql: Sql) {
  return {
    /**
     * Stores each event once, and a delivery for every endpoint that subscribes to it; an event without a subscriber
     * stores nothing. Deliveries to an endpoint that was disabled as failing are held. Notifies the dispatchers.
     */
    async insert(events: OutgoingEvent[]): Promise<void> {
      await queryPrepared(
        sql,
        'deliveries_insert',
        `with e as materialized (
           select uuidv7() as id, * from unnest(?::uuid[], ?::text[], ?::text[]) as e (organization_id, type, body)
         ), subscribed as (
           select e.id as event_id, e.type, ep.id as endpoint_id, ep.organization_id, ep.status
           from e join endpoints ep on ep.organization_id = e.organization_id and e.type = any(ep.events)
           where ep.status = 'active' or ep.disabled_reason = 'failing'
           -- Deliveries get their ids, by which they are sent, in the order of the events.
           order by e.id for key share of ep
         ), stored as (
           insert into events (id, organization_id, type, body)
           select id, organization_id, type, body from e where id in (select event_id from subscribed)
         ), queued as (
           insert into deliveries (endpoint_id, organization_id, event_id, event_type, state)
           select endpoint_id, organization_id, event_id, type,
             case status when 'active' then 'pending' else 'held' end
           from subscribed returning organization_id, endpoint_id, state
         )
         select pg_notify('${DELIVERIES_CHANNEL}', string_agg(organization_id || ':' || endpoint_id, ','))
         from (
           select organization_id, endpoint_id,
             (row_number() over () - 1) / ${ENDPOINTS_PER_NOTIFICATION} as notification
           from (select distinct organization_id, endpoint_id from queued where state = 'pending') as pending
         ) as numbered
         group by notification`,
        [
          events.map(({ organizationId }) => organizationId),
          events.map(({ type }) => type),
          events.map(({ body }) => body),
        ],
      );
    },

    list(
      endpoint: EndpointRef,
      page: { state: string | null; before: string | null; limit: number },
    ): Promise<Delivery[]> {
      const states = page.state === 'pending' ? ['pending', 'sending'] : [page.state];
      return query(
        sql,
        `select ${COLUMNS} from deliveries
         where ${OF_ENDPOINT} and (?::text is null or state = any(?::text[]))
           and (?::uuid is null or id < ?) order by id desc limit ?`,
        [...toBindings(endpoint), page.state, states, page.before, page.before, page.limit],
      );
    },

    async find(endpoint: EndpointRef, id: string): Promise<(Delivery & { body: string }) | null> {
      const [row] = await query<Delivery & { body: string }>(
        sql,
        `select d.*, e.body from (
           select ${COLUMNS} from deliveries where ${OF_ENDPOINT} and id = ?
         ) as d join events e on e.organization_id = ? and e.id = d."eventId"`,
        [...toBindings(endpoint), id, endpoint.organizationId],
      );
      return row ?? null;
    },

    /** A first attempt that succeeded is stored on the delivery itself until another attempt follows. */
    listAttempts(endpoint: EndpointRef, deliveryId: string): Promise<Attempt[]> {
      return query(
        sql,
        `select attempt_number as "attemptNumber", attempted_at as "attemptedAt", duration_ms as "durationMs",
           status_code as "statusCode", error, response_excerpt as "responseExcerpt"
         from delivery_attempts where organization_id = ? and delivery_id = ?
         union all
         select 1, delivered_at, first_attempt_duration_ms, last_status_code, null, first_attempt_excerpt
         from deliveries where ${OF_ENDPOINT} and id = ? and delivered_at is not null
         order by "attemptNumber"`,
        [endpoint.organizationId, deliveryId, ...toBindings(endpoint), deliveryId],
      );
    },

    /** Asks for one attempt now, whatever the state; false while an attempt is under way or when there is no delivery. */
    async resend(endpoint: EndpointRef, id: string): Promise<boolean> {
      const rows = await query(
        sql,
        `update deliveries set state = 'retrying', send_immediately = true, schedule_step = 0, next_attempt_at = now(),
           updated_at = now()
         where ${OF_ENDPOINT} and id = ? and state <> 'sending' returning 1`,
        [...toBindings(endpoint), id],
      );
      return rows.length > 0;
    },

    /** Queues the span again with the whole retry schedule. Returns how many. */
    async replay(
      endpoint: EndpointRef,
      span: { firstId: string; endId: string; states: string[] },
    ): Promise<number> {
      const rows = await query(
        sql,
        `update deliveries set state = 'retrying', schedule_step = 0, next_attempt_at = now(), updated_at = now()
         where ${OF_ENDPOINT} and id >= ? and id < ? and state = any(?::text[]) returning 1`,
        [...toBindings(endpoint), span.firstId, span.endId, span.states],
      );
      return rows.length;
    },

    announceChange: (endpoint: EndpointRef) => notifyChanged(sql, endpoint),

    /** Moves an endpoint's deliveries to another state; released ones begin a new schedule. Returns how many. */
    async moveQueued(
      endpoint: EndpointRef,
      from: string[],
      to: 'held' | 'pending' | 'cancelled',
    ): Promise<number> {
      const rows = await query(
        sql,
        `update deliveries set state = ?, next_attempt_at = null, leased_until = null, updated_at = now(),
           schedule_step = case ? when 'pending' then 0 else schedule_step end
         where ${OF_ENDPOINT} and state = any(?::text[]) returning 1`,
        [to, to, ...toBindings(endpoint), from],
      );
      return rows.length;
    },
  };
}
