/** The steps for an endpoint in trouble, as its workflow calls them. Each begins from what the rows say. */

import type { EndpointHealthRepository } from '../endpoints/endpoint-health.repository.ts';
import { nextPace } from '../endpoints/endpoint-health.ts';
import type { Log } from '../process/log.ts';
import type { Attempts } from './attempts.service.ts';
import type { ClaimedDelivery, ClaimsRepository } from './claims.repository.ts';
import { nextStep, type RecoveryView } from './endpoint-recovery.ts';

export interface EndpointRecoveryDeps {
  claims: ClaimsRepository;
  endpoints: EndpointHealthRepository;
  attempts: Attempts;
  perEndpointMax: number;
  leaseSeconds: number;
  /** Requests per second that a drain never exceeds. */
  drainPerSecondMax: number;
  /** The second of a drain; shorter in tests. */
  drainTickMs: number;
  /** The dispatcher takes over again. */
  wake(endpointId: string): Promise<void>;
  /** The process is being stopped: nothing more is begun, and what is claimed goes back. */
  isStopping(): boolean;
  log: Log;
}

export interface DrainProgress {
  /** Requests per second to go on with. */
  pace: number;
  sent: number;
}

const DRAIN_TICKS = 10;
/** Ticks after which a drain begins nothing more of its claims: a slow receiver does not make it outlive its lease. */
const STALE_TICKS = 2;

export function createEndpointRecoveryService(deps: EndpointRecoveryDeps) {
  const { claims, endpoints, attempts, perEndpointMax, leaseSeconds } = deps;

  /** Sends in order, a cap's worth at a time; stops at the first failure and gives the rest back. */
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
    async function lane(): Promise<void> {
      while (left.length > 0 && !isOver() && spentMs() < notAfterMs) {
        const dueInMs = begun++ * spacingMs - spentMs();
        if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
        const claim = isOver() ? undefined : left.shift();
        if (!claim) return;
        const { result, settled } = await attempts.attempt(claim);
        if (result.verdict === 'delivered') sent++;
        else if (result.verdict !== 'blocked') hasFailed = true;
        await settled;
      }
    }
    await Promise.all(Array.from({ length: Math.min(perEndpointMax, claimed.length) }, lane));
    await claims.release(left);
    return { sent, hasFailed };
  }

  async function beginDrain(endpointId: string): Promise<void> {
    if (await endpoints.beginDrain(endpointId)) deps.log.info({ endpointId }, 'webhook.breaker_half_open');
  }

  async function close(endpointId: string, was: 'open' | 'draining'): Promise<void> {
    if (await endpoints.close(endpointId, was)) deps.log.info({ endpointId }, 'webhook.breaker_closed');
    await deps.wake(endpointId);
  }

  return {
    async look(endpointId: string): Promise<RecoveryView | null> {
      const state = await endpoints.findRecoveryState(endpointId);
      if (!state) return null;
      const next = nextStep(state, state.now);
      if (next.kind === 'end') await endpoints.clearWorkflow(endpointId);
      else await endpoints.touchWorkflow(endpointId);
      const { status, disabledReason, breaker, host, failingSince, lastError, pending, retrying } = state;
      return {
        status,
        disabledReason,
        breaker,
        host,
        failingSince: failingSince?.toISOString() ?? null,
        lastError,
        waiting: pending,
        retrying,
        next,
      };
    },

    /** What a person asked for, whether or not the one before it fails. */
    async sendUrgent(endpointId: string): Promise<void> {
      const claimed = await claims.claimUrgent(endpointId, perEndpointMax, leaseSeconds);
      await Promise.all(claimed.map(async (claim) => (await attempts.attempt(claim)).settled));
    },

    async sendDue(endpointId: string): Promise<void> {
      const claimed = await claims.claimDue(endpointId, perEndpointMax, leaseSeconds);
      await sendAll(claimed, { spacingMs: 0, notAfterMs: Number.POSITIVE_INFINITY });
    },

    /** One delivery; its success begins the drain. */
    async probe(endpointId: string): Promise<void> {
      const [claim] = await claims.claimProbe(endpointId, leaseSeconds);
      if (!claim) return;
      const { result, settled } = await attempts.attempt(claim);
      await settled;
      if (result.verdict === 'delivered' || result.verdict === 'blocked') await beginDrain(endpointId);
    },

    /** A stretch of the drain: each second at its own pace. It ends the trouble when nothing is left. */
    async drain(endpointId: string, pace: number, heartbeat: () => void): Promise<DrainProgress> {
      let present = pace;
      let sent = 0;
      for (let tick = 0; tick < DRAIN_TICKS && !deps.isStopping(); tick++) {
        heartbeat();
        const tickEnd = performance.now() + deps.drainTickMs;
        const claimed = await claims.claimBacklog(endpointId, present, leaseSeconds);
        if (claimed.length === 0) {
          await close(endpointId, 'draining');
          break;
        }
        const outcome = await sendAll(claimed, {
          spacingMs: deps.drainTickMs / present,
          notAfterMs: deps.drainTickMs * STALE_TICKS,
        });
        sent += outcome.sent;
        if (outcome.hasFailed) break;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, tickEnd - performance.now())));
        present = nextPace(present, deps.drainPerSecondMax);
      }
      return { pace: present, sent };
    },

    close: (endpointId: string): Promise<void> => close(endpointId, 'open'),
  };
}
