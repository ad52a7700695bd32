/** The outbox as those who send take from it. Claims are leases; whoever holds one records what came of it. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { Delivery } from './delivery.ts';

/** A delivery in hand, with all that an attempt needs. */
export interface ClaimedDelivery {
  id: string;
  endpointId: string;
  organizationId: string;
  eventId: string;
  attemptCount: number;
  scheduleStep: number;
  nextAttemptAt: Date | null;
  url: string;
  secret: Buffer | null;
  previousSecret: Buffer | null;
  body: string;
}

export interface RecordedAttempt {
  organizationId: string;
  endpointId: string;
  deliveryId: string;
  number: number;
  at: Date;
  durationMs: number;
  statusCode: number | null;
  error: string | null;
  responseExcerpt: string | null;
  state: Delivery['state'];
  scheduleStep: number;
  nextAttemptAt: Date | null;
}

const CLAIMED = `c.id, c.endpoint_id as "endpointId", c.organization_id as "organizationId", c.event_id as "eventId",
  c.attempt_count as "attemptCount", c.schedule_step as "scheduleStep", c.next_attempt_at as "nextAttemptAt",
  w.url, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as "previousSecret", e.body`;

/** A look must not take long, whatever a disabled endpoint has queued; the next one goes on. */
const STRAYS_AT_ONCE = 1_000;

/** So many of the next in line are looked at for a probe, however long the line is. */
const PROBE_CANDIDATES = 100;

/** Where a claim goes back to that came to nothing; what was queued for a disabled endpoint is held. */
const GIVEN_BACK = `leased_until = null,
  state = case when w.status = 'disabled' then 'held' when d.next_attempt_at is null then 'pending' else 'retrying' end,
  next_attempt_at = case w.status when 'disabled' then null else d.next_attempt_at end`;
const IS_ACTIVE = `exists (select from endpoints w where w.id = d.endpoint_id and w.status = 'active')`;

/** Takes what `chosen` names (endpoint_id, id) under a lease. */
const claiming = (chosen: string) => `
  with chosen as materialized (${chosen}), c as (
    update deliveries d set state = 'sending', leased_until = now() + make_interval(secs => ?), send_immediately = false
    from chosen where d.endpoint_id = chosen.endpoint_id and d.id = chosen.id
    returning d.*
  )
  select ${CLAIMED} from c join endpoints w on w.id = c.endpoint_id join events e on e.id = c.event_id
  order by c.id`;

export type ClaimsRepository = ReturnType<typeof createClaimsRepository>;

