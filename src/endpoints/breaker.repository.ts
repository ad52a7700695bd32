/** Transitions of an endpoint's circuit breaker. Each states the state that it starts from, so a repeat changes nothing. */
import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import type { Collection } from '../events/collection.ts';
import type { EndpointRef } from './endpoint.ts';
import type { Breaker } from './endpoint-health.ts';

export interface DisabledEndpoint {
  collection: Collection;
  name: string;
  url: string;
}

export type BreakerRepository = ReturnType<typeof createBreakerRepository>;

/** That the breaker opens, and what was read when it was decided. */
export interface BreakerDecision {
  /** Not only a failed probe. */
  isOutage: boolean;
  recoveredAt: Date | null;
}

const IS_ENDPOINT = 'organization_id = ? and id = ?';
const toBindings = ({ organizationId, endpointId }: EndpointRef) => [organizationId, endpointId];

export function createBreakerRepository(sql: Sql) {
  const hasRow = async (text: string, bindings: unknown[]) => (await query(sql, text, bindings)).length > 0;

  return {
    /**
     * Sends nothing until the probe; a later probe that is planned already stays. An outage turns everything queued into
     * backlog; a failed probe does not start the backlog anew. True when it was not open before. Nothing changes when the
     * endpoint has recovered since it was read: another process may have found that meanwhile.
     */
    async open(
      endpoint: EndpointRef,
      { nextProbeAt, isOutage, recoveredAt }: BreakerDecision & { nextProbeAt: Date },
    ): Promise<boolean> {
      const rows = await query<{ previous: Breaker }>(
        sql,
        `update endpoints set breaker = 'open', next_probe_at = greatest(next_probe_at, ?::timestamptz),
           recovered_at = case when ? then null else recovered_at end
         where ${IS_ENDPOINT} and status = 'active'
           and date_trunc('milliseconds', recovered_at) is not distinct from ?::timestamptz
         returning old.breaker as previous`,
        [nextProbeAt.toISOString(), isOutage, ...toBindings(endpoint), recoveredAt?.toISOString() ?? null],
      );
      return rows.some(({ previous }) => previous !== 'open');
    },

    /** After a successful probe. False when the breaker was not open. */
    beginDrain(endpoint: EndpointRef): Promise<boolean> {
      return hasRow(
        `update endpoints set breaker = 'draining', next_probe_at = null, recovered_at = least(recovered_at, now())
         where ${IS_ENDPOINT} and breaker = 'open' returning 1`,
        toBindings(endpoint),
      );
    },

    /** When no backlog is left. False when the breaker has changed meanwhile. */
    close(endpoint: EndpointRef, from: 'open' | 'draining'): Promise<boolean> {
      return hasRow(
        `update endpoints set breaker = 'closed', next_probe_at = null where ${IS_ENDPOINT} and breaker = ? returning 1`,
        [...toBindings(endpoint), from],
      );
    },

    /** When the endpoint is enabled. All that waited for it is backlog, and begins a new schedule. */
    async restore(endpoint: EndpointRef, hasBacklog: boolean): Promise<void> {
      await query(
        sql,
        `update endpoints set breaker = ?, failing_since = null, next_probe_at = null, recovered_at = now(),
           enabled_at = now()
         where ${IS_ENDPOINT}`,
        [hasBacklog ? 'draining' : 'closed', ...toBindings(endpoint)],
      );
    },

    /** A replay is a backlog, so it is paced. An open breaker stays open. */
    async drainIfClosed(endpoint: EndpointRef): Promise<void> {
      await query(
        sql,
        `update endpoints set breaker = 'draining' where ${IS_ENDPOINT} and breaker = 'closed'`,
        toBindings(endpoint),
      );
    },

    async probeNow(endpoint: EndpointRef): Promise<void> {
      await query(
        sql,
        `update endpoints set next_probe_at = now() where ${IS_ENDPOINT} and breaker = 'open'`,
        toBindings(endpoint),
      );
    },

    /** Null when the endpoint was disabled before. */
    async disable(endpoint: EndpointRef, reason: 'failing' | 'gone'): Promise<DisabledEndpoint | null> {
      const [row] = await query<DisabledEndpoint>(
        sql,
        `update endpoints set status = 'disabled', disabled_reason = ?, breaker = 'closed', next_probe_at = null,
           updated_at = now(), disabled_at = now()
         where ${IS_ENDPOINT} and status = 'active' returning collection, name, url`,
        [reason, ...toBindings(endpoint)],
      );
      return row ?? null;
    },
  };
}
