/**
 * The outbox as senders use it. A claim is a lease on a delivery; its holder records an attempt or releases
 * the claim.
 */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';

/** A claimed delivery, with everything that an attempt needs. */
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
  /** The trace that led to the event; null without traces. */
  trace: string | null;
}

/** The number of deliveries to claim for an endpoint. */
export interface EndpointCapacity extends EndpointRef {
  capacity: number;
}

export interface PendingEndpoint extends EndpointRef {
  /** The oldest new delivery. */
  oldestId: string;
}

/** Bounds the search for a probe in a queue of any length. */
const PROBE_CANDIDATES = 100;

/** Returns a claim to the state it had before. */
const RELEASED = `leased_until = null, leased_by = null,
  state = case when d.next_attempt_at is null then 'pending' else 'retrying' end`;

const KEY = 'd.organization_id, d.endpoint_id, d.id';
/** The columns of the endpoint that an attempt needs. */
const TARGET = `ep.url, ep.secret, ep.enabled_at,
  case when ep.previous_secret_until > now() then ep.previous_secret end as previous_secret`;
const OF_ACTIVE_ENDPOINT = `from deliveries d
  join endpoints ep on ep.organization_id = d.organization_id and ep.id = d.endpoint_id and ep.status = 'active'
  where d.organization_id = :organizationId and d.endpoint_id = :endpointId`;
const LEASE = `state = 'sending', leased_until = now() + make_interval(secs => :leaseSeconds), leased_by = :ownerId`;
/** A delivery that was tried before its endpoint was last enabled restarts its schedule. */
const RETURNED = `claimed.organization_id as "organizationId", claimed.endpoint_id as "endpointId",
  claimed.id, claimed.event_id as "eventId", claimed.attempt_count as "attemptCount",
  case when claimed.updated_at < target.enabled_at then 0 else claimed.schedule_step end as "scheduleStep",
  case when claimed.updated_at < target.enabled_at then null else claimed.next_attempt_at end as "nextAttemptAt",
  target.url, target.secret, target.previous_secret as "previousSecret", event.body, event.trace`;
const CLAIMED = `${KEY}, d.event_id, d.attempt_count, d.schedule_step, d.next_attempt_at, d.updated_at`;
/** Looks up the event of each claimed delivery. */
const EVENT = `cross join lateral (
    select body, trace from events where organization_id = claimed.organization_id and id = claimed.event_id limit 1
  ) as event`;

/**
 * Leases the deliveries of one endpoint that the query `chosen` selects, with KEY and TARGET. Looks them up
 * by an array of ids: with a join by id, the planner expects a single row of deliveries newer than its
 * statistics, and would read all of them in the organization.
 */
const claimingOf = (chosen: string) => `
  with chosen as materialized (${chosen}), claimed as (
    update deliveries d set ${LEASE}
    where d.organization_id = :organizationId and d.endpoint_id = :endpointId
      and d.id = any (array(select id from chosen))
    returning ${CLAIMED}
  )
  select ${RETURNED} from claimed
  cross join (select url, secret, previous_secret, enabled_at from chosen limit 1) as target
  ${EVENT}
  order by claimed.id`;

/**
 * Leases deliveries of several endpoints in the same way. No part joins more than two tables on the
 * organization; otherwise the planner derives conditions between all of them, and looks up rows by the
 * organization alone.
 */
const claiming = (chosen: string) => `
  with chosen as materialized (${chosen}), claimed as (
    update deliveries d set ${LEASE}
    from chosen
    where d.organization_id = chosen.organization_id and d.endpoint_id = chosen.endpoint_id and d.id = chosen.id
    returning ${CLAIMED}, chosen.url, chosen.secret, chosen.previous_secret, chosen.enabled_at
  )
  select ${RETURNED} from claimed
  cross join lateral (select claimed.url, claimed.secret, claimed.previous_secret, claimed.enabled_at) as target
  ${EVENT}
  order by claimed.id`;

export type ClaimsRepository = ReturnType<typeof createClaimsRepository>;

