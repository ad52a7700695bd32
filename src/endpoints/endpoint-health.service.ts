/** What an attempt means for its endpoint: healthy, breaker open, or disabled. */
import type { Log } from '../process/log.ts';
import type { BreakerRepository } from './breaker.repository.ts';
import { type EndpointRef, endpointKey } from './endpoint.ts';
import type { EndpointHealthRepository, LastAttempt } from './endpoint-health.repository.ts';
import {
  type EndpointHealth,
  HEALTHY,
  opensBreaker,
  type ProbePlan,
  probeWaitMs,
  type Verdict,
  withAttempt,
} from './endpoint-health.ts';
import type { EndpointDeliveries } from './endpoints.service.ts';
import type { LastAttempts } from './last-attempts.service.ts';

export interface EndpointHealthServiceDeps {
  deliveries: Pick<EndpointDeliveries, 'moveQueued'>;
  endpoints: Pick<EndpointHealthRepository, 'recordLastAttempts' | 'findActiveState'>;
  breakers: Pick<BreakerRepository, 'open' | 'disable'>;
  lastAttempts: Pick<LastAttempts, 'add'>;
  probePlan: ProbePlan;
  /** All attempts failing for this long disable the endpoint. */
  disableAfterMs: number;
  now(): Date;
  /** The endpoint needs its workflow. */
  notifyRecovery(endpoint: EndpointRef): void;
  log: Log;
}

export interface AttemptOutcome {
  verdict: Verdict;
  /** From the receiver's Retry-After header. */
  retryAfterMs: number | null;
}

export type EndpointHealthService = ReturnType<typeof createEndpointHealthService>;

export function createEndpointHealthService(deps: EndpointHealthServiceDeps) {
  const { deliveries, endpoints, breakers, lastAttempts, log } = deps;
  const healthByEndpoint = new Map<string, EndpointHealth>();

  return {
    /** Called once for each attempt, after its outcome was recorded. */
    async update(attempt: LastAttempt, outcome: AttemptOutcome): Promise<void> {
      const health = countAttempt(attempt, outcome);
      if (outcome.verdict === 'delivered' || outcome.verdict === 'blocked') return lastAttempts.add(attempt);
      await endpoints.recordLastAttempts([attempt]);
      if (outcome.verdict === 'gone') return disable(toRef(attempt), 'gone');
      await handleFailure(attempt, outcome, health);
    },
  };

  function countAttempt(attempt: LastAttempt, { verdict }: AttemptOutcome): EndpointHealth {
    const key = endpointKey(attempt);
    const before = healthByEndpoint.get(key) ?? HEALTHY;
    const health = withAttempt(before, { verdict }, attempt.attemptedAt.getTime());
    healthByEndpoint.set(key, health);
    return health;
  }

  async function handleFailure(
    attempt: LastAttempt,
    { verdict, retryAfterMs }: AttemptOutcome,
    health: EndpointHealth,
  ): Promise<void> {
    const endpoint = toRef(attempt);
    const state = await endpoints.findActiveState(endpoint);
    if (!state) return;
    const { failingSince, breaker } = state;
    const failingForMs = failingSince ? attempt.attemptedAt.getTime() - failingSince.getTime() : 0;
    if (failingForMs >= deps.disableAfterMs) return disable(endpoint, 'failing');
    const isOutage = opensBreaker(health, verdict);
    // A failed probe or drain opens the breaker again, whatever this process has counted.
    if (isOutage || breaker !== 'closed') {
      const waitMs = probeWaitMs(failingForMs, retryAfterMs, deps.probePlan);
      await openBreaker(endpoint, { waitMs, isOutage, error: attempt.error });
    }
    deps.notifyRecovery(endpoint);
  }

  async function openBreaker(
    endpoint: EndpointRef,
    { waitMs, isOutage, error }: { waitMs: number; isOutage: boolean; error: string | null },
  ): Promise<void> {
    const nextProbeAt = new Date(deps.now().getTime() + waitMs);
    if (await breakers.open(endpoint, { nextProbeAt, isOutage }))
      log.warn({ endpointId: endpoint.endpointId, error }, 'webhook.breaker_opened');
  }

  async function disable(endpoint: EndpointRef, reason: 'failing' | 'gone'): Promise<void> {
    if (!(await breakers.disable(endpoint, reason))) return;
    healthByEndpoint.delete(endpointKey(endpoint));
    await deliveries.moveQueued(endpoint, ['pending', 'retrying'], 'held');
    log.warn({ endpointId: endpoint.endpointId, reason }, 'webhook.disabled');
  }
}

const toRef = ({ organizationId, endpointId }: EndpointRef): EndpointRef => ({ organizationId, endpointId });
