/** The steps for an endpoint in trouble, as its workflow calls them. Each begins from what the rows say. */
import type { Attempts } from './attempts.service.ts';
import type { ClaimedDelivery, DeliveriesRepository } from './deliveries.repository.ts';
import { nextPace, type ProbePlan } from './endpoint-health.ts';
import { type EndpointLook, nextStep } from './endpoint-trouble.ts';
import type { EndpointsRepository } from './endpoints.repository.ts';

export interface EndpointTroubleDeps {
  deliveries: DeliveriesRepository;
  endpoints: EndpointsRepository;
  attempts: Attempts;
  perEndpointMax: number;
  leaseSeconds: number;
  probePlan: ProbePlan;
  /** Requests per second that a drain never exceeds. */
  drainPerSecondMax: number;
  /** The second of a drain; shorter in tests. */
  drainTickMs: number;
  /** The dispatcher takes over again. */
  wake(webhookId: string): Promise<void>;
  now(): Date;
}

export interface DrainProgress {
  /** Requests per second to go on with. */
  pace: number;
  sent: number;
}

const RETRIES_AT_ONCE = 200;
const DRAIN_TICKS = 10;

export type EndpointTroubleService = ReturnType<typeof createEndpointTroubleService>;

export function createEndpointTroubleService(deps: EndpointTroubleDeps) {
  const { deliveries, endpoints, attempts, perEndpointMax, leaseSeconds } = deps;

  /** Sends in order, a cap's worth at a time; stops at the first failure and gives the rest back. */
  async function sendAll(claims: ClaimedDelivery[], spacingMs: number): Promise<number> {
    let next = 0;
    let delivered = 0;
    let hasFailed = false;
    const startedAt = performance.now();
    async function lane(): Promise<void> {
      while (next < claims.length && !hasFailed) {
        const index = next++;
        const dueInMs = startedAt + index * spacingMs - performance.now();
        if (dueInMs > 0) await new Promise((resolve) => setTimeout(resolve, dueInMs));
        const { result, settled } = await attempts.attempt(claims[index] as ClaimedDelivery);
        if (result.verdict === 'delivered') delivered++;
        else if (result.verdict !== 'blocked') hasFailed = true;
        await settled;
      }
    }
    await Promise.all(Array.from({ length: Math.min(perEndpointMax, claims.length) }, lane));
    await deliveries.release(claims.slice(next));
    return hasFailed ? -1 : delivered;
  }

  return {
    async look(webhookId: string): Promise<EndpointLook | null> {
      const situation = await endpoints.findSituation(webhookId);
      if (!situation) return null;
      const next = nextStep(situation, deps.now());
      if (next.kind === 'end') await endpoints.forgetSeen(webhookId);
      else await endpoints.markSeen(webhookId);
      const { status, disabledReason, breaker, host, failingSince, lastError, pending, retrying } = situation;
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

    /** What a person asked for. */
    async sendUrgent(webhookId: string): Promise<void> {
      const claims = await deliveries.claimUrgent(webhookId, RETRIES_AT_ONCE, leaseSeconds);
      for (const claim of claims) await (await attempts.attempt(claim)).settled;
    },

    async sendDue(webhookId: string): Promise<void> {
      await sendAll(await deliveries.claimDue(webhookId, perEndpointMax, leaseSeconds), 0);
    },

    /** One delivery; its success begins the drain. */
    async probe(webhookId: string): Promise<void> {
      const [claim] = await deliveries.claimOldest(webhookId, 1, leaseSeconds);
      if (!claim) return;
      const { result, settled } = await attempts.attempt(claim);
      await settled;
      if (result.verdict === 'delivered' || result.verdict === 'blocked') {
        await endpoints.setBreaker(webhookId, 'draining');
      }
    },

    /** A stretch of the drain: each second at its own pace. It ends the trouble when nothing is left. */
    async drain(webhookId: string, pace: number, heartbeat: () => void): Promise<DrainProgress> {
      let present = pace;
      let sent = 0;
      for (let tick = 0; tick < DRAIN_TICKS; tick++) {
        heartbeat();
        const tickEnd = performance.now() + deps.drainTickMs;
        const claims = await deliveries.claimOldest(webhookId, present, leaseSeconds);
        if (claims.length === 0) {
          await endpoints.setBreaker(webhookId, 'closed');
          await deps.wake(webhookId);
          break;
        }
        const delivered = await sendAll(claims, deps.drainTickMs / present);
        if (delivered < 0) {
          await endpoints.reopen(webhookId, new Date(deps.now().getTime() + deps.probePlan.firstMs));
          break;
        }
        sent += delivered;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, tickEnd - performance.now())));
        present = nextPace(present, deps.drainPerSecondMax);
      }
      return { pace: present, sent };
    },

    async close(webhookId: string): Promise<void> {
      await endpoints.setBreaker(webhookId, 'closed');
      await deps.wake(webhookId);
    },
  };
}