/** Claims belong to the owner, a process, which alone records their outcome or releases them. */
export function createClaimsRepository(sql: Sql, ownerId: string) {
  return {
    /**
     * Claims new deliveries of healthy endpoints, oldest first, up to the capacity of each endpoint. `sinceIds`, one for each
     * endpoint: from which id on there may be some.
     */
    async claimNew(
      capacities: EndpointCapacity[],
      sinceIds: string[],
      leaseSeconds: number,
    ): Promise<ClaimedDelivery[]> {
      if (sql.isDistributed) {
        const claimed = capacities.map((endpoint, index) =>
          claimNewOf(endpoint, sinceIds[index] as string, leaseSeconds),
        );
        return (await Promise.all(claimed)).flat();
      }
      return queryPrepared(
        sql,
        'deliveries_claim_new',
        claiming(`
          select ${KEY}, ${TARGET}
          from unnest(:organizationIds::uuid[], :endpointIds::uuid[], :capacities::integer[], :sinceIds::uuid[])
            as n (organization_id, endpoint_id, capacity, since_id)
          join endpoints ep on ep.organization_id = n.organization_id and ep.id = n.endpoint_id
            and ep.status = 'active' and ep.breaker = 'closed'
          cross join lateral (
            select organization_id, endpoint_id, id from deliveries
            where organization_id = n.organization_id and endpoint_id = n.endpoint_id and state = 'pending'
              and id >= n.since_id
            order by id limit n.capacity for update skip locked
          ) as d`),
        {
          organizationIds: capacities.map(({ organizationId }) => organizationId),
          endpointIds: capacities.map(({ endpointId }) => endpointId),
          capacities: capacities.map(({ capacity }) => capacity),
          sinceIds,
          leaseSeconds,
          ownerId,
        },
      );
    },

    /** Claims due retries of an endpoint whose breaker is closed, oldest first. */
    claimDue(endpoint: EndpointRef, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claimingOf(`select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and ep.breaker = 'closed'
            and d.state = 'retrying' and d.next_attempt_at <= now()
          order by d.next_attempt_at, d.id limit :limit for update of d skip locked`),
        { ...endpoint, limit, leaseSeconds, ownerId },
      );
    },

    /** Time until the next retry is due; null when there is none. */
    async findMsUntilRetry(endpoint: EndpointRef): Promise<number | null> {
      const [row] = await query<{ waitMs: number }>(
        sql,
        `select (extract(epoch from n.next_attempt_at - now()) * 1000)::float8 as "waitMs" from endpoints ep
         cross join lateral (
           select next_attempt_at from deliveries
           where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
           order by next_attempt_at limit 1
         ) as n
         where ep.organization_id = :organizationId and ep.id = :endpointId and ep.status = 'active'
           and ep.breaker = 'closed'`,
        { ...endpoint },
      );
      return row?.waitMs ?? null;
    },

    /**
     * Claims deliveries that a customer asked to send immediately, regardless of the health of the endpoint.
     */
    claimImmediate(endpoint: EndpointRef, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claimingOf(`select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and d.state = 'retrying' and d.send_immediately
          order by d.id limit :limit for update of d skip locked`),
        { ...endpoint, limit, leaseSeconds, ownerId },
      );
    },

    /**
     * Claims one delivery to probe the receiver: a new one, or else the one with the oldest last attempt.
     * Always probing with the oldest delivery could keep the breaker open forever, if the receiver never
     * accepts that one.
     */
    claimProbe(endpoint: EndpointRef, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claimingOf(`
          select * from (
            select * from (
              select ${KEY}, ${TARGET}, null::timestamptz as tried_at ${OF_ACTIVE_ENDPOINT} and d.state = 'pending'
              order by d.id limit 1 for update of d skip locked
            ) as untried
            union all select * from (
              select ${KEY}, ${TARGET}, d.updated_at as tried_at ${OF_ACTIVE_ENDPOINT} and d.state = 'retrying'
                and d.id = any (array(
                  select id from deliveries
                  where organization_id = :organizationId and endpoint_id = :endpointId and state = 'retrying'
                  order by next_attempt_at limit ${PROBE_CANDIDATES}))
              order by d.updated_at limit 1 for update of d skip locked
            ) as tried
          ) as candidates order by tried_at nulls first limit 1`),
        { ...endpoint, leaseSeconds, ownerId },
      );
    },

    /**
     * Claims the next deliveries of a drain, oldest first: new ones, due ones, and those last tried before
     * the receiver came back. A delivery that has failed again since then waits for its own retry, and delays
     * no other.
     */
    claimBacklog(endpoint: EndpointRef, limit: number, leaseSeconds: number): Promise<ClaimedDelivery[]> {
      return query(
        sql,
        claimingOf(`
          select * from (
            select * from (
              select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and ep.breaker = 'draining' and d.state = 'pending'
              order by d.id limit :limit for update of d skip locked
            ) as untried
            union all select * from (
              select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and ep.breaker = 'draining' and d.state = 'retrying'
                and (d.next_attempt_at <= now() or d.updated_at < ep.recovered_at)
              order by d.id limit :limit for update of d skip locked
            ) as tried
          ) as backlog order by id limit :limit`),
        { ...endpoint, limit, leaseSeconds, ownerId },
      );
    },

    /** Endpoints of all organizations with new deliveries since the id; makes up for lost notifications. */
    listPendingEndpoints(sinceId: string): Promise<PendingEndpoint[]> {
      return queryPrepared(
        sql,
        'endpoints_list_pending',
        `select ep.organization_id as "organizationId", ep.id as "endpointId", pending.id as "oldestId" from endpoints ep
         cross join lateral (
           -- In the order of the index: one row of many is otherwise expected to be found sooner by reading the table.
           select d.id from deliveries d
           where d.organization_id = ep.organization_id and d.endpoint_id = ep.id and d.state = 'pending'
             and d.id >= :sinceId
           order by d.id limit 1
         ) as pending
         where ep.status = 'active' and ep.breaker = 'closed'`,
        { sinceId },
      );
    },

    /** Releases claims that were not attempted. */
    async release(claims: ReadonlyArray<EndpointRef & { id: string }>): Promise<void> {
      if (claims.length === 0) return;
      await query(
        sql,
        `update deliveries d set ${RELEASED}
         from unnest(:organizationIds::uuid[], :endpointIds::uuid[], :ids::uuid[]) as n (organization_id, endpoint_id, id)
         where d.organization_id = n.organization_id and d.endpoint_id = n.endpoint_id and d.id = n.id
           and d.leased_by = :ownerId`,
        {
          organizationIds: claims.map(({ organizationId }) => organizationId),
          endpointIds: claims.map(({ endpointId }) => endpointId),
          ids: claims.map(({ id }) => id),
          ownerId,
        },
      );
    },

    /**
     * Releases claims of processes that died, of all organizations, whose lease ran out since the time; deliveries_leases_idx
     * finds them by it. No lease lasts an hour: one that ends later was begun while the clock of the database was ahead.
     */
    async releaseExpired(since: Date): Promise<void> {
      await queryPrepared(
        sql,
        'deliveries_release_expired',
        `update deliveries d set ${RELEASED} where d.state = 'sending'
           and (d.leased_until >= :since and d.leased_until < now() or d.leased_until > now() + interval '1 hour')`,
        { since },
      );
    },
  };

  /** Where tables are distributed, each claim names one endpoint. */
  function claimNewOf(
    endpoint: EndpointCapacity,
    sinceId: string,
    leaseSeconds: number,
  ): Promise<ClaimedDelivery[]> {
    return queryPrepared(
      sql,
      'deliveries_claim_new_of_endpoint',
      claimingOf(`select ${KEY}, ${TARGET} ${OF_ACTIVE_ENDPOINT} and ep.breaker = 'closed' and d.state = 'pending'
          and d.id >= :sinceId
        order by d.id limit :capacity for update of d skip locked`),
      { ...endpoint, sinceId, leaseSeconds, ownerId },
    );
  }
}
