/** How endpoints are doing: their last attempts, what is queued for them, and when a workflow last checked them. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { EndpointRef, LAST_STATUSES } from './endpoint.ts';
import type { Breaker } from './endpoint-health.ts';

export interface RecoveryStateRow {
  status: 'active' | 'disabled';
  disabledReason: string | null;
  breaker: Breaker;
  host: string;
  failingSince: Date | null;
  nextProbeAt: Date | null;
  lastError: string | null;
  pending: number;
  retrying: number;
  immediate: number;
  nextRetryAt: Date | null;
  /** The database's clock, which decides what is due. */
  now: Date;
}

export interface ActiveState {
  breaker: Breaker;
  failingSince: Date | null;
}

export interface LastAttempt extends EndpointRef {
  attemptedAt: Date;
  status: (typeof LAST_STATUSES)[number];
  statusCode: number | null;
  error: string | null;
}

export interface EndpointCounts {
  closed: number;
  open: number;
  draining: number;
  disabled: number;
  /** 0 when nothing is due. */
  oldestDueSeconds: number;
}

/**
 * Evaluated on the current row version, after any wait for its lock. Locking the rows first, in a part of the same
 * statement, would deadlock with statements that wait for the same rows.
 */
const IS_LATEST = 'a.attempted_at >= coalesce(ep.last_attempt_at, a.attempted_at)';

const COUNTED_MAX = 10_000;

export type EndpointHealthRepository = ReturnType<typeof createEndpointHealthRepository>;

export function createEndpointHealthRepository(sql: Sql) {
  return {
    /**
     * An older attempt never overwrites a newer one. A success ends the failing, even when it is recorded late: a failure
     * that is newer than the success is the beginning of another one.
     */
    async recordLastAttempts(attempts: LastAttempt[]): Promise<void> {
      if (attempts.length === 0) return;
      const column = <T>(value: (attempt: LastAttempt) => T) => attempts.map(value);
      await queryPrepared(
        sql,
        'endpoints_record_last_attempts',
        `update endpoints ep set last_attempt_at = greatest(ep.last_attempt_at, a.attempted_at),
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
         from unnest(?::uuid[], ?::uuid[], ?::timestamptz[], ?::text[], ?::integer[], ?::text[])
           as a (organization_id, endpoint_id, attempted_at, status, status_code, error)
         where ep.organization_id = a.organization_id and ep.id = a.endpoint_id`,
        [
          column(({ organizationId }) => organizationId),
          column(({ endpointId }) => endpointId),
          column(({ attemptedAt }) => attemptedAt.toISOString()),
          column(({ status }) => status),
          column(({ statusCode }) => statusCode),
          column(({ error }) => error),
        ],
      );
    },

    /** Null when the endpoint was deleted or disabled. */
    async findActiveState({ organizationId, endpointId }: EndpointRef): Promise<ActiveState | null> {
      const [row] = await query<ActiveState>(
        sql,
        `select breaker, failing_since as "failingSince" from endpoints
         where organization_id = ? and id = ? and status = 'active'`,
        [organizationId, endpointId],
      );
      return row ?? null;
    },

    async findRecoveryState({ organizationId, endpointId }: EndpointRef): Promise<RecoveryStateRow | null> {
      const [row] = await query<RecoveryStateRow>(
        sql,
        `select ep.status, ep.disabled_reason as "disabledReason", ep.breaker,
           split_part(split_part(ep.url, '//', 2), '/', 1) as host, ep.failing_since as "failingSince",
           ep.next_probe_at as "nextProbeAt", ep.last_error as "lastError",
           p.pending, r.retrying, r.immediate, r."nextRetryAt", now() as now
         from endpoints ep
         cross join lateral (
           select count(*) as pending from (
             select 1 from deliveries
             where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'pending'
             limit ${COUNTED_MAX}) as counted
         ) as p
         cross join lateral (
           select count(*) as retrying, count(*) filter (where send_immediately) as immediate,
             min(next_attempt_at) as "nextRetryAt"
           from deliveries
           where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
         ) as r
         where ep.organization_id = ? and ep.id = ?`,
        [organizationId, endpointId],
      );
      return row ?? null;
    },

    /** For the metrics of the service, so over all organizations. */
    async countByState(): Promise<EndpointCounts> {
      const [row] = await query<EndpointCounts>(
        sql,
        `select count(*) filter (where ep.status = 'active' and ep.breaker = 'closed') as closed,
           count(*) filter (where ep.status = 'active' and ep.breaker = 'open') as open,
           count(*) filter (where ep.status = 'active' and ep.breaker = 'draining') as draining,
           count(*) filter (where ep.status = 'disabled') as disabled,
           coalesce(extract(epoch from now() - min(due.since)), 0)::float8 as "oldestDueSeconds"
         from endpoints ep left join lateral (
           select least(
             (select uuid_extract_timestamp(id) from deliveries
               where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'pending'
               order by id limit 1),
             (select next_attempt_at from deliveries
               where organization_id = ep.organization_id and endpoint_id = ep.id and state = 'retrying'
                 and next_attempt_at <= now()
               order by next_attempt_at limit 1)) as since
         ) as due on ep.status = 'active'`,
      );
      return row as EndpointCounts;
    },

    /**
     * Endpoints that need a workflow and that none has checked for so long. A sweep of the worker over all organizations:
     * a crash may have left any of them without one.
     */
    listWithoutWorkflow(olderThanMs: number, limit: number): Promise<EndpointRef[]> {
      return query(
        sql,
        `select ep.organization_id as "organizationId", ep.id as "endpointId" from endpoints ep
         where ep.status = 'active'
           and (ep.workflow_checked_at is null or ep.workflow_checked_at < now() - make_interval(secs => ?))
           and (ep.breaker <> 'closed'
             or exists (
               select from deliveries d
               where d.organization_id = ep.organization_id and d.endpoint_id = ep.id and d.state = 'retrying'))
         limit ?`,
        [olderThanMs / 1000, limit],
      );
    },

    async touchWorkflow({ organizationId, endpointId }: EndpointRef): Promise<void> {
      await query(
        sql,
        'update endpoints set workflow_checked_at = now() where organization_id = ? and id = ?',
        [organizationId, endpointId],
      );
    },

    /** The workflow has ended: the next failure starts another one. */
    async clearWorkflow({ organizationId, endpointId }: EndpointRef): Promise<void> {
      await query(
        sql,
        'update endpoints set workflow_checked_at = null where organization_id = ? and id = ?',
        [organizationId, endpointId],
      );
    },
  };
}
