/** Text: outcomes of many attempts at once, and counts of queues, each by the order of an index. */
import { HEALTH_STATE } from './shown-health.ts';

/**
 * Evaluated on the current row version, after any wait for its lock. Locking the rows first, in a part of the same
 * statement, would deadlock with statements that wait for the same rows.
 */
const IS_LATEST = 'a.attempted_at >= coalesce(ep.last_attempt_at, a.attempted_at)';

const COUNTED_MAX = 10_000;
const OF_ENDPOINT = 'organization_id = ep.organization_id and endpoint_id = ep.id';

/**
 * Whether an endpoint `ep` has such a delivery, by the index in whose order it is asked for. With `exists`, one row of
 * many is expected to be found soonest by reading the table.
 */
const isAny = (condition: string, order: string) => `coalesce((
  select true from deliveries d where d.organization_id = ep.organization_id and d.endpoint_id = ep.id and ${condition}
  order by ${order} limit 1), false)`;

/**
 * A success ends the failing, even when it is recorded late: a failure that is newer than the success is the beginning of
 * another one. A failure of a former URL begins none. Statements that write several rows of hours lock them in one order.
 */
export const RECORD_LAST_ATTEMPTS = `
  with a as materialized (
    select * from unnest(:organizationIds::uuid[], :endpointIds::uuid[], :urls::text[], :attemptedAt::timestamptz[],
      :statuses::text[], :statusCodes::integer[], :errors::text[], :delivered::integer[], :failed::integer[],
      :durationsMs::bigint[], :durationMaxMs::integer[])
    as a (organization_id, endpoint_id, url, attempted_at, status, status_code, error, delivered, failed, duration_ms,
      duration_max_ms)
  ), counted as (
    insert into endpoint_hours as h
      (organization_id, endpoint_id, slot, hour, delivered, failed, duration_ms, duration_max_ms)
    select organization_id, endpoint_id, extract(epoch from hour)::bigint / 3600 % 168, hour, delivered, failed,
      duration_ms, duration_max_ms
    from (select *, date_bin('1 hour', attempted_at, 'epoch') as hour from a) as attempts
    order by organization_id, endpoint_id
    on conflict on constraint endpoint_hours_pkey do update set
      hour = excluded.hour,
      delivered = case when h.hour = excluded.hour then h.delivered else 0 end + excluded.delivered,
      failed = case when h.hour = excluded.hour then h.failed else 0 end + excluded.failed,
      duration_ms = case when h.hour = excluded.hour then h.duration_ms else 0 end + excluded.duration_ms,
      duration_max_ms = greatest(case when h.hour = excluded.hour then h.duration_max_ms end, excluded.duration_max_ms)
    where h.hour <= excluded.hour
  )
  update endpoints ep set last_attempt_at = greatest(ep.last_attempt_at, a.attempted_at),
    last_status = case when ${IS_LATEST} then a.status else ep.last_status end,
    last_status_code = case when ${IS_LATEST} then a.status_code else ep.last_status_code end,
    last_error = case when ${IS_LATEST} then a.error else ep.last_error end,
    last_delivered_at = case when a.status = 'delivered' then greatest(ep.last_delivered_at, a.attempted_at)
      else ep.last_delivered_at end,
    failing_since = case
      when a.status <> 'delivered' then
        case when a.attempted_at <= ep.last_delivered_at or a.url <> ep.url then ep.failing_since
          else coalesce(ep.failing_since, a.attempted_at) end
      when ${IS_LATEST} then null
      when ep.failing_since <= a.attempted_at then ep.last_attempt_at
      else ep.failing_since end
  from a where ep.organization_id = a.organization_id and ep.id = a.endpoint_id`;

