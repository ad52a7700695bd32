/** The health of an endpoint as customers see it. */

/**
 * healthy: deliveries are sent as they come; failing: the latest attempts failed, or its breaker is open; recovering: the
 * backlog is sent at a growing pace; disabled: nothing is sent.
 */
export const HEALTH_STATES = ['healthy', 'failing', 'recovering', 'disabled'] as const;
type HealthState = (typeof HEALTH_STATES)[number];

/** Expression over `endpoints ep`. */
export const HEALTH_STATE = `case when ep.status = 'disabled' then 'disabled' when ep.breaker = 'draining' then 'recovering'
    when ep.breaker = 'open' or ep.failing_since is not null then 'failing' else 'healthy' end`;

export interface ShownHealth {
  endpointId: string;
  state: HealthState;
  /** Begin of this state; null while healthy. */
  since: Date | null;
  /** Number of waiting deliveries, including held ones, counted up to 10,000. */
  backlog: number;
  oldestPendingAt: Date | null;
  /** Null when none is planned. */
  nextAttemptAt: Date | null;
}

/** Health of an endpoint that was just created. */
export const newHealth = ({
  id,
  status,
  createdAt,
}: {
  id: string;
  status: string;
  createdAt: Date;
}): ShownHealth => ({
  endpointId: id,
  state: status === 'active' ? 'healthy' : 'disabled',
  since: status === 'active' ? null : createdAt,
  backlog: 0,
  oldestPendingAt: null,
  nextAttemptAt: null,
});

export const healthView = ({ state, since, backlog, oldestPendingAt, nextAttemptAt }: ShownHealth) => ({
  state,
  since: since?.toISOString() ?? null,
  backlog,
  oldestPendingAt: oldestPendingAt?.toISOString() ?? null,
  nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
});

/** Data of webhook.disabled: an endpoint was disabled for its failures and not by its owner. */
interface DisabledEndpointData {
  id: string;
  recType: 'webhook' | 'cellular-webhook';
  name: string;
  url: string;
  status: 'disabled';
  reason: 'failing' | 'gone';
  backlog: number;
}

declare module '../db/domain-event.ts' {
  interface EventTypes {
    'webhook.disabled': DisabledEndpointData;
  }
}
