/** Health of endpoints: their last attempts, their queue, and when a workflow last checked them. */
import { acrossOrganizations } from '../db/builder.ts';
import type { Database, Sql } from '../db/database.ts';
import { query, queryPrepared } from '../db/query.ts';
import type { AttemptCounts, EndpointRef, LAST_STATUSES, RequestTarget } from './endpoint.ts';
import {
  COUNT_BY_STATE,
  FIND_RECOVERY_STATE,
  LIST_SHOWN,
  NEEDS_WORKFLOW,
  RECORD_LAST_ATTEMPTS,
} from './endpoint-health.statements.ts';
import type { Breaker } from './endpoint-health.ts';
import type { ShownHealth } from './shown-health.ts';

export interface RecoveryStateRow {
  organizationName: string;
  status: 'active' | 'disabled';
  disabledReason: string | null;
  breaker: Breaker;
  host: string;
  failingSince: Date | null;
  nextProbeAt: Date | null;
  lastError: string | null;
  /** Deliveries without an attempt, counted up to 10,000, like `retrying`. */
  pending: number;
  retrying: number;
  /** Whether a customer asked for retries that are sent now. */
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

export interface LastAttempt extends RequestTarget {
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

/** A run that is this late for its planned poll is considered lost, and another one is started. */
const LATE_RUN_MS = 40_000;

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
     * late; a failure newer than the success then begins another one, unless it is one of a former URL. Adds the attempts
     * to the counts of their hour.
     */
    async recordLastAttempts(attempts: LastAttempt[]): Promise<void> {
      if (attempts.length === 0) return;
      const column = <T>(value: (attempt: LastAttempt) => T) => attempts.map(value);
      await queryPrepared(sql, 'endpoints_record_last_attempts', RECORD_LAST_ATTEMPTS, {
        organizationIds: column(({ organizationId }) => organizationId),
        endpointIds: column(({ endpointId }) => endpointId),
        urls: column(({ url }) => url),
        attemptedAt: column(({ attemptedAt }) => attemptedAt.toISOString()),
        statuses: column(({ status }) => status),
        statusCodes: column(({ statusCode }) => statusCode),
        errors: column(({ error }) => error),
        delivered: column(({ counts }) => counts.delivered),
        failed: column(({ counts }) => counts.failed),
        durationsMs: column(({ counts }) => counts.durationMs),
        durationMaxMs: column(({ counts }) => counts.durationMaxMs),
      });
    },

    /** Null when it is disabled, or has another URL. */
    async findActiveState({ url, ...endpoint }: RequestTarget): Promise<ActiveState | null> {
      const row = await one(endpoint).where({ status: 'active', url }).first();
      if (!row) return null;
      return { breaker: row.breaker, failingSince: row.failing_since, recoveredAt: row.recovered_at };
    },

    /** Null when the endpoint was deleted. Reads a bounded number of rows, whatever is queued. */
    async findRecoveryState({ organizationId, endpointId }: EndpointRef): Promise<RecoveryStateRow | null> {
      const bindings = { organizationId, endpointId };
      const [row] = await query<RecoveryStateRow>(sql, FIND_RECOVERY_STATE, bindings);
      return row ?? null;
    },

    /** Counts for the metrics, over all organizations. */
    async countByState(): Promise<EndpointCounts> {
      const [counts] = await query<EndpointCounts>(sql, COUNT_BY_STATE);
      return counts as EndpointCounts;
    },

    /**
     * A sweep over all organizations, because a crash may have left any of them without a workflow: endpoints that need
     * one, and that none has checked for this long; first those whose last check is the longest ago.
     */
    listWithoutWorkflow: (olderThanMs: number, limit: number): Promise<EndpointRef[]> =>
      acrossOrganizations(sql({ ep: 'endpoints' }))
        .where({ 'ep.status': 'active' })
        .whereRaw(
          '(ep.workflow_checked_at is null or ep.workflow_checked_at < now() - make_interval(secs => ?))',
          [olderThanMs / 1000],
        )
        .whereRaw(NEEDS_WORKFLOW)
        .orderByRaw('ep.workflow_checked_at nulls first')
        .limit(limit)
        .select({ organizationId: 'ep.organization_id', endpointId: 'ep.id' }),

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

    /** Forgets the runs of the former database, of all organizations; used after a restore. */
    async forgetWorkflows(): Promise<void> {
      await sql('endpoints')
        .whereNotNull('workflow_checked_at')
        .update({ workflow_checked_at: null, workflow_due_at: null });
    },
  };
}

export type ShownHealthRepository = ReturnType<typeof createShownHealthRepository>;

export const createShownHealthRepository = (sql: Sql) => ({
  /** Prepared, because planning it over all partitions takes longer than running it. */
  async list(organizationId: string, endpointIds: string[]): Promise<ShownHealth[]> {
    if (endpointIds.length === 0) return [];
    return queryPrepared(sql, 'endpoints_shown_health', LIST_SHOWN, { organizationId, endpointIds });
  },
});