/** Reads a bounded number of rows, however many are queued. chr(63) is the question mark, which would be read as a binding. */
export const FIND_RECOVERY_STATE = `
  select o.name as "organizationName", ep.status, ep.disabled_reason as "disabledReason", ep.breaker,
    split_part(split_part(split_part(ep.url, '//', 2), '/', 1), chr(63), 1) as host, ep.failing_since as "failingSince",
    ep.next_probe_at as "nextProbeAt", ep.last_error as "lastError",
    p.pending, r.retrying, n.next_attempt_at as "nextRetryAt", now() as now,
    ${isAny("d.state = 'retrying' and d.send_immediately", 'd.id')} as "hasImmediate",
    exists (select from delivery_replays q
      where q.organization_id = ep.organization_id and q.endpoint_id = ep.id) as "hasUnqueued"
  from endpoints ep
  join organizations o on o.id = ep.organization_id
  cross join lateral (
    select count(*) as pending from (
      select 1 from deliveries
      where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'pending'
      order by id limit ${COUNTED_MAX}) as counted
  ) as p
  cross join lateral (
    select count(*) as retrying from (
      select 1 from deliveries
      where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
      order by next_attempt_at limit ${COUNTED_MAX}) as counted
  ) as r
  left join lateral (
    select next_attempt_at from deliveries
    where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
    order by next_attempt_at limit 1
  ) as n on true
  where ep.organization_id = :organizationId and ep.id = :endpointId and ep.deleted_at is null`;

/** Bounded counts of the queue of each endpoint of a page, and its first rows. */
export const LIST_SHOWN = `
  select ep.id as "endpointId", ${HEALTH_STATE} as state,
    case ${HEALTH_STATE}
      when 'disabled' then coalesce(ep.disabled_at, ep.updated_at)
      when 'recovering' then coalesce(ep.draining_since, ep.recovered_at, ep.enabled_at, ep.updated_at)
      when 'failing' then coalesce(ep.failing_since, ep.last_attempt_at, ep.updated_at) end as since,
    q.backlog, oldest.at as "oldestPendingAt",
    case when ep.status = 'disabled' then null when ep.breaker = 'open' then ep.next_probe_at
      else n.next_attempt_at end as "nextAttemptAt"
  from endpoints ep
  cross join lateral (
    select count(*) as backlog from (
      select from (
        (select 1 from deliveries where ${OF_ENDPOINT} and state = 'pending' order by id limit ${COUNTED_MAX})
        union all
        (select 1 from deliveries where ${OF_ENDPOINT} and state = 'retrying' order by id limit ${COUNTED_MAX})
      ) as waiting limit ${COUNTED_MAX}
    ) as counted
  ) as q
  cross join lateral (
    select least(
      (select uuid_extract_timestamp(id) from deliveries
        where ${OF_ENDPOINT} and state = 'pending' order by id limit 1),
      (select uuid_extract_timestamp(id) from deliveries
        where ${OF_ENDPOINT} and state = 'retrying' order by id limit 1)) as at
  ) as oldest
  left join lateral (
    select next_attempt_at from deliveries where ${OF_ENDPOINT} and state = 'retrying'
    order by next_attempt_at limit 1
  ) as n on true
  where ep.organization_id = :organizationId and ep.id = any(:endpointIds::uuid[])`;

/** Over all organizations. Looks up the oldest due delivery of each active endpoint once. */
export const COUNT_BY_STATE = `
  with counted as materialized (
    select status, breaker, deleted_at, case when status = 'active' then least(
      (select uuid_extract_timestamp(id) from deliveries
        where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'pending'
        order by id limit 1),
      (select next_attempt_at from deliveries
        where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
          and next_attempt_at <= now()
        order by next_attempt_at limit 1)) end as due_since
    from endpoints ep
  )
  select count(*) filter (where status = 'active' and breaker = 'closed') as closed,
    count(*) filter (where status = 'active' and breaker = 'open') as open,
    count(*) filter (where status = 'active' and breaker = 'draining') as draining,
    count(*) filter (where status = 'disabled' and deleted_at is null) as disabled,
    coalesce(extract(epoch from now() - min(due_since)), 0)::float8 as "oldestDueSeconds",
    coalesce(extract(epoch from now() - min(due_since) filter (where breaker = 'closed')), 0)::float8 as "delaySeconds"
  from counted`;

/** Whether the endpoint `ep` needs a workflow. */
export const NEEDS_WORKFLOW = `(ep.breaker <> 'closed'
    or ${isAny("d.state = 'retrying'", 'd.next_attempt_at')}
    or exists (
      select from delivery_replays q
      where q.organization_id = ep.organization_id and q.endpoint_id = ep.id))`;
