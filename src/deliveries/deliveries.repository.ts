/** The outbox as customers read and change it. */
import type { Knex } from 'knex';
import { newestFirst, type Page } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { Attempt, Delivery, StoredState } from './delivery.ts';
import { notifyChanged } from './outbox.repository.ts';

interface OfEndpoint {
  organization_id: string;
  endpoint_id: string;
  id: string;
}

interface DeliveryRow extends OfEndpoint {
  event_type: string;
  state: StoredState;
  attempt_count: number;
  send_immediately: boolean;
  schedule_step: number;
  next_attempt_at: Date | null;
  last_status_code: number | null;
  last_error: string | null;
  delivered_at: Date | null;
  updated_at: Date;
}

interface AttemptRow {
  organization_id: string;
  delivery_id: string;
}

interface ReplayRow extends OfEndpoint {
  /** The first id that the drain has yet to queue. */
  next_id: string;
  end_id: string;
  states: string[];
}

declare module 'knex/types/tables.js' {
  interface Tables {
    deliveries: DeliveryRow;
    delivery_attempts: AttemptRow;
    delivery_replays: ReplayRow;
  }
}

const COLUMNS = `id, event_id as "eventId", event_type as "eventType", state, attempt_count as "attemptCount",
  next_attempt_at as "nextAttemptAt", last_status_code as "lastStatusCode", last_error as "lastError",
  uuid_extract_timestamp(id) as "createdAt", delivered_at as "firstSuccessAt"`;
/** Columns from other tables, looked up for each delivery that is shown. */
const SHOWN = `found.*, coalesce(found."firstSuccessAt", latest.at) as "lastAttemptAt", e."serialNumber"`;
const WITH_SHOWN = `left join lateral (
    select attempted_at as at from delivery_attempts where organization_id = :organizationId and delivery_id = found.id
    order by attempt_number desc limit 1
  ) as latest on true
  left join lateral (
    select serial_number as "serialNumber", body from events
    where organization_id = :organizationId and id = found."eventId" limit 1
  ) as e on true`;
const ATTEMPT = `attempt_number as "attemptNumber", attempted_at as "attemptedAt", duration_ms as "durationMs",
  status_code as "statusCode", error, response_excerpt as "responseExcerpt"`;
const FIRST_ATTEMPT =
  '1, delivered_at, first_attempt_duration_ms, last_status_code, null, first_attempt_excerpt';

/** Attempts that are shown of one delivery. */
const SHOWN_ATTEMPTS_MAX = 100;
/** Rows that one page reads at most of a type, or of delivered ones: no index has them. */
const READ_MAX = 10_000;

interface DeliveryFilter extends Page {
  /** Null: of all states. */
  states: StoredState[] | null;
  /** Null: of all types. */
  eventType: string | null;
  /** Ids from this one on; null: all. */
  floor: string | null;
}

export type DeliveriesRepository = ReturnType<typeof createDeliveriesRepository>;

export function createDeliveriesRepository(sql: Database) {
  const toColumns = ({ organizationId, endpointId }: EndpointRef) => ({
    organization_id: organizationId,
    endpoint_id: endpointId,
  });
  const of = (endpoint: EndpointRef) => sql('deliveries').where(toColumns(endpoint));
  const shown = (found: Knex.QueryBuilder, { organizationId }: EndpointRef) =>
    sql.from(found.as('found')).joinRaw(WITH_SHOWN, { organizationId }).select(sql.raw(SHOWN));

  return {
    /** The oldest delivery that one page without an index reads; null: it reads all that are left. */
    async findFloor(
      endpoint: EndpointRef,
      before: string | null,
      readMax = READ_MAX,
    ): Promise<string | null> {
      const row = await of(endpoint)
        .modify(newestFirst, { before, limit: 1 })
        .offset(readMax - 1)
        .first('id');
      return row?.id ?? null;
    },

    /**
     * Newest first. Reads each state but `delivered` by its index, so a page of a rare state reads no other rows. That
     * state and the type are compared afterwards: `floor` bounds the rows that are read for a rare one.
     */
    async list(
      endpoint: EndpointRef,
      { states, eventType, floor, ...page }: DeliveryFilter,
    ): Promise<Delivery[]> {
      if (states?.length === 0) return [];
      const matching = of(endpoint).modify(newestFirst, page).select(sql.raw(COLUMNS));
      if (floor !== null) matching.where('id', '>=', floor);
      if (eventType !== null) matching.where({ event_type: eventType });
      const found =
        states === null
          ? matching
          : sql
              .unionAll(
                states.map((state) => sql.from(matching.clone().where({ state }).as('of_state'))),
                true,
              )
              .orderBy('id', 'desc')
              .limit(page.limit);
      return shown(found, endpoint).orderBy('found.id', 'desc');
    },

    async find(endpoint: EndpointRef, id: string): Promise<(Delivery & { body: string }) | null> {
      const found = of(endpoint).where({ id }).select(sql.raw(COLUMNS));
      const row = await shown(found, endpoint).whereNotNull('e.body').first('e.body');
      return row ?? null;
    },

    /**
     * The newest 100, oldest first. A first attempt that succeeded is stored on the delivery itself until
     * another attempt follows.
     */
    async listAttempts(endpoint: EndpointRef, deliveryId: string): Promise<Attempt[]> {
      const stored: Knex.QueryBuilder[] = [
        sql('delivery_attempts')
          .where({ organization_id: endpoint.organizationId, delivery_id: deliveryId })
          .select(sql.raw(ATTEMPT))
          .orderBy('attempt_number', 'desc')
          .limit(SHOWN_ATTEMPTS_MAX),
        of(endpoint).where({ id: deliveryId }).whereNotNull('delivered_at').select(sql.raw(FIRST_ATTEMPT)),
      ];
      return sql.unionAll(stored, true).orderBy('attemptNumber');
    },

    /**
     * Requests one attempt now, in any state. False while an attempt is under way or when there is no such
     * delivery.
     */
    async resend(endpoint: EndpointRef, id: string): Promise<boolean> {
      const count = await of(endpoint).where({ id }).whereNot({ state: 'sending' }).update({
        state: 'retrying',
        send_immediately: true,
        schedule_step: 0,
        next_attempt_at: sql.fn.now(),
        updated_at: sql.fn.now(),
      });
      return count > 0;
    },

    announceChange: (endpoint: EndpointRef) => notifyChanged(sql, endpoint),

    /**
     * Whether any delivery waits for the endpoint, queued or not. Takes as long with millions as with one.
     */
    async hasQueued(endpoint: EndpointRef): Promise<boolean> {
      const waiting: Knex.QueryBuilder[] = [
        of(endpoint).where({ state: 'pending' }),
        of(endpoint).where({ state: 'retrying' }),
        sql('delivery_replays').where(toColumns(endpoint)),
      ];
      const rows = await sql
        .unionAll(
          waiting.map((each) => each.select(sql.raw('1')).orderBy('id').limit(1)),
          true,
        )
        .limit(1);
      return rows.length > 0;
    },
  };
}