export function createClaimsRepository(sql: Sql) {
  return {
    /** New deliveries of healthy endpoints, oldest first, as many as each has room for. */
    claimNew(rooms: ReadonlyMap<string, number>, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return queryPrepared(
        sql,
        'deliveries_claim_new',
        claiming(`
          select p.endpoint_id, p.id
          from unnest(?::uuid[], ?::integer[]) as r (endpoint_id, room)
          join endpoints w on w.id = r.endpoint_id and w.status = 'active' and w.breaker = 'closed'
          cross join lateral (
            select endpoint_id, id from deliveries
            where endpoint_id = r.endpoint_id and state = 'pending' order by id limit r.room for update skip locked
          ) as p`),
        [[...rooms.keys()], [...rooms.values()], leaseSeconds],
      );
    },

    /** Retries of one endpoint that are due, oldest first. */
    claimDue(endpointId: string, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`select endpoint_id, id from deliveries d
          where endpoint_id = ? and state = 'retrying' and next_attempt_at <= now() and ${IS_ACTIVE}
          order by next_attempt_at, id limit ? for update skip locked`),
        [endpointId, limit, leaseSeconds],
      );
    },

    /** What was asked for at once, whatever the health of the endpoint. */
    claimImmediate(endpointId: string, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`select endpoint_id, id from deliveries d
          where endpoint_id = ? and state = 'retrying' and send_immediately and ${IS_ACTIVE}
          order by id limit ? for update skip locked`),
        [endpointId, limit, leaseSeconds],
      );
    },

    /**
     * One that waits, to see whether the receiver is back: a new one, or else the one whose last attempt is longest
     * ago. Not the oldest each time: one that its receiver never takes would stand before all others for ever.
     */
    claimProbe(endpointId: string, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`
          select endpoint_id, id from (
            select * from (
              select endpoint_id, id, null::timestamptz as at from deliveries d
              where endpoint_id = ? and state = 'pending' and ${IS_ACTIVE}
              order by id limit 1 for update skip locked
            ) as untried
            union all select * from (
              select endpoint_id, id, updated_at as at from deliveries d
              where endpoint_id = ? and state = 'retrying' and ${IS_ACTIVE} and id = any (array(
                select id from deliveries where endpoint_id = ? and state = 'retrying'
                order by next_attempt_at limit ${PROBE_CANDIDATES}))
              order by updated_at limit 1 for update skip locked
            ) as tried
          ) as both_kinds order by at nulls first limit 1`),
        [endpointId, endpointId, endpointId, leaseSeconds],
      );
    },

    /**
     * The next of a drain, oldest first: what is new, what is due, and what was last tried before the receiver came
     * back. What fails again since then waits for its own time, so it does not stop the others.
     */
    claimBacklog(endpointId: string, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`
          select endpoint_id, id from (
            select * from (
              select endpoint_id, id from deliveries d
              where endpoint_id = ? and state = 'pending' and ${IS_ACTIVE}
              order by id limit ? for update skip locked
            ) as untried
            union all select * from (
              select d.endpoint_id, d.id from deliveries d join endpoints w on w.id = d.endpoint_id
              where d.endpoint_id = ? and d.state = 'retrying' and w.status = 'active'
                and (d.next_attempt_at <= now() or d.updated_at < w.recovered_at)
              order by d.id limit ? for update of d skip locked
            ) as tried
          ) as both_kinds order by id limit ?`),
        [endpointId, limit, endpointId, limit, limit, leaseSeconds],
      );
    },

    /** What came to rest as queued while its endpoint was being disabled is held like the rest. */
    async holdOrphanedDeliveries(): Promise<void> {
      await queryPrepared(
        sql,
        'deliveries_hold_strays',
        `with strays as materialized (
           select d.endpoint_id, d.id from endpoints w
           join deliveries d on d.endpoint_id = w.id and d.state in ('pending', 'retrying')
           where w.status = 'disabled' limit ${STRAYS_AT_ONCE} for update of d skip locked
         )
         update deliveries d set state = 'held', next_attempt_at = null, updated_at = now()
         from strays s where d.endpoint_id = s.endpoint_id and d.id = s.id`,
      );
    },

    /** Endpoints that have new deliveries, found without reading them. */
    async listPendingWebhookIds(): Promise<string[]> {
      const rows = await queryPrepared<{ endpointId: string }>(
        sql,
        'deliveries_pending_webhooks',
        `select w.id as "endpointId" from endpoints w
         where w.status = 'active' and w.breaker = 'closed'
           and exists (select from deliveries d where d.endpoint_id = w.id and d.state = 'pending')`,
      );
      return rows.map(({ endpointId }) => endpointId);
    },

    /**
     * What attempts came to; one statement, so all of it or nothing. The one that delivers at once is told by the
     * delivery; it gets its row when another one follows.
     */
    async record(attempts: RecordedAttempt[]): Promise<void> {
      const column = <T>(value: (attempt: RecordedAttempt) => T) => attempts.map(value);
      await queryPrepared(
        sql,
        'deliveries_record',
        `with a as (
           select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::integer[], ?::timestamptz[], ?::integer[], ?::integer[],
             ?::text[], ?::text[], ?::text[], ?::smallint[], ?::timestamptz[])
           as a (organization_id, endpoint_id, delivery_id, number, at, duration_ms, status_code, error, excerpt, state, step, next_at)
         ), logged as (
           insert into delivery_attempts
             (organization_id, delivery_id, attempt_number, attempted_at, duration_ms, status_code, error, response_excerpt)
           select organization_id, delivery_id, number, at, duration_ms, status_code, error, excerpt from a
           where not (number = 1 and state = 'delivered')
           union all
           select d.organization_id, d.id, 1, d.delivered_at, d.first_attempt_duration_ms, d.last_status_code, null,
             d.first_attempt_excerpt
           from a join deliveries d on d.organization_id = a.organization_id and d.endpoint_id = a.endpoint_id and d.id = a.delivery_id
           where a.number > 1 and d.delivered_at is not null
           on conflict do nothing
         )
         update deliveries d set
           state = case when a.state = 'retrying' and w.status = 'disabled' then 'held' else a.state end,
           attempt_count = a.number, schedule_step = a.step, leased_until = null,
           next_attempt_at = case w.status when 'disabled' then null else a.next_at end,
           last_status_code = a.status_code, last_error = a.error, updated_at = now(),
           delivered_at = case when a.at_once then a.at end,
           first_attempt_duration_ms = case when a.at_once then a.duration_ms end,
           first_attempt_excerpt = case when a.at_once then a.excerpt end
         from (select *, number = 1 and state = 'delivered' as at_once from a) as a
         left join endpoints w on w.organization_id = a.organization_id and w.id = a.endpoint_id
         -- What is leased is being sent. Asked for the state, the planner reads all of that state, in place of these.
         where d.organization_id = a.organization_id and d.endpoint_id = a.endpoint_id and d.id = a.delivery_id
           and d.leased_until is not null`,
        [
          column((each) => each.organizationId),
          column((each) => each.endpointId),
          column((each) => each.deliveryId),
          column((each) => each.number),
          column((each) => each.at.toISOString()),
          column((each) => each.durationMs),
          column((each) => each.statusCode),
          column((each) => each.error),
          column((each) => each.responseExcerpt),
          column((each) => each.state),
          column((each) => each.scheduleStep),
          column((each) => each.nextAttemptAt?.toISOString() ?? null),
        ],
      );
    },

    /** Gives claims back unattempted: a stop came in between. */
    async release(
      claims: Array<{ endpointId: string; id: string; nextAttemptAt: Date | null }>,
    ): Promise<void> {
      if (claims.length === 0) return;
      await query(
        sql,
        `update deliveries d set ${GIVEN_BACK}
         from unnest(?::uuid[], ?::uuid[]) as c (endpoint_id, id) join endpoints w on w.id = c.endpoint_id
         where d.endpoint_id = c.endpoint_id and d.id = c.id and d.leased_until is not null`,
        [claims.map(({ endpointId }) => endpointId), claims.map(({ id }) => id)],
      );
    },

    /** Claims whose holder is gone go back to where they were; answers with their endpoints. */
    async releaseExpired(): Promise<string[]> {
      const rows = await queryPrepared<{ endpointId: string }>(
        sql,
        'deliveries_release_expired',
        `update deliveries d set ${GIVEN_BACK} from endpoints w
         where w.id = d.endpoint_id and d.state = 'sending' and d.leased_until < now()
         returning d.endpoint_id as "endpointId"`,
      );
      return [...new Set(rows.map(({ endpointId }) => endpointId))];
    },
  };
}
