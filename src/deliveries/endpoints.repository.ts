/** The health of endpoints, in the rows of `webhooks`; across organizations, because the worker serves them all. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface EndpointSituation {
  status: 'active' | 'disabled';
  disabledReason: string | null;
  breaker: 'closed' | 'open' | 'draining';
  host: string;
  failingSince: Date | null;
  nextProbeAt: Date | null;
  lastError: string | null;
  pending: number;
  retrying: number;
  urgent: number;
  nextRetryAt: Date | null;
}

export interface LastAttempt {
  webhookId: string;
  at: Date;
  status: 'delivered' | 'retrying' | 'failed' | 'blocked';
  statusCode: number | null;
  error: string | null;
}

const COUNTED_MAX = 10_000;

export type EndpointsRepository = ReturnType<typeof createEndpointsRepository>;

export function createEndpointsRepository(sql: Sql) {
  return {
    async findSituation(webhookId: string): Promise<EndpointSituation | null> {
      const [row] = await query<EndpointSituation>(
        sql,
        `select w.status, w.disabled_reason as "disabledReason", w.breaker, split_part(split_part(w.url, '//', 2), '/', 1) as host,
           w.failing_since as "failingSince", w.next_probe_at as "nextProbeAt", w.last_error as "lastError",
           p.pending, r.retrying, r.urgent, r."nextRetryAt"
         from webhooks w
         cross join lateral (
           select count(*) as pending from (
             select 1 from deliveries where webhook_id = w.id and state = 'pending' limit ${COUNTED_MAX}) as counted
         ) as p
         cross join lateral (
           select count(*) as retrying, count(*) filter (where urgent) as urgent, min(next_attempt_at) as "nextRetryAt"
           from deliveries where webhook_id = w.id and state = 'retrying'
         ) as r
         where w.id = ?`,
        [webhookId],
      );
      return row ?? null;
    },

    /** An older attempt never overwrites a newer one; a success ends the failing. */
    async noteAttempts(attempts: LastAttempt[]): Promise<void> {
      if (attempts.length === 0) return;
      const column = <T>(value: (attempt: LastAttempt) => T) => attempts.map(value);
      await query(
        sql,
        `update webhooks w set last_attempt_at = a.at, last_status = a.status, last_status_code = a.status_code,
           last_error = a.error,
           last_delivered_at = case a.status when 'delivered' then a.at else w.last_delivered_at end,
           failing_since = case a.status when 'delivered' then null else coalesce(w.failing_since, a.at) end
         from (
           select * from unnest(?::uuid[], ?::timestamptz[], ?::text[], ?::integer[], ?::text[])
             as a (webhook_id, at, status, status_code, error)
         ) as a
         where w.id = a.webhook_id and (w.last_attempt_at is null or w.last_attempt_at <= a.at)`,
        [
          column(({ webhookId }) => webhookId),
          column(({ at }) => at.toISOString()),
          column(({ status }) => status),
          column(({ statusCode }) => statusCode),
          column(({ error }) => error),
        ],
      );
    },

    /** Since when the endpoint has been failing; null when its last attempt succeeded. */
    async findFailingSince(webhookId: string): Promise<Date | null> {
      const [row] = await query<{ failingSince: Date | null }>(
        sql,
        'select failing_since as "failingSince" from webhooks where id = ?',
        [webhookId],
      );
      return row?.failingSince ?? null;
    },

    /** Nothing is sent until the probe; an earlier plan never brings a later one forward. */
    async open(webhookId: string, nextProbeAt: Date): Promise<boolean> {
      const rows = await query<{ was: string }>(
        sql,
        `update webhooks w set breaker = 'open', next_probe_at = greatest(w.next_probe_at, ?::timestamptz)
         from (select id, breaker as was from webhooks where id = ? for update) as old
         where w.id = old.id returning old.was`,
        [nextProbeAt.toISOString(), webhookId],
      );
      return rows[0]?.was !== 'open';
    },

    /** A drain that met a failure: nothing goes out until the probe. */
    async reopen(webhookId: string, nextProbeAt: Date): Promise<void> {
      await query(
        sql,
        `update webhooks set breaker = 'open', next_probe_at = ?
         where id = ? and status = 'active' and breaker = 'draining'`,
        [nextProbeAt.toISOString(), webhookId],
      );
    },

    async setBreaker(webhookId: string, breaker: 'closed' | 'draining'): Promise<void> {
      await query(sql, 'update webhooks set breaker = ?, next_probe_at = null where id = ?', [
        breaker,
        webhookId,
      ]);
    },

    async restore(webhookId: string, hasBacklog: boolean): Promise<void> {
      await query(
        sql,
        'update webhooks set breaker = ?, failing_since = null, next_probe_at = null where id = ?',
        [hasBacklog ? 'draining' : 'closed', webhookId],
      );
    },

    /** A replay is a backlog: it goes out paced. An open breaker stays open. */
    async drainIfClosed(webhookId: string): Promise<void> {
      await query(sql, `update webhooks set breaker = 'draining' where id = ? and breaker = 'closed'`, [
        webhookId,
      ]);
    },

    async probeNow(webhookId: string): Promise<void> {
      await query(sql, `update webhooks set next_probe_at = now() where id = ? and breaker = 'open'`, [
        webhookId,
      ]);
    },

    /** False when it was disabled before. */
    async disable(webhookId: string, reason: 'failing' | 'gone'): Promise<boolean> {
      const rows = await query(
        sql,
        `update webhooks set status = 'disabled', disabled_reason = ?, breaker = 'closed', next_probe_at = null,
           updated_at = now()
         where id = ? and status = 'active' returning 1`,
        [reason, webhookId],
      );
      return rows.length > 0;
    },

    /** Endpoints in trouble whose workflow was not seen for that long. */
    async listUnattended(
      olderThanMs: number,
      limit: number,
    ): Promise<Array<{ id: string; organizationId: string }>> {
      return query(
        sql,
        `select w.id, w.organization_id as "organizationId" from webhooks w
         where w.status = 'active'
           and (w.workflow_seen_at is null or w.workflow_seen_at < now() - make_interval(secs => ?))
           and (w.breaker <> 'closed'
             or exists (select from deliveries d where d.webhook_id = w.id and d.state = 'retrying'))
         limit ?`,
        [olderThanMs / 1000, limit],
      );
    },

    async markSeen(webhookId: string): Promise<void> {
      await query(sql, 'update webhooks set workflow_seen_at = now() where id = ?', [webhookId]);
    },

    /** The run has ended: the next trouble needs a new one. */
    async forgetSeen(webhookId: string): Promise<void> {
      await query(sql, 'update webhooks set workflow_seen_at = null where id = ?', [webhookId]);
    },
  };
}
