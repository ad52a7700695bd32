/** The outbox as senders use it. A claim is a lease on a delivery; its holder records an attempt or releases it. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';

/** A claimed delivery, with all that an attempt needs. */
export interface ClaimedDelivery extends EndpointRef {
  id: string;
  eventId: string;
  attemptCount: number;
  scheduleStep: number;
  nextAttemptAt: Date | null;
  url: string;
  /** Encrypted, like the previous one. */
  secret: Buffer | null;
  previousSecret: Buffer | null;
  body: string;
}

/** How many deliveries to claim for an endpoint. */
export interface EndpointCapacity extends EndpointRef {
  capacity: number;
}

/** Bounds one statement, however much a disabled endpoint has queued; the next poll continues. */
const ORPHANED_PER_STATEMENT = 1_000;

/** Bounds the look-up of a probe, however long the queue is. */
const PROBE_CANDIDATES = 100;

/** Returns a claim to the state it had before; what is queued for a disabled endpoint is held. */
const RELEASED = `leased_until = null,
  state = case when ep.status = 'disabled' then 'held' when d.next_attempt_at is null then 'pending' else 'retrying' end,
  next_attempt_at = case ep.status when 'disabled' then null else d.next_attempt_at end`;

const KEY = 'd.organization_id, d.endpoint_id, d.id';
/** What an attempt needs of the endpoint. */
const TARGET = `ep.url, ep.secret,
  case when ep.previous_secret_until > now() then ep.previous_secret end as previous_secret`;
const OF_ACTIVE_ENDPOINT = `from deliveries d
  join endpoints ep on ep.organization_id = d.organization_id and ep.id = d.endpoint_id and ep.status = 'active'
  where d.organization_id = ? and d.endpoint_id = ?`;

/**
 * Leases the deliveries that the query \`chosen\` selects, with KEY and TARGET. No part joins more than two tables on the
 * organization: the planner would derive conditions between all of them, and look up rows by the organization alone.
 */
const claiming = (chosen: string) => `
  with chosen as materialized (${chosen}), claimed as (
    update deliveries d set state = 'sending', leased_until = now() + make_interval(secs => ?), send_immediately = false
    from chosen
    where d.organization_id = chosen.organization_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.id
    returning ${KEY}, d.event_id, d.attempt_count, d.schedule_step, d.next_attempt_at,
      chosen.url, chosen.secret, chosen.previous_secret
  )
  select c.organization_id as "organizationId", c.endpoint_id as "endpointId", c.id, c.event_id as "eventId",
    c.attempt_count as "attemptCount", c.schedule_step as "scheduleStep", c.next_attempt_at as "nextAttemptAt",
    c.url, c.secret, c.previous_secret as "previousSecret", e.body
  from claimed c join events e on e.organization_id = c.organization_id and e.id = c.event_id
  order by c.id`;

const toBindings = ({ organizationId, endpointId }: EndpointRef) => [organizationId, endpointId];

export type ClaimsRepository = ReturnType<typeof createClaimsRepository>;

