/** Transitions of an endpoint's circuit breaker. Each states the state that it starts from, so a repeat changes nothing. */
import type { Database } from '../db/database.ts';
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

export function createBreakerRepository(sql: Database) {
  const one = ({ organizationId, endpointId }: EndpointRef) =>
    sql('endpoints').where({ organization_id: organizationId, id: endpointId });

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
      const rows: Array<{ previous: Breaker }> = await one(endpoint)
        .where({ status: 'active' })
        .whereRaw(`date_trunc('milliseconds', recovered_at) is not distinct from ?::timestamptz`, [
          recoveredAt,
        ])
        .update({
          breaker: 'open',
          next_probe_at: sql.raw('greatest(next_probe_at, ?::timestamptz)', [nextProbeAt]),
          ...(isOutage && { recovered_at: null }),
        })
        .returning(sql.raw('old.breaker as previous'));
      return rows.some(({ previous }) => previous !== 'open');
    },

    /** After a successful probe. False when the breaker was not open. */
    async beginDrain(endpoint: EndpointRef): Promise<boolean> {
      const recoveredAt = sql.raw('least(recovered_at, now())');
      const changed = await one(endpoint)
        .where({ breaker: 'open' })
        .update({ breaker: 'draining', next_probe_at: null, recovered_at: recoveredAt });
      return changed > 0;
    },

    /** When no backlog is left. False when the breaker has changed meanwhile. */
    async close(endpoint: EndpointRef, from: 'open' | 'draining'): Promise<boolean> {
      const changed = await one(endpoint)
        .where({ breaker: from })
        .update({ breaker: 'closed', next_probe_at: null });
      return changed > 0;
    },

    /** When the endpoint is enabled. All that waited for it is backlog, and begins a new schedule. */
    async restore(endpoint: EndpointRef, hasBacklog: boolean): Promise<void> {
      await one(endpoint).update({
        breaker: hasBacklog ? 'draining' : 'closed',
        failing_since: null,
        next_probe_at: null,
        recovered_at: sql.fn.now(),
        enabled_at: sql.fn.now(),
      });
    },

    /** A replay is a backlog, so it is paced. An open breaker stays open. */
    async drainIfClosed(endpoint: EndpointRef): Promise<void> {
      await one(endpoint).where({ breaker: 'closed' }).update({ breaker: 'draining' });
    },

    async probeNow(endpoint: EndpointRef): Promise<void> {
      await one(endpoint).where({ breaker: 'open' }).update({ next_probe_at: sql.fn.now() });
    },

    /** Null when the endpoint was disabled before. */
    async disable(endpoint: EndpointRef, reason: 'failing' | 'gone'): Promise<DisabledEndpoint | null> {
      const [row] = await one(endpoint)
        .where({ status: 'active' })
        .update({
          status: 'disabled',
          disabled_reason: reason,
          breaker: 'closed',
          next_probe_at: null,
          updated_at: sql.fn.now(),
          disabled_at: sql.fn.now(),
        })
        .returning(['collection', 'name', 'url']);
      return row ?? null;
    },
  };
}
