/** Health of endpoints: their last attempts, their queue, and when a workflow last checked them. */
import type { Database } from '../db/database.ts';
import { eachOrganization, oneOrNone } from '../db/each-organization.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { AttemptCounts } from './attempt-counts.ts';
import type { EndpointRef, LAST_STATUSES } from './endpoint.ts';
import type { Breaker } from './endpoint-health.ts';

export interface RecoveryStateRow {
  organizationName: string;
  status: 'active' | 'disabled';
  disabledReason: string | null;
  breaker: Breaker;
  host: string;
  failingSince: Date | null;
  nextProbeAt: Date | null;
  lastError: string | null;
  /** Counted up to 10,000, like `retrying`. */
  pending: number;
  retrying: number;
  hasImmediate: boolean;
  /** Whether a replay has deliveries that the drain has yet to queue. */
  hasUnqueued: boolean;
  nextRetryAt: Date | null;
  /** The database's clock, which decides when retries are due. */
  now: Date;
}

export interface ActiveState {
  breaker: Breaker;
  failingSince: Date | null;
  /** When the last outage ended. */
  recoveredAt: Date | null;
}

export interface LastAttempt extends EndpointRef {
  attemptedAt: Date;
  status: (typeof LAST_STATUSES)[number];
  statusCode: number | null;
  error: string | null;
  /** Counts this attempt and earlier ones that are recorded together with it. */
  counts: AttemptCounts;
}

export interface EndpointCounts {
  closed: number;
  open: number;
  draining: number;
  disabled: number;
  /** 0 when nothing is due. */
  oldestDueSeconds: number;
  /** The same, for endpoints whose breaker is closed. */
  delaySeconds: number;
}

/**
 * Evaluated on the current version of the row, after any wait for its lock. Locking the rows first, in a part
 * of the same statement, would deadlock with statements that wait for the same rows.
 */
const IS_LATEST = 'a.attempted_at >= coalesce(ep.last_attempt_at, a.attempted_at)';

const COUNTED_MAX = 10_000;

/**
 * Whether an endpoint `ep` has a delivery under this condition. The order selects the index: with `exists`,
 * the planner expects one of many rows to be found soonest by reading the table.
 */
const isAny = (condition: string, order: string) => `coalesce((
  select true from deliveries d where d.organization_id = ep.organization_id and d.endpoint_id = ep.id and ${condition}
  order by ${order} limit 1), false)`;
/** A run that is this late for its planned check counts as lost, and is started again. */
const LATE_RUN_MS = 40_000;

const WITH_ENDPOINTS = { text: 'select distinct organization_id as "organizationId" from endpoints' };
const NO_ENDPOINTS: EndpointCounts = {
  closed: 0,
  open: 0,
  draining: 0,
  disabled: 0,
  oldestDueSeconds: 0,
  delaySeconds: 0,
};

const addCounts = (sum: EndpointCounts, own: EndpointCounts): EndpointCounts => ({
  closed: sum.closed + own.closed,
  open: sum.open + own.open,
  draining: sum.draining + own.draining,
  disabled: sum.disabled + own.disabled,
  oldestDueSeconds: Math.max(sum.oldestDueSeconds, own.oldestDueSeconds),
  delaySeconds: Math.max(sum.delaySeconds, own.delaySeconds),
});

interface EndpointHourRow {
  organization_id: string;
  endpoint_id: string;
  hour: Date;
  delivered: number;
  failed: number;
  duration_ms: number;
  duration_max_ms: number;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    endpoint_hours: EndpointHourRow;
  }
}

export type EndpointHealthRepository = ReturnType<typeof createEndpointHealthRepository>;

