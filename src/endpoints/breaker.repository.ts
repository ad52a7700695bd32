/**
 * Transitions of an endpoint's circuit breaker. Each names the state that it starts from, so a repeat changes
 * nothing.
 */
import type { Database } from '../db/database.ts';
import type { Collection } from '../events/event.ts';
import type { EndpointRef, RequestTarget } from './endpoint.ts';
import type { Breaker } from './endpoint-health.ts';

interface DisabledEndpoint {
  collection: Collection;
  name: string;
  url: string;
}

export type BreakerRepository = ReturnType<typeof createBreakerRepository>;

/** The decision to open the breaker, with the state that it was based on. */
export interface BreakerDecision {
  /** False for a failed probe alone. */
  isOutage: boolean;
  recoveredAt: Date | null;
}

export function createBreakerRepository(sql: Database) {
  const one = ({ organizationId, endpointId }: EndpointRef) =>
    sql('endpoints').where({ organization_id: organizationId, id: endpointId });
  const draining = { breaker: 'draining', draining_since: sql.fn.now() } as const;
  /** By UTC, because Citus refuses an update with a function that depends on the session's time zone. */
  const isRecoveredAt = (recoveredAt: Date | null) =>
    sql.raw(
      `date_trunc('milliseconds', recovered_at at time zone 'UTC') is not distinct from ?::timestamptz at time zone 'UTC'`,
      [recoveredAt],
    );

  return {
    /**
     * Opens the breaker: only a probe is sent, at the latest probe time that is planned. An outage turns
     * everything queued into backlog; a failed probe does not restart the backlog. Returns true if the
     * breaker was not open before. Changes nothing if the endpoint has recovered since it was read, because
     * another process may have found that meanwhile, or has another URL.
     */
    async open(
      { url, ...endpoint }: RequestTarget,
      { nextProbeAt, isOutage, recoveredAt }: BreakerDecision & { nextProbeAt: Date },
    ): Promise<boolean> {
      const rows: Array<{ previous: Breaker }> = await one(endpoint)
        .where({ status: 'active', url })
        .where(isRecoveredAt(recoveredAt))
        .update({
          breaker: 'open',
          next_probe_at: sql.raw('greatest(next_probe_at, ?::timestamptz)', [nextProbeAt]),
          ...(isOutage && { recovered_at: null }),
        })
        .returning(sql.raw('old.breaker as previous'));
      return rows.some(({ previous }) => previous !== 'open');
    },

    /** Starts the drain after a successful probe. False when the breaker was not open, or has another URL. */
    async beginDrain({ url, ...endpoint }: RequestTarget): Promise<boolean> {
      const recoveredAt = sql.raw('least(recovered_at, now())');
      const changed = await one(endpoint)
        .where({ breaker: 'open', url })
        .update({ ...draining, next_probe_at: null, recovered_at: recoveredAt });
      return changed > 0;
    },

    /** Closes an open breaker when nothing waits. False when the breaker has changed meanwhile. */
    async close(endpoint: EndpointRef): Promise<boolean> {
      const changed = await one(endpoint)
        .where({ breaker: 'open' })
        .update({ breaker: 'closed', next_probe_at: null });
      return changed > 0;
    },

    /**
     * Ends the drain when no backlog is left. False when the breaker has changed meanwhile, or a customer has made more
     * deliveries backlog (`retryNow`) since the time was read.
     */
    async endDrain(endpoint: EndpointRef, recoveredAt: Date | null): Promise<boolean> {
      const changed = await one(endpoint)
        .where({ breaker: 'draining' })
        .where(isRecoveredAt(recoveredAt))
        .update({ breaker: 'closed', next_probe_at: null });
      return changed > 0;
    },

    /** The time before which failed deliveries are backlog. */
    async findRecoveredAt(endpoint: EndpointRef): Promise<Date | null> {
      return (await one(endpoint).first('recovered_at'))?.recovered_at ?? null;
    },

    /**
     * Resets the breaker when the endpoint is enabled. Waiting deliveries are backlog, with a new schedule.
     */
    async restore(endpoint: EndpointRef, hasBacklog: boolean): Promise<void> {
      await one(endpoint).update({
        ...(hasBacklog ? draining : { breaker: 'closed' }),
        failing_since: null,
        next_probe_at: null,
        recovered_at: sql.fn.now(),
        enabled_at: sql.fn.now(),
      });
    },

    /** Starts a drain for a replay, which is a paced backlog. An open breaker stays open. */
    async drainIfClosed(endpoint: EndpointRef): Promise<void> {
      await one(endpoint).where({ breaker: 'closed' }).update(draining);
    },

    async probeNow(endpoint: EndpointRef): Promise<void> {
      await one(endpoint).where({ breaker: 'open' }).update({ next_probe_at: sql.fn.now() });
    },

    /** Makes an open breaker probe at once, and any other one drain all retries, whenever they are due. */
    async retryNow(endpoint: EndpointRef): Promise<void> {
      await this.probeNow(endpoint);
      await this.drainIfClosed(endpoint);
      await one(endpoint).where({ breaker: 'draining' }).update({ recovered_at: sql.fn.now() });
    },

    /** Null when the endpoint was already disabled, or has another URL. */
    async disable(
      { url, ...endpoint }: RequestTarget,
      reason: 'failing' | 'gone',
    ): Promise<DisabledEndpoint | null> {
      const [row] = await one(endpoint)
        .where({ status: 'active', url })
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
