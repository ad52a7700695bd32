/** The health of endpoints, in the rows of `webhooks`; across organizations, because the worker serves them all. */
import type { Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { EndpointRef } from './endpoint.ts';

export interface RecoveryStateRow {
  status: 'active' | 'disabled';
  disabledReason: string | null;
  breaker: 'closed' | 'open' | 'draining';
  host: string;
  failingSince: Date | null;
  nextProbeAt: Date | null;
  lastError: string | null;
  pending: number;
  retrying: number;
  immediate: number;
  nextRetryAt: Date | null;
  /** The database's clock, which says what is due. */
  now: Date;
}

/** How an endpoint stands when an attempt has failed. */
export interface EndpointState {
  breaker: RecoveryStateRow['breaker'];
  failingSince: Date | null;
}

export interface LastAttempt {
  endpointId: string;
  at: Date;
  status: 'delivered' | 'retrying' | 'failed' | 'blocked';
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

/** Said of the row as it is when its turn comes: locking it first, in the same statement, would deadlock with who waits. */
const IS_LAST = 'a.at >= coalesce(w.last_attempt_at, a.at)';

const COUNTED_MAX = 10_000;

export type EndpointHealthRepository = ReturnType<typeof createEndpointHealthRepository>;

export function createEndpointHealthRepository(sql: Sql) {
  return {
    async findRecoveryState(endpointId: string): Promise<RecoveryStateRow | null> {
      const [row] = await query<RecoveryStateRow>(
        sql,
        `select w.status, w.disabled_reason as "disabledReason", w.breaker, split_part(split_part(w.url, '//', 2), '/', 1) as host,
           w.failing_since as "failingSince", w.next_probe_at as "nextProbeAt", w.last_error as "lastError",
           p.pending, r.retrying, r.immediate, r."nextRetryAt", now() as now
         from endpoints w
         cross join lateral (
           select count(*) as pending from (
             select 1 from deliveries where endpoint_id = w.id and state = 'pending' limit ${COUNTED_MAX}) as counted
         ) as p
         cross join lateral (
           select count(*) as retrying, count(*) filter (where send_immediately) as immediate, min(next_attempt_at) as "nextRetryAt"
           from deliveries where endpoint_id = w.id and state = 'retrying'
         ) as r
         where w.id = ?`,
        [endpointId],
      );
      return row ?? null;
    },

    /**
     * An older attempt never overwrites a newer one. A success ends the failing, even when it is noted late: what has
     * failed since then is the beginning of another one.
     */
    async recordLastAttempts(attempts: LastAttempt[]): Promise<void> {
      if (attempts.length === 0) return;
      const column = <T>(value: (attempt: LastAttempt) => T) => attempts.map(value);
      await queryPrepared(
        sql,
        'endpoints_note_attempts',
        `update endpoints w set last_attempt_at = greatest(w.last_attempt_at, a.at),
           last_status = case when ${IS_LAST} then a.status else w.last_status end,
           last_status_code = case when ${IS_LAST} then a.status_code else w.last_status_code end,
           last_error = case when ${IS_LAST} then a.error else w.last_error end,
           last_delivered_at = case a.status when 'delivered' then greatest(w.last_delivered_at, a.at)
             else w.last_delivered_at end,
           failing_since = case
             when a.status <> 'delivered' then
               case when a.at <= w.last_delivered_at then w.failing_since else coalesce(w.failing_since, a.at) end
             when ${IS_LAST} then null
             when w.failing_since <= a.at then w.last_attempt_at
             else w.failing_since end
         from unnest(?::uuid[], ?::timestamptz[], ?::text[], ?::integer[], ?::text[])
           as a (endpoint_id, at, status, status_code, error)
         where w.id = a.endpoint_id`,
        [
          column(({ endpointId }) => endpointId),
          column(({ at }) => at.toISOString()),
          column(({ status }) => status),
          column(({ statusCode }) => statusCode),
          column(({ error }) => error),
        ],
      );
    },

    /** Null when it was deleted or disabled. */
    async findState(endpointId: string): Promise<EndpointState | null> {
      const [row] = await query<EndpointState>(
        sql,
        `select breaker, failing_since as "failingSince" from endpoints where id = ? and status = 'active'`,
        [endpointId],
      );
      return row ?? null;
    },

    /**
     * Nothing is sent until the probe; an earlier plan never brings a later one forward. An outage makes a backlog of
     * all that waits; a lone failure during a drain does not make one anew. True when it was not open before.
     */
    async open(
      endpointId: string,
      { nextProbeAt, isOutage }: { nextProbeAt: Date; isOutage: boolean },
    ): Promise<boolean> {
      const rows = await query<{ was: string }>(
        sql,
        `update endpoints set breaker = 'open', next_probe_at = greatest(next_probe_at, ?::timestamptz),
           recovered_at = case when ? then null else recovered_at end
         where id = ? and status = 'active' returning old.breaker as was`,
        [nextProbeAt.toISOString(), isOutage, endpointId],
      );
      return rows.some(({ was }) => was !== 'open');
    },

    /** The probe got through. False when it was not open. */
    async beginDrain(endpointId: string): Promise<boolean> {
      const rows = await query(
        sql,
        `update endpoints set breaker = 'draining', next_probe_at = null, recovered_at = coalesce(recovered_at, now())
         where id = ? and breaker = 'open' returning 1`,
        [endpointId],
      );
      return rows.length > 0;
    },

    /** Nothing waits any more; false when it has become another one in between. */
    async close(endpointId: string, was: 'open' | 'draining'): Promise<boolean> {
      const rows = await query(
        sql,
        `update endpoints set breaker = 'closed', next_probe_at = null where id = ? and breaker = ? returning 1`,
        [endpointId, was],
      );
      return rows.length > 0;
    },

    async restore(endpointId: string, hasBacklog: boolean): Promise<void> {
      await query(
        sql,
        'update endpoints set breaker = ?, failing_since = null, next_probe_at = null, recovered_at = null where id = ?',
        [hasBacklog ? 'draining' : 'closed', endpointId],
      );
    },

    /** A replay is a backlog: it goes out paced. An open breaker stays open. */
    async drainIfClosed(endpointId: string): Promise<void> {
      await query(sql, `update endpoints set breaker = 'draining' where id = ? and breaker = 'closed'`, [
        endpointId,
      ]);
    },

    async probeNow(endpointId: string): Promise<void> {
      await query(sql, `update endpoints set next_probe_at = now() where id = ? and breaker = 'open'`, [
        endpointId,
      ]);
    },

    /** False when it was disabled before. */
    async disable(endpointId: string, reason: 'failing' | 'gone'): Promise<boolean> {
      const rows = await query(
        sql,
        `update endpoints set status = 'disabled', disabled_reason = ?, breaker = 'closed', next_probe_at = null,
           updated_at = now()
         where id = ? and status = 'active' returning 1`,
        [reason, endpointId],
      );
      return rows.length > 0;
    },

    /** For the metrics: how many endpoints stand how, and for how long the oldest due delivery has been waiting. */
    async countByState(): Promise<EndpointCounts> {
      const [row] = await query<EndpointCounts>(
        sql,
        `select count(*) filter (where w.status = 'active' and w.breaker = 'closed') as closed,
           count(*) filter (where w.status = 'active' and w.breaker = 'open') as open,
           count(*) filter (where w.status = 'active' and w.breaker = 'draining') as draining,
           count(*) filter (where w.status = 'disabled') as disabled,
           coalesce(extract(epoch from now() - min(due.at)), 0)::float8 as "oldestDueSeconds"
         from endpoints w left join lateral (
           select least(
             (select uuid_extract_timestamp(id) from deliveries
               where endpoint_id = w.id and state = 'pending' order by id limit 1),
             (select next_attempt_at from deliveries
               where endpoint_id = w.id and state = 'retrying' and next_attempt_at <= now()
               order by next_attempt_at limit 1)) as at
         ) as due on w.status = 'active'`,
      );
      return row as EndpointCounts;
    },

    /** Endpoints in trouble whose workflow was not seen for that long. */
    async listWithoutWorkflow(olderThanMs: number, limit: number): Promise<EndpointRef[]> {
      return query(
        sql,
        `select w.id as "endpointId", w.organization_id as "organizationId" from endpoints w
         where w.status = 'active'
           and (w.workflow_checked_at is null or w.workflow_checked_at < now() - make_interval(secs => ?))
           and (w.breaker <> 'closed'
             or exists (select from deliveries d where d.endpoint_id = w.id and d.state = 'retrying'))
         limit ?`,
        [olderThanMs / 1000, limit],
      );
    },

    async touchWorkflow({ endpointId }: EndpointRef): Promise<void> {
      await query(sql, 'update endpoints set workflow_checked_at = now() where id = ?', [endpointId]);
    },

    /** The run has ended: the next trouble needs a new one. */
    async clearWorkflow({ endpointId }: EndpointRef): Promise<void> {
      await query(sql, 'update endpoints set workflow_checked_at = null where id = ?', [endpointId]);
    },
  };
}