export function createEndpointHealthRepository(sql: Database) {
  const one = ({ organizationId, endpointId }: EndpointRef) =>
    sql('endpoints').where({ organization_id: organizationId, id: endpointId });

  return {
    /**
     * Keeps the newest attempt of each endpoint. A success ends the failing time even when it is recorded
     * late; a failure newer than the success then begins another one. Adds the attempts to the counts of
     * their hour.
     */
    async recordLastAttempts(attempts: LastAttempt[]): Promise<void> {
      if (attempts.length === 0) return;
      const column = <T>(value: (attempt: LastAttempt) => T) => attempts.map(value);
      await queryPrepared(
        sql,
        'endpoints_record_last_attempts',
        `with a as materialized (
           select * from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::text[], ?::integer[], ?::text[], ?::integer[],
             ?::integer[], ?::bigint[], ?::integer[])
           as a (organization_id, endpoint_id, attempted_at, status, status_code, error, delivered, failed, duration_ms,
             duration_max_ms)
         ), counted as (
           insert into endpoint_hours as h
             (organization_id, endpoint_id, slot, hour, delivered, failed, duration_ms, duration_max_ms)
           select organization_id, endpoint_id, extract(epoch from hour)::bigint / 3600 % 168, hour, delivered, failed,
             duration_ms, duration_max_ms
           from (select *, date_bin('1 hour', attempted_at, 'epoch') as hour from a) as attempts
           -- Statements that write several rows lock them in one order.
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
           last_delivered_at = case a.status when 'delivered' then greatest(ep.last_delivered_at, a.attempted_at)
             else ep.last_delivered_at end,
           failing_since = case
             when a.status <> 'delivered' then
               case when a.attempted_at <= ep.last_delivered_at then ep.failing_since
                 else coalesce(ep.failing_since, a.attempted_at) end
             when ${IS_LATEST} then null
             when ep.failing_since <= a.attempted_at then ep.last_attempt_at
             else ep.failing_since end
         from a where ep.organization_id = a.organization_id and ep.id = a.endpoint_id`,
        [
          column(({ organizationId }) => organizationId),
          column(({ endpointId }) => endpointId),
          column(({ attemptedAt }) => attemptedAt.toISOString()),
          column(({ status }) => status),
          column(({ statusCode }) => statusCode),
          column(({ error }) => error),
          column(({ counts }) => counts.delivered),
          column(({ counts }) => counts.failed),
          column(({ counts }) => counts.durationMs),
          column(({ counts }) => counts.durationMaxMs),
        ],
      );
    },

    /** Null when the endpoint was deleted or disabled. */
    async findActiveState(endpoint: EndpointRef): Promise<ActiveState | null> {
      const row = await one(endpoint).where({ status: 'active' }).first();
      if (!row) return null;
      return { breaker: row.breaker, failingSince: row.failing_since, recoveredAt: row.recovered_at };
    },

    /** Null when the endpoint was deleted. Reads a bounded number of rows, whatever is queued. */
    async findRecoveryState({ organizationId, endpointId }: EndpointRef): Promise<RecoveryStateRow | null> {
      const [row] = await query<RecoveryStateRow>(
        sql,
        `select o.name as "organizationName", ep.status, ep.disabled_reason as "disabledReason", ep.breaker,
           split_part(split_part(ep.url, '//', 2), '/', 1) as host, ep.failing_since as "failingSince",
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
         where ep.organization_id = ? and ep.id = ? and ep.deleted_at is null`,
        [organizationId, endpointId],
      );
      return row ?? null;
    },

    /** Counts for the metrics, over all organizations. */
    async countByState(): Promise<EndpointCounts> {
      const rows = await eachOrganization(sql, WITH_ENDPOINTS, (organizationId) =>
        query<EndpointCounts>(
          sql,
          `select count(*) filter (where ep.status = 'active' and ep.breaker = 'closed') as closed,
           count(*) filter (where ep.status = 'active' and ep.breaker = 'open') as open,
           count(*) filter (where ep.status = 'active' and ep.breaker = 'draining') as draining,
           count(*) filter (where ep.status = 'disabled' and ep.deleted_at is null) as disabled,
           coalesce(extract(epoch from now() - min(due.since)), 0)::float8 as "oldestDueSeconds",
           coalesce(extract(epoch from now() - min(due.since) filter (where ep.breaker = 'closed')), 0)::float8
             as "delaySeconds"
         from endpoints ep left join lateral (
           select least(
             (select uuid_extract_timestamp(id) from deliveries
               where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'pending'
               order by id limit 1),
             (select next_attempt_at from deliveries
               where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
                 and next_attempt_at <= now()
               order by next_attempt_at limit 1)) as since
         ) as due on ep.status = 'active'
         ${organizationId === null ? '' : 'where ep.organization_id = ?'}`,
          oneOrNone(organizationId),
        ),
      );
      return rows.reduce(addCounts, NO_ENDPOINTS);
    },

    /**
     * Endpoints of all organizations that need a workflow and were not checked by one for this long, because
     * a crash may have left any of them without one.
     */
    listWithoutWorkflow(olderThanMs: number, limit: number): Promise<EndpointRef[]> {
      return query(
        sql,
        `select ep.organization_id as "organizationId", ep.id as "endpointId" from endpoints ep
         where ep.status = 'active'
           and (ep.workflow_checked_at is null or ep.workflow_checked_at < now() - make_interval(secs => ?))
           and (ep.breaker <> 'closed'
             or ${isAny("d.state = 'retrying'", 'd.next_attempt_at')}
             or exists (
               select from delivery_replays q
               where q.organization_id = ep.organization_id and q.endpoint_id = ep.id))
         limit ?`,
        [olderThanMs / 1000, limit],
      );
    },

    async touchWorkflow(endpoint: EndpointRef): Promise<void> {
      await one(endpoint).update({ workflow_checked_at: sql.fn.now() });
    },

    /**
     * Records that the workflow has read the state, and when it reads it again at the latest; null: after its
     * next step.
     */
    async planWorkflow(endpoint: EndpointRef, dueAt: Date | null): Promise<void> {
      await one(endpoint).update({
        workflow_checked_at: sql.fn.now(),
        workflow_due_at: dueAt ?? sql.fn.now(),
      });
    },

    /** Whether a running workflow reads the state by that time; null: as soon as possible. */
    async hasRunBy(endpoint: EndpointRef, dueAt: Date | null): Promise<boolean> {
      const run = await one(endpoint)
        .where('workflow_due_at', '<=', dueAt ?? sql.fn.now())
        .where('workflow_due_at', '>', sql.raw('now() - make_interval(secs => ?)', [LATE_RUN_MS / 1000]))
        .first('id');
      return run !== undefined;
    },

    /** Records that the workflow has ended, so that the next failure starts another one. */
    async clearWorkflow(endpoint: EndpointRef): Promise<void> {
      await one(endpoint).update({ workflow_checked_at: null, workflow_due_at: null });
    },

    /** Makes the next sweep start all needed workflows, of all organizations; used after a restore. */
    async forgetWorkflows(): Promise<void> {
      await query(
        sql,
        `update endpoints set workflow_checked_at = null, workflow_due_at = null where workflow_checked_at is not null`,
      );
    },
  };
}