export function createClaimsRepository(sql: Sql) {
  return {
    /** New deliveries of healthy endpoints, oldest first, for each endpoint as many as its capacity. */
    claimNew(capacities: EndpointCapacity[], leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return queryPrepared(
        sql,
        'deliveries_claim_new',
        claiming(`
          select ${KEY}, ${TARGET}
          from unnest(?::uuid[], ?::uuid[], ?::integer[]) as n (organization_id, endpoint_id, capacity)
          join endpoints ep on ep.organization_id = n.organization_id and ep.id = n.endpoint_id
            and ep.status = 'active' and ep.breaker = 'closed'
          cross join lateral (
            select organization_id, endpoint_id, id from deliveries
            where organization_id = n.organization_id and endpoint_id = n.endpoint_id and state = 'pending'
            order by id limit n.capacity for update skip locked
          ) as d`),
        [
          capacities.map(({ organizationId }) => organizationId),
          capacities.map(({ endpointId }) => endpointId),
          capacities.map(({ capacity }) => capacity),
          leaseSeconds,
        ],
      );
    },

    /** Retries of one endpoint that are due, oldest first. */
    claimDue(endpoint: EndpointRef, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and d.state = 'retrying' and d.next_attempt_at <= now()
          order by d.next_attempt_at, d.id limit ? for update of d skip locked`),
        [...toBindings(endpoint), limit, leaseSeconds],
      );
    },

    /** What a customer asked to send immediately, whatever the health of the endpoint. */
    claimImmediate(endpoint: EndpointRef, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and d.state = 'retrying' and d.send_immediately
          order by d.id limit ? for update of d skip locked`),
        [...toBindings(endpoint), limit, leaseSeconds],
      );
    },

    /**
     * One delivery to find out whether the receiver is back: a new one, or else the one whose last attempt is longest
     * ago. Not always the oldest: one that its receiver never accepts would keep the breaker open forever.
     */
    claimProbe(endpoint: EndpointRef, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`
          select * from (
            select * from (
              select ${KEY}, ${TARGET}, null::timestamptz as tried_at ${OF_ACTIVE_ENDPOINT} and d.state = 'pending'
              order by d.id limit 1 for update of d skip locked
            ) as untried
            union all select * from (
              select ${KEY}, ${TARGET}, d.updated_at as tried_at ${OF_ACTIVE_ENDPOINT} and d.state = 'retrying'
                and d.id = any (array(
                  select id from deliveries where organization_id = ? and endpoint_id = ? and state = 'retrying'
                  order by next_attempt_at limit ${PROBE_CANDIDATES}))
              order by d.updated_at limit 1 for update of d skip locked
            ) as tried
          ) as candidates order by tried_at nulls first limit 1`),
        [...toBindings(endpoint), ...toBindings(endpoint), ...toBindings(endpoint), leaseSeconds],
      );
    },

    /**
     * The next of a drain, oldest first: what is new, what is due, and what was last tried before the receiver came
     * back. What has failed again since then waits for its own retry, so it does not stop the others.
     */
    claimBacklog(endpoint: EndpointRef, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claiming(`
          select * from (
            select * from (
              select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and d.state = 'pending'
              order by d.id limit ? for update of d skip locked
            ) as untried
            union all select * from (
              select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and d.state = 'retrying'
                and (d.next_attempt_at <= now() or d.updated_at < ep.recovered_at)
              order by d.id limit ? for update of d skip locked
            ) as tried
          ) as backlog order by id limit ?`),
        [...toBindings(endpoint), limit, ...toBindings(endpoint), limit, limit, leaseSeconds],
      );
    },

    /**
     * Holds deliveries that were queued or released while their endpoint was being disabled. Looks at the disabled
     * endpoints of all organizations: nothing else points to such deliveries.
     */
    async holdOrphanedDeliveries(): Promise<void> {
      await queryPrepared(
        sql,
        'deliveries_hold_orphaned',
        `with orphaned as materialized (
           select ${KEY} from endpoints ep
           join deliveries d on d.organization_id = ep.organization_id and d.endpoint_id = ep.id
             and d.state in ('pending', 'retrying')
           where ep.status = 'disabled' limit ${ORPHANED_PER_STATEMENT} for update of d skip locked
         )
         update deliveries d set state = 'held', next_attempt_at = null, updated_at = now()
         from orphaned o
         where d.organization_id = o.organization_id and d.endpoint_id = o.endpoint_id and d.id = o.id`,
      );
    },

    /** Endpoints of all organizations that have new deliveries; makes up for notifications that were lost. */
    listPendingEndpoints(): Promise<EndpointRef[]> {
      return queryPrepared(
        sql,
        'endpoints_list_pending',
        `select ep.organization_id as "organizationId", ep.id as "endpointId" from endpoints ep
         where ep.status = 'active' and ep.breaker = 'closed'
           and exists (
             select from deliveries d
             where d.organization_id = ep.organization_id and d.endpoint_id = ep.id and d.state = 'pending')`,
      );
    },

    /** Releases claims that were not attempted. */
    async release(claims: ReadonlyArray<EndpointRef & { id: string }>): Promise<void> {
      if (claims.length === 0) return;
      await query(
        sql,
        `with ep as materialized (
           select n.*, endpoints.status
           from unnest(?::uuid[], ?::uuid[], ?::uuid[]) as n (organization_id, endpoint_id, id)
           join endpoints on endpoints.organization_id = n.organization_id and endpoints.id = n.endpoint_id
         )
         update deliveries d set ${RELEASED} from ep
         where d.organization_id = ep.organization_id and d.endpoint_id = ep.endpoint_id and d.id = ep.id
           and d.leased_until is not null`,
        [
          claims.map(({ organizationId }) => organizationId),
          claims.map(({ endpointId }) => endpointId),
          claims.map(({ id }) => id),
        ],
      );
    },

    /** Releases the claims of processes that died, of all organizations; deliveries_leases_idx finds them by time. */
    async releaseExpired(): Promise<void> {
      await queryPrepared(
        sql,
        'deliveries_release_expired',
        `update deliveries d set ${RELEASED} from endpoints ep
         where ep.organization_id = d.organization_id and ep.id = d.endpoint_id
           and d.state = 'sending' and d.leased_until < now()`,
      );
    },
  };
}
