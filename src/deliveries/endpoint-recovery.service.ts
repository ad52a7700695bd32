/** The activities of `workflows/deliver-webhooks.ts`. Each starts from what the rows say, so it can be repeated. */
import type { BreakerRepository } from '../endpoints/breaker.repository.ts';
import type { EndpointRef } from '../endpoints/endpoint.ts';
import type { EndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { nextPace } from '../endpoints/endpoint-health.ts';
import type { Log } from '../process/log.ts';
import type { Attempts } from './attempts.service.ts';
import type { ClaimedDelivery, ClaimsRepository } from './claims.repository.ts';
import { type DrainProgress, nextStep, type RecoveryView } from './endpoint-recovery.ts';

export interface EndpointRecoveryDeps {
  claims: ClaimsRepository;
  endpoints: EndpointHealthRepository;
  breakers: Pick<BreakerRepository, 'beginDrain' | 'close'>;
  attempts: Attempts;
  perEndpointMax: number;
  leaseSeconds: number;
  /** Requests per second that a drain never exceeds. */
  drainPerSecondMax: number;
  /** Length of one tick of a drain: a second, shorter in tests. */
  drainTickMs: number;
  /** Makes the dispatcher look at the endpoint again. */
  wake(endpoint: EndpointRef): Promise<void>;
  /** The process is stopping: start nothing more and release what is claimed. */
  isStopping(): boolean;
  log: Log;
}

const DRAIN_TICKS = 10;
/** After so many ticks a drain starts nothing more of its claims, so a slow receiver cannot make it outlive its lease. */
const STALE_TICKS = 2;

export function createEndpointRecoveryService(deps: EndpointRecoveryDeps) {
  const { claims, endpoints, breakers, attempts, perEndpointMax, leaseSeconds } = deps;

  /** Sends in order, `perEndpointMax` at a time; stops at the first failure and releases the rest. */
  async function sendAll(
    claimed: ClaimedDelivery[],
    { spacingMs, notAfterMs }: { spacingMs: number; notAfterMs: number },
  ): Promise<{ sent: number; hasFailed: boolean }> {
    const left = [...claimed];
    let begun = 0;
    let sent = 0;
    let hasFailed = false;
    const startedAt = performance.now();
    const spentMs = () => performance.now() - startedAt;
    const isOver = () => hasFailed || deps.isStopping();
    async function sendInTurn(): Promise<void> {
      while (left.length > 0 && !isOver() && spentMs() < notAfterMs) {
        const dueInMs = begun++ * spacingMs - spentMs();
        if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
        const claim = isOver() ? undefined : left.shift();
        if (!claim) return;
        const { result, recorded } = await attempts.attempt(claim);
        if (result.verdict === 'delivered') sent++;
        else if (result.verdict !== 'blocked') hasFailed = true;
        await recorded;
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(perEndpointMax, claimed.length) }, sendInTurn));
    } finally {
      await claims.release(left.splice(0));
    }
    return { sent, hasFailed };
  }

  async function beginDrain(endpoint: EndpointRef): Promise<void> {
    const { endpointId } = endpoint;
    if (await breakers.beginDrain(endpoint)) deps.log.info({ endpointId }, 'webhook.breaker_half_open');
  }

  async function close(endpoint: EndpointRef, from: 'open' | 'draining'): Promise<void> {
    const { endpointId } = endpoint;
    if (await breakers.close(endpoint, from)) deps.log.info({ endpointId }, 'webhook.breaker_closed');
    await deps.wake(endpoint);
  }

  return {
    /** Null when the endpoint was deleted. */
    async getEndpointState(endpoint: EndpointRef): Promise<RecoveryView | null> {
      const state = await endpoints.findRecoveryState(endpoint);
      if (!state) return null;
      const next = nextStep(state, state.now);
      if (next.kind === 'end') await endpoints.clearWorkflow(endpoint);
      else await endpoints.touchWorkflow(endpoint);
      const { status, disabledReason, breaker, host, lastError, pending, retrying } = state;
      const failingSince = state.failingSince?.toISOString() ?? null;
      return { status, disabledReason, breaker, host, failingSince, lastError, pending, retrying, next };
    },

    /** What a customer asked to resend: each is sent, whether or not another one fails. */
    async sendImmediate(endpoint: EndpointRef): Promise<void> {
      const claimed = await claims.claimImmediate(endpoint, perEndpointMax, leaseSeconds);
      await Promise.all(claimed.map(async (claim) => (await attempts.attempt(claim)).recorded));
    },

    async sendRetries(endpoint: EndpointRef): Promise<void> {
      const claimed = await claims.claimDue(endpoint, perEndpointMax, leaseSeconds);
      await sendAll(claimed, { spacingMs: 0, notAfterMs: Number.POSITIVE_INFINITY });
    },

    /** Sends one delivery; its success starts the drain. */
    async probeEndpoint(endpoint: EndpointRef): Promise<void> {
      const [claim] = await claims.claimProbe(endpoint, leaseSeconds);
      if (!claim) return;
      const { result, recorded } = await attempts.attempt(claim);
      await recorded;
      if (result.verdict === 'delivered' || result.verdict === 'blocked') await beginDrain(endpoint);
    },

    /** Ten ticks of the drain, each faster than the one before. Closes the breaker when nothing is left. */
    async drainBacklog(endpoint: EndpointRef, firstPace: number): Promise<DrainProgress> {
      let pace = firstPace;
      let sent = 0;
      for (let tick = 0; tick < DRAIN_TICKS && !deps.isStopping(); tick++) {
        const tickEnd = performance.now() + deps.drainTickMs;
        const claimed = await claims.claimBacklog(endpoint, pace, leaseSeconds);
        if (claimed.length === 0) {
          await close(endpoint, 'draining');
          break;
        }
        const outcome = await sendAll(claimed, {
          spacingMs: deps.drainTickMs / pace,
          notAfterMs: deps.drainTickMs * STALE_TICKS,
        });
        sent += outcome.sent;
        if (outcome.hasFailed) break;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, tickEnd - performance.now())));
        pace = nextPace(pace, deps.drainPerSecondMax);
      }
      return { pace, sent };
    },

    closeBreaker: (endpoint: EndpointRef): Promise<void> => close(endpoint, 'open'),
  };
}
