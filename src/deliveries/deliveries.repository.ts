/**
 * The outbox: filled in the transaction of an event, read and changed by customers. Senders use
 * claims.repository.ts.
 */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { OutgoingEvent } from '../events/events.service.ts';
import { FIRST_ID, LAST_ID } from '../process/uuid.ts';
import { type Attempt, type Delivery, STORED_STATES, type StoredState } from './delivery.ts';
import { notifyChanged } from './delivery-notifications.repository.ts';
import { insertByOrganization } from './distributed-outbox.repository.ts';

const COLUMNS = `id, event_id as "eventId", event_type as "eventType", state, attempt_count as "attemptCount",
  next_attempt_at as "nextAttemptAt", last_status_code as "lastStatusCode", last_error as "lastError",
  uuid_extract_timestamp(id) as "createdAt", delivered_at as "firstSuccessAt"`;
/** Columns from other tables. Bindings: the organization, the organization. */
const SHOWN = `found.*, coalesce(found."firstSuccessAt", latest.at) as "lastAttemptAt", e."serialNumber"`;
const WITH_SHOWN = `left join lateral (
    select attempted_at as at from delivery_attempts where organization_id = ? and delivery_id = found.id
    order by attempt_number desc limit 1
  ) as latest on true
  left join lateral (
    select serial_number as "serialNumber", body from events
    where organization_id = ? and id = found."eventId" limit 1
  ) as e on true`;
const OF_ENDPOINT = 'organization_id = ? and endpoint_id = ?';
const toBindings = ({ organizationId, endpointId }: EndpointRef) => [organizationId, endpointId];
/** The type is compared after the index: `floor` bounds the rows that are read for a rare one. */
const PAGE = `${OF_ENDPOINT} and id < ? and id >= ? and (?::text is null or event_type = ?) order by id desc limit ?`;
/** Rows that one page of a type reads at most. */
const READ_OF_TYPE_MAX = 10_000;
/** One part per state, by the index of that state, so a page of a rare state reads no other rows. */
const LIST_OF_STATES = `select * from (
    (select ${COLUMNS} from deliveries where 'pending' = any(?) and state = 'pending' and ${PAGE})
    union all (select ${COLUMNS} from deliveries where 'sending' = any(?) and state = 'sending' and ${PAGE})
    union all (select ${COLUMNS} from deliveries where 'retrying' = any(?) and state = 'retrying' and ${PAGE})
    union all (select ${COLUMNS} from deliveries where 'failed' = any(?) and state = 'failed' and ${PAGE})
    union all (select ${COLUMNS} from deliveries where 'blocked' = any(?) and state = 'blocked' and ${PAGE})
    union all (select ${COLUMNS} from deliveries where 'cancelled' = any(?) and state = 'cancelled' and ${PAGE})
    union all (select ${COLUMNS} from deliveries where 'delivered' = any(?) and state = 'delivered' and ${PAGE})
  ) as found order by id desc limit ?`;

export interface DeliveryFilter {
  /** Null: of all states. */
  states: StoredState[] | null;
  /** Null: of all types. */
  eventType: string | null;
  /** Ids before this one; null: from the newest on. */
  before: string | null;
  /** Ids from this one on; null: all. */
  floor: string | null;
  limit: number;
}

export type DeliveriesRepository = ReturnType<typeof createDeliveriesRepository>;

export function createDeliveriesRepository(sql: Sql) {
  return {
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

    /** The oldest delivery that one page of a type reads; null: it reads all that are left. */
    async findFloor(
      endpoint: EndpointRef,
      before: string | null,
      readMax = READ_OF_TYPE_MAX,
    ): Promise<string | null> {
      const [row] = await query<{ id: string }>(
        sql,
        `select id from deliveries where ${OF_ENDPOINT} and id < ? order by id desc limit 1 offset ?`,
        [...toBindings(endpoint), before ?? LAST_ID, readMax - 1],
      );
      return row?.id ?? null;
    },

    /** Newest first. */
    list(
      endpoint: EndpointRef,
      { states, eventType, before, floor, limit }: DeliveryFilter,
    ): Promise<Delivery[]> {
      const page = [
        ...toBindings(endpoint),
        before ?? LAST_ID,
        floor ?? FIRST_ID,
        eventType,
        eventType,
        limit,
      ];
      const shown = [endpoint.organizationId, endpoint.organizationId];
      if (states === null) {
        return query(
          sql,
          `select ${SHOWN} from (select ${COLUMNS} from deliveries where ${PAGE}) as found ${WITH_SHOWN}
           order by found.id desc`,
          [...page, ...shown],
        );
      }
      return query(
        sql,
        `select ${SHOWN} from (${LIST_OF_STATES}) as found ${WITH_SHOWN} order by found.id desc`,
        [...STORED_STATES.flatMap(() => [states, ...page]), limit, ...shown],
      );
    },

    async find(endpoint: EndpointRef, id: string): Promise<(Delivery & { body: string }) | null> {
      const [row] = await query<Delivery & { body: string }>(
        sql,
        `select ${SHOWN}, e.body from (
           select ${COLUMNS} from deliveries where ${OF_ENDPOINT} and id = ?
         ) as found ${WITH_SHOWN} where e.body is not null`,
        [...toBindings(endpoint), id, endpoint.organizationId, endpoint.organizationId],
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

    /**
     * Requests one attempt now, in any state. False while an attempt is under way or when there is no such
     * delivery.
     */
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

    announceChange: (endpoint: EndpointRef) => notifyChanged(sql, endpoint),

    /**
     * Whether any delivery waits for the endpoint, queued or not. Takes as long with millions as with one.
     */
    async hasQueued(endpoint: EndpointRef): Promise<boolean> {
      const rows = await query(
        sql,
        `select from (
           (select 1 from deliveries where ${OF_ENDPOINT} and state = 'pending' order by id limit 1)
           union all (select 1 from deliveries where ${OF_ENDPOINT} and state = 'retrying' order by id limit 1)
           union all (select 1 from delivery_replays where ${OF_ENDPOINT} order by id limit 1)
         ) as queued limit 1`,
        Array(3).fill(toBindings(endpoint)).flat(),
      );
      return rows.length > 0;
    },
  };
}
