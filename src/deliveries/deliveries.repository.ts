/** The outbox as it is filled, and as customers see it; those who send take from it by claims. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { OutgoingEvent } from '../events/events.service.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { IDS_PER_NOTIFICATION, notifyChanged, QUEUED_CHANNEL } from './delivery-notifications.repository.ts';

export interface DeliveryScope {
  organizationId: string;
  endpointId: string;
}

const VIEW = `id, event_id as "eventId", event_type as "eventType", state, attempt_count as "attemptCount",
  next_attempt_at as "nextAttemptAt", last_status_code as "lastStatusCode", last_error as "lastError"`;

export type DeliveriesRepository = ReturnType<typeof createDeliveriesRepository>;

export function createDeliveriesRepository(sql: Sql) {
  return {
    /**
     * Writes each event once, and a delivery for every endpoint that wants it: none, no row. Endpoints that fail get
     * theirs held. Wakes the dispatchers when the transaction commits.
     */
    async insert(events: OutgoingEvent[]): Promise<void> {
      await queryPrepared(
        sql,
        'deliveries_insert',
        `with e as materialized (
           select uuidv7() as id, * from unnest(?::uuid[], ?::text[], ?::text[]) as e (organization_id, type, body)
         ), wanted as (
           select e.id as event_id, e.type, w.id as endpoint_id, w.organization_id, w.status
           from e join endpoints w on w.organization_id = e.organization_id and e.type = any(w.events)
           where w.status = 'active' or w.disabled_reason = 'failing'
           -- In the order of the events, as they are then sent.
           order by e.id for key share of w
         ), kept as (
           insert into events (id, organization_id, type, body)
           select id, organization_id, type, body from e where id in (select event_id from wanted)
         ), queued as (
           insert into deliveries (endpoint_id, organization_id, event_id, event_type, state)
           select endpoint_id, organization_id, event_id, type,
             case status when 'active' then 'pending' else 'held' end
           from wanted returning endpoint_id, state
         )
         select pg_notify('${QUEUED_CHANNEL}', string_agg(endpoint_id::text, ','))
         from (
           select endpoint_id, (row_number() over () - 1) / ${IDS_PER_NOTIFICATION} as notice
           from (select distinct endpoint_id from queued where state = 'pending') as woken
         ) as notices
         group by notice`,
        [
          events.map(({ organizationId }) => organizationId),
          events.map(({ type }) => type),
          events.map(({ body }) => body),
        ],
      );
    },

    async list(
      { organizationId, endpointId }: DeliveryScope,
      page: { state: string | null; before: string | null; limit: number },
    ): Promise<Delivery[]> {
      const states = page.state === 'pending' ? ['pending', 'sending'] : [page.state];
      return query(
        sql,
        `select ${VIEW} from deliveries
         where organization_id = ? and endpoint_id = ? and (?::text is null or state = any(?::text[]))
           and (?::uuid is null or id < ?) order by id desc limit ?`,
        [organizationId, endpointId, page.state, states, page.before, page.before, page.limit],
      );
    },

    async find(
      { organizationId, endpointId }: DeliveryScope,
      id: string,
    ): Promise<(Delivery & { body: string }) | null> {
      const [row] = await query<Delivery & { body: string }>(
        sql,
        `select d.*, e.body from (
           select ${VIEW} from deliveries where organization_id = ? and endpoint_id = ? and id = ?
         ) as d join events e on e.id = d."eventId"`,
        [organizationId, endpointId, id],
      );
      return row ?? null;
    },

    listAttempts(endpointId: string, deliveryId: string): Promise<Attempt[]> {
      return query(
        sql,
        `select attempt_number as number, attempted_at as at, duration_ms as "durationMs", status_code as "statusCode", error,
           response_excerpt as "responseExcerpt"
         from delivery_attempts where delivery_id = ?
         union all
         select 1, delivered_at, first_attempt_duration_ms, last_status_code, null, first_attempt_excerpt
         from deliveries where endpoint_id = ? and id = ? and delivered_at is not null
         order by number`,
        [deliveryId, endpointId, deliveryId],
      );
    },

    /** One attempt now, whatever came before; false while one is under way or there is no such delivery. */
    async resend({ organizationId, endpointId }: DeliveryScope, id: string): Promise<boolean> {
      const rows = await query(
        sql,
        `update deliveries set state = 'retrying', send_immediately = true, schedule_step = 0, next_attempt_at = now(),
           updated_at = now()
         where organization_id = ? and endpoint_id = ? and id = ? and state <> 'sending' returning 1`,
        [organizationId, endpointId, id],
      );
      return rows.length > 0;
    },

    /** Everything of the span goes out again with its whole schedule; answers with how many. */
    async replay(
      { organizationId, endpointId }: DeliveryScope,
      span: { firstId: string; endId: string; states: string[] },
    ): Promise<number> {
      const rows = await query(
        sql,
        `update deliveries set state = 'retrying', schedule_step = 0, next_attempt_at = now(), updated_at = now()
         where organization_id = ? and endpoint_id = ? and id >= ? and id < ? and state = any(?::text[]) returning 1`,
        [organizationId, endpointId, span.firstId, span.endId, span.states],
      );
      return rows.length;
    },

    announceChange: (endpointId: string) => notifyChanged(sql, endpointId),

    /** What is queued at an endpoint goes over into another state; answers with how many. Released: the whole schedule. */
    async moveQueued(
      endpointId: string,
      from: string[],
      to: 'held' | 'pending' | 'cancelled',
    ): Promise<number> {
      const rows = await query(
        sql,
        `update deliveries set state = ?, next_attempt_at = null, leased_until = null, updated_at = now(),
           schedule_step = case ? when 'pending' then 0 else schedule_step end
         where endpoint_id = ? and state = any(?::text[]) returning 1`,
        [to, to, endpointId, from],
      );
      return rows.length;
    },
  };
}
